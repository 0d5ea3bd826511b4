"""Roles: pods of another kind beside the workers, such as a data loader or a driver."""

from typing import Literal

from msgspec import Meta

from gpuspec.manifests import Quantity
from gpuspec.spec.containers import (
    Arguments,
    Command,
    Environment,
    EnvironmentFrom,
    Mounts,
    PullPolicy,
)
from gpuspec.spec.forms import AbsolutePath, LabelName, Natural, NonEmpty, Port
from gpuspec.spec.pod_metadata import PodAnnotations, PodLabels
from gpuspec.spec.types import Annotated, Model, doc, quantity

MOST_PODS = 1000
"""Pods of a role, and of workers beside roles: their host names stand in one variable, which a
program cannot be started with beyond 128Ki."""
Starts = Literal["with", "before", "after"]
Ends = Literal["with-workers", "by-itself", "the-run"]


class RoleResources(Model):
    """What one pod of a role asks of its node."""

    cpu: Annotated[Quantity, doc("CPU request in cores; there is no limit.", 16, "500m")]
    memory: Annotated[
        Quantity,
        doc(
            "Memory request in bytes, /dev/shm included, and the limit unless `memoryLimit` says "
            "another.",
            "64Gi",
        ),
    ]
    memory_limit: Annotated[
        Quantity | None,
        doc(
            "Memory limit in bytes, above `memory`. Where the node runs short, pods that use more "
            "than they ask for are ended first. Unset: `memory`.",
            "128Gi",
        ),
    ] = None
    ephemeral_storage: Annotated[
        Quantity,
        doc("Local disk request and limit in bytes, /tmp included.", "20Gi", default="1Gi"),
    ] = quantity("1Gi")
    shm: Annotated[
        Quantity | None,
        doc(
            "Size of the memory-backed /dev/shm in bytes, which counts inside `memory`. Unset: "
            "the runtime's 64Mi.",
            "16Gi",
        ),
    ] = None
    gpus: Annotated[
        Natural,
        doc(
            "GPUs of the kind that the workers have, on nodes of their pools; no more than "
            "`gpu.count`. 0: its pods run on nodes without GPUs.",
            1,
        ),
    ] = 0


class Role(Model, kw_only=True):
    """Pods of one kind beside the workers; `<NAME>_HOST` and `<NAME>_HOSTS` lead all pods there."""

    name: Annotated[
        LabelName,
        doc(
            "Name of the role, part of its pods' names; `worker` is taken by the workers.",
            "loader",
        ),
    ]
    count: Annotated[
        int,
        Meta(ge=1, le=MOST_PODS),
        doc("Its pods. Each is told its own number, from 0, by JOB_COMPLETION_INDEX.", 4),
    ] = 1
    image: Annotated[
        NonEmpty | None,
        doc("Image, best with its digest. Unset: the workers'.", "ghcr.io/example/loader:1.2.0"),
    ] = None
    pull_policy: PullPolicy = None
    command: Command = ()
    args: Arguments = ()
    working_dir: Annotated[
        AbsolutePath | None, doc("Working directory. Unset: the image's.", "/app")
    ] = None
    env: Environment = {}
    env_from: EnvironmentFrom = ()
    pod_labels: PodLabels = {}
    pod_annotations: PodAnnotations = {}
    resources: Annotated[
        RoleResources, doc("What one pod asks of its node.", {"cpu": 16, "memory": "64Gi"})
    ]
    port: Annotated[
        Port | None,
        doc("Where it listens: it is ready once it does. Unset: it is ready once it runs.", 5000),
    ] = None
    mounts: Mounts = ()
    starts: Annotated[
        Starts,
        doc(
            "`with` the workers; `before`: they start when it is ready, or, if it ends by itself, "
            "when it is done; `after`: it starts when they are ready.",
            "before",
        ),
    ] = "with"
    ends: Annotated[
        Ends,
        doc(
            "`with-workers`: it goes on until they are done, and is ended then. `by-itself`: the "
            "run is done when it is too. `the-run`: the run is done when it is, and the workers "
            "are ended then. Where it fails, all start anew, as where a worker fails.",
            "the-run",
        ),
    ] = "with-workers"
