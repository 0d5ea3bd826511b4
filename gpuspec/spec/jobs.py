"""The finite kinds: Training, FineTune and BatchInference."""

from typing import Annotated, Literal

from gpuspec.spec.common import API_VERSION, Artifact, Metadata, Output, Time, WorkloadSpec
from gpuspec.spec.model_source import ModelRef
from gpuspec.spec.types import Duration, Model, doc, duration


class Checkpoint(Model):
    """Where and how often training saves its state."""

    pvc: Annotated[str, doc("Name of the PersistentVolumeClaim.", "checkpoints")]
    every: Annotated[Duration, doc("Interval between checkpoints.", "30m")]
    path: Annotated[str | None, doc("Folder within the volume.", pattern="^[^/]")] = None
    mount: Annotated[str, doc("Where it is mounted.", "/checkpoints", pattern="^/")] = (
        "/checkpoints"
    )
    save: Annotated[
        Duration,
        doc(
            "Time that writing one checkpoint takes; the grace period covers it.",
            "2m",
            default="2m",
        ),
    ] = duration("2m")


class Retries(Model):
    """What happens when a pod fails."""

    limit: Annotated[
        int, doc("Failed pods before the Job fails. Disruptions are not counted.", 3, minimum=0)
    ] = 3
    fail_on_exit_codes: Annotated[
        tuple[int, ...],
        doc(
            "Exit codes that fail the Job at once: retrying cannot help. 126 and 127 mean that "
            "the command could not be run.",
            [126, 127],
        ),
    ] = (126, 127)


class TrainingFields(WorkloadSpec):
    """What training and fine-tuning share."""

    workers: Annotated[
        int, doc("Pods that train together, `gpu.count` GPUs each.", 4, minimum=1, maximum=10000)
    ] = 1
    launcher: Annotated[
        Literal["torchrun", "accelerate", "deepspeed", "none"] | None,
        doc(
            "Who starts one process per GPU. Unset: `torchrun` when the command starts Python and "
            "there is more than one GPU, else `none`.",
        ),
    ] = None
    data_loaders: Annotated[
        int,
        doc(
            "Data loader processes per GPU process. They hand over batches in /dev/shm.",
            4,
            minimum=0,
        ),
    ] = 0
    dataset: Annotated[Artifact | None, doc("Training data, mounted at /data.")] = None
    checkpoint: Annotated[Checkpoint | None, doc("Where and how often state is saved.")] = None
    duration: Annotated[Time, doc("Expected and greatest run time.")] = Time()
    retries: Annotated[Retries, doc("What happens when a pod fails.")] = Retries()
    run: Annotated[
        str | None,
        doc(
            "Name of this run, part of the Job's name: a Job is immutable, so a new run is a new "
            "Job. Unset: a digest of the Job's template.",
            "2026-06-01",
        ),
    ] = None
    queue: Annotated[
        str | None, doc("Queue (a LocalQueue of Kueue) that admits the workload.", "research")
    ] = None


class TrainingSpec(TrainingFields):
    """Training: finite, resumable, one or several workers that start together."""


class FineTuneSpec(TrainingFields, kw_only=True):
    """Fine-tuning of a base model."""

    base_model: Annotated[ModelRef, doc("The model that is adapted, mounted at /models.")]
    method: Annotated[
        Literal["full", "lora", "qlora"], doc("How it is adapted; decides the memory needed.")
    ] = "lora"
    output: Annotated[Output | None, doc("Where the adapted weights are written.")] = None


class Shards(Model):
    """How a batch is cut into pieces."""

    count: Annotated[
        int,
        doc(
            "Pieces; each pod is told its own by JOB_COMPLETION_INDEX.",
            64,
            minimum=1,
            maximum=100000,
        ),
    ] = 1
    parallelism: Annotated[
        int | None, doc("Pieces at a time. Unset: all of them, eight at most.", 8, minimum=1)
    ] = None
    retries: Annotated[
        int, doc("Retries of each piece before it counts as failed.", 2, minimum=0)
    ] = 2
    max_failed: Annotated[
        int, doc("Pieces that may fail before the whole Job is stopped.", 0, minimum=0)
    ] = 0


class Schedule(Model):
    """When a batch runs again and again."""

    cron: Annotated[
        str, doc("Five cron fields, or @hourly, @daily, @weekly, @monthly, @yearly.", "0 2 * * *")
    ]
    time_zone: Annotated[str, doc("IANA name of the time zone.", "Europe/Berlin")] = "Etc/UTC"
    starting_deadline: Annotated[
        Duration, doc("How late a missed run may still start.", "30m", default="30m")
    ] = duration("30m")
    suspended: Annotated[bool, doc("Do not start new runs for now.")] = False


class BatchInferenceSpec(WorkloadSpec):
    """Scoring a fixed set of inputs: finite, sharded, safe to retry."""

    model: Annotated[ModelRef | None, doc("The model, mounted at /models.")] = None
    input: Annotated[Artifact | None, doc("Input data, mounted at /data.")] = None
    output: Annotated[Output | None, doc("Where results go; must be idempotent by shard.")] = None
    shards: Annotated[Shards, doc("How the batch is cut into pieces.")] = Shards()
    schedule: Annotated[Schedule | None, doc("Run again and again: a CronJob.")] = None
    duration: Annotated[Time, doc("Expected and greatest run time.")] = Time()
    fail_on_exit_codes: Annotated[
        tuple[int, ...], doc("Exit codes that fail the Job at once.", [126, 127])
    ] = (126, 127)
    run: Annotated[
        str | None,
        doc("Name of this run, part of the Job's name. Unset: a digest of the template."),
    ] = None
    queue: Annotated[
        str | None, doc("Queue (a LocalQueue of Kueue) that admits the workload.", "batch")
    ] = None


class Training(Model, tag_field="kind", tag="Training"):
    """A finite training run on GPUs, rendered as a Job."""

    api_version: Annotated[Literal["gpuspec.dev/v1alpha1"], doc("Always " + API_VERSION + ".")]
    metadata: Annotated[Metadata, doc("Name, namespace, labels.")]
    spec: Annotated[TrainingSpec, doc("What to run and what it needs.")]


class FineTune(Model, tag_field="kind", tag="FineTune"):
    """Fine-tuning of a base model, rendered as a Job."""

    api_version: Annotated[Literal["gpuspec.dev/v1alpha1"], doc("Always " + API_VERSION + ".")]
    metadata: Annotated[Metadata, doc("Name, namespace, labels.")]
    spec: Annotated[FineTuneSpec, doc("What to run and what it needs.")]


class BatchInference(Model, tag_field="kind", tag="BatchInference"):
    """Scoring a fixed set of inputs, rendered as an Indexed Job or a CronJob."""

    api_version: Annotated[Literal["gpuspec.dev/v1alpha1"], doc("Always " + API_VERSION + ".")]
    metadata: Annotated[Metadata, doc("Name, namespace, labels.")]
    spec: Annotated[BatchInferenceSpec, doc("What to run and what it needs.")]
