"""The finite kinds: Training, FineTune and BatchInference."""

from typing import Literal

import msgspec
from msgspec import Meta

from gpuspec.spec.artifacts import Artifact, Output
from gpuspec.spec.common import Near, QueueName, Time, WorkloadSpec
from gpuspec.spec.failing import NEVER_RAN, ExitCodes, OnExitOfShard, Retries, ending
from gpuspec.spec.forms import (
    AbsolutePath,
    InnerPath,
    Natural,
    NonEmpty,
    ObjectName,
    Positive,
)
from gpuspec.spec.lifetime import FixedName, Grace, Run, TtlAfterFinished
from gpuspec.spec.metadata import API_VERSION, Metadata
from gpuspec.spec.model_source import ModelRef
from gpuspec.spec.mpi import MpiLauncher
from gpuspec.spec.roles import Role
from gpuspec.spec.types import Annotated, Duration, Model, doc, duration


class Checkpoint(Model):
    """Where and how often training saves its state."""

    pvc: Annotated[ObjectName, doc("Name of an existing PersistentVolumeClaim.", "checkpoints")]
    every: Annotated[
        Duration, doc("Interval between checkpoints: the maximum work that a failure loses.", "30m")
    ]
    path: Annotated[
        InnerPath | None, doc("Mount only this folder of the volume.", "recommender")
    ] = None
    mount: Annotated[AbsolutePath, doc("Mount path.", "/checkpoints")] = "/checkpoints"
    save: Annotated[
        Duration,
        doc(
            "Time to write one checkpoint; the pod's grace period covers it.",
            "2m",
            default="2m",
        ),
    ] = duration("2m")


class TrainingFields(WorkloadSpec):
    """What training and fine-tuning share."""

    workers: Annotated[
        int,
        Meta(ge=1, le=10000),
        doc(
            "Pods that train and start together, with `gpu.count` GPUs each. They find "
            "each other by stable host names.",
            4,
        ),
    ] = 1
    launcher: Annotated[
        Literal["torchrun", "accelerate", "deepspeed", "none"] | None,
        doc(
            "Launcher that starts one process per GPU; replaces `python` in `command`. "
            "Default: `torchrun` if the command starts Python and there is more than one "
            "GPU, otherwise `none`; with target `mpijob`, `mpirun` unless the command "
            "starts it.",
            "torchrun",
        ),
    ] = None
    mpi: Annotated[
        Literal["openmpi", "intel", "mpich"] | None,
        doc(
            "MPI implementation of the image, for a target that starts processes by "
            "`mpirun`. Default: `openmpi`.",
            "mpich",
        ),
    ] = None
    mpi_launcher: Annotated[
        MpiLauncher,
        doc(
            "The pod that runs `mpirun`, for a target that has one. Default: 1 CPU and 1Gi "
            "of memory.",
            {"resources": {"cpu": 2, "memory": "4Gi"}},
        ),
    ] = msgspec.field(default_factory=MpiLauncher)
    data_loaders: Annotated[
        int,
        Meta(ge=0, le=1024),
        doc(
            "Data loader processes per GPU. They pass batches through /dev/shm, which is "
            "sized for them.",
            4,
        ),
    ] = 0
    dataset: Annotated[
        Artifact | None,
        doc(
            "Training data, mounted read-only at /data.", {"pvc": "datasets", "version": "2026-05"}
        ),
    ] = None
    checkpoint: Annotated[
        Checkpoint | None,
        doc(
            "Where and how often state is saved. Default: an interruption loses the whole run.",
            {"pvc": "checkpoints", "every": "30m"},
        ),
    ] = None
    duration: Annotated[
        Time, doc("Usual and maximum run time.", {"expected": "12h", "max": "24h"})
    ] = Time()
    retries: Annotated[Retries, doc("What happens when a pod fails.", {"limit": 3})] = Retries()
    grace: Grace = None
    run: Run = None
    fixed_name: FixedName = False
    ttl_after_finished: TtlAfterFinished = None
    queue: QueueName = None
    topology: Near = None
    wrap: Annotated[
        Literal["appwrapper"] | None,
        doc(
            "A wrapper around the workload. `appwrapper`: it is queued instead, and "
            "recreates all pods if one is lost, for targets `job`, `jobset` and "
            "`pytorchjob`.",
            "appwrapper",
        ),
    ] = None
    roles: Annotated[
        tuple[Role, ...],
        doc(
            "Pods of other kinds in addition to the workers: a data loader, a parameter "
            "server, a driver. Only some targets support them, such as `jobset`.",
            [{"name": "loader", "count": 4, "resources": {"cpu": 16, "memory": "64Gi"}}],
        ),
    ] = ()


class TrainingSpec(TrainingFields):
    """Training: finite, resumable, one or several workers that start together."""


METHOD_FACTOR = {"full": 1.0, "lora": 1.0, "qlora": 0.25}
"""The part of the stored weights that stays in GPU memory, whatever the optimiser adds to it: all of
it for full and LoRA training, a 4-bit copy of 16-bit weights for QLoRA."""


class FineTuneSpec(TrainingFields, kw_only=True):
    """Fine-tuning of a base model."""

    base_model: Annotated[ModelRef, doc("The model to adapt, mounted at /models.")]
    method: Annotated[
        Literal["full", "lora", "qlora"],
        doc(
            "Fine-tuning method. Determines how much of the weights GPU memory must hold: "
            "all, or for `qlora` a copy of a quarter of the size."
        ),
    ] = "lora"
    output: Annotated[
        Output | None,
        doc("Where the adapted weights are written, mounted at /output.", {"pvc": "adapters"}),
    ] = None


class Shards(Model):
    """How a batch is cut into pieces."""

    count: Annotated[
        int,
        Meta(ge=1, le=100_000),
        doc(
            "Number of shards. Each pod gets its index, from 0, in JOB_COMPLETION_INDEX, "
            "and the number in SHARD_COUNT.",
            64,
        ),
    ] = 1
    parallelism: Annotated[
        Positive | None,
        doc(
            "Shards that run at a time, each with `gpu.count` GPUs. Default: all, at most eight.", 8
        ),
    ] = None
    min_parallelism: Annotated[
        Positive | None,
        doc(
            "Minimum number of shards with which a queue may start the work if it lacks "
            "room for more. Default: `parallelism`.",
            2,
        ),
    ] = None
    retries: Annotated[Natural, doc("Retries of each shard before it counts as failed.", 2)] = 2
    max_failed: Annotated[
        Natural, doc("Shards that may fail before the whole Job is stopped.", 1)
    ] = 0


class Schedule(Model):
    """When a batch runs again and again."""

    cron: Annotated[
        NonEmpty,
        doc(
            "Minute, hour, day of month, month, day of week (0 is Sunday); or @hourly, @daily, "
            "@weekly, @monthly, @yearly.",
            "0 2 * * *",
        ),
    ]
    time_zone: Annotated[NonEmpty, doc("IANA name of the time zone.", "Europe/Berlin")] = "Etc/UTC"
    starting_deadline: Annotated[
        Duration,
        doc("How late a missed run may still start; at least 10s.", "30m", default="30m"),
    ] = duration("30m")
    suspended: Annotated[bool, doc("Pause the schedule.")] = False


class BatchInferenceSpec(WorkloadSpec):
    """Scoring a fixed set of inputs: finite, sharded, safe to retry."""

    model: Annotated[
        ModelRef | None, doc("The model, mounted read-only at /models.", {"id": "org/ranker"})
    ] = None
    input: Annotated[
        Artifact | None, doc("Input data, mounted read-only at /data.", {"pvc": "inputs"})
    ] = None
    output: Annotated[
        Output | None,
        doc(
            "Where results go, mounted at /output. Write one file per shard, so that a "
            "retry replaces it and never duplicates.",
            {"pvc": "results"},
        ),
    ] = None
    shards: Annotated[
        Shards, doc("How the batch is split into shards.", {"count": 64, "parallelism": 8})
    ] = Shards()
    schedule: Annotated[
        Schedule | None,
        doc(
            "Run repeatedly, as a CronJob whose runs never overlap. Default: once.",
            {"cron": "0 2 * * *", "timeZone": "Europe/Berlin"},
        ),
    ] = None
    duration: Annotated[Time, doc("Usual and maximum run time of one run.", {"max": "4h"})] = Time()
    fail_on_exit_codes: ExitCodes = NEVER_RAN
    on_exit_code: Annotated[
        OnExitOfShard,
        doc(
            "Reaction to single exit codes, in addition to `failOnExitCodes`: `fail-run`: "
            "the run ends at once; `fail-shard`: the shard is not retried and the others "
            "continue, within `shards.maxFailed`; `retry`: the shard is retried.",
            {"65": "fail-shard", "127": "retry"},
        ),
    ] = {}
    grace: Grace = None
    run: Run = None
    fixed_name: FixedName = False
    ttl_after_finished: TtlAfterFinished = None
    queue: QueueName = None

    @property
    def ending(self) -> tuple[int, ...]:
        """The exit codes that end the run at once."""
        return ending(self.fail_on_exit_codes, self.on_exit_code)


class Training(Model, tag_field="kind", tag="Training"):
    """A finite training run on GPUs, a Job unless another target is chosen."""

    api_version: Annotated[Literal["gpuspec.dev/v1alpha1"], doc("Always " + API_VERSION + ".")]
    metadata: Annotated[Metadata, doc("Name, namespace and labels.")]
    spec: Annotated[TrainingSpec, doc("What to run and what it needs.")]


class FineTune(Model, tag_field="kind", tag="FineTune"):
    """Fine-tuning of a base model, a Job unless another target is chosen."""

    api_version: Annotated[Literal["gpuspec.dev/v1alpha1"], doc("Always " + API_VERSION + ".")]
    metadata: Annotated[Metadata, doc("Name, namespace and labels.")]
    spec: Annotated[FineTuneSpec, doc("What to run and what it needs.")]


class BatchInference(Model, tag_field="kind", tag="BatchInference"):
    """Scoring a fixed set of inputs: an Indexed Job or a CronJob, unless another target is chosen."""

    api_version: Annotated[Literal["gpuspec.dev/v1alpha1"], doc("Always " + API_VERSION + ".")]
    metadata: Annotated[Metadata, doc("Name, namespace and labels.")]
    spec: Annotated[BatchInferenceSpec, doc("What to run and what it needs.")]
