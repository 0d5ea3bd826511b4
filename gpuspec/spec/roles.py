"""Roles: further pods beside the workers, such as a data loader or a driver."""

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
"""The most pods of a role, and of workers with roles: one environment variable contains their host
names, and Linux limits it to 128Ki."""
Starts = Literal["with", "before", "after"]
Ends = Literal["with-workers", "by-itself", "the-run"]


class RoleResources(Model):
    """The resource requests of one pod of a role."""

    cpu: Annotated[Quantity, doc("CPU request in cores; there is no limit.", 16, "500m")]
    memory: Annotated[
        Quantity,
        doc(
            "Memory request in bytes, including /dev/shm, and the limit unless "
            "`memoryLimit` is set.",
            "64Gi",
        ),
    ]
    memory_limit: Annotated[
        Quantity | None,
        doc(
            "Memory limit in bytes, above `memory`. If the node runs out of memory, pods "
            "above their request are killed first. Default: `memory`.",
            "128Gi",
        ),
    ] = None
    ephemeral_storage: Annotated[
        Quantity,
        doc("Local disk request and limit in bytes, including /tmp.", "20Gi", default="1Gi"),
    ] = quantity("1Gi")
    shm: Annotated[
        Quantity | None,
        doc(
            "Size of the memory-backed /dev/shm in bytes, included in `memory`. Default: "
            "the container runtime's 64Mi.",
            "16Gi",
        ),
    ] = None
    gpus: Annotated[
        Natural,
        doc(
            "GPUs of the workers' kind, on nodes of their pools; at most `gpu.count`. 0: "
            "the pods run on nodes without GPUs.",
            1,
        ),
    ] = 0


class Role(Model, kw_only=True):
    """A group of equal pods beside the workers; `<NAME>_HOST` and `<NAME>_HOSTS` lead all pods
    there."""

    name: Annotated[
        LabelName,
        doc(
            "Name of the role, part of its pods' names; `worker` is reserved for the workers.",
            "loader",
        ),
    ]
    count: Annotated[
        int,
        Meta(ge=1, le=MOST_PODS),
        doc("Number of pods. Each gets its index, from 0, in JOB_COMPLETION_INDEX.", 4),
    ] = 1
    image: Annotated[
        NonEmpty | None,
        doc(
            "Image, preferably with its digest. Default: the workers'.",
            "ghcr.io/example/loader:1.2.0",
        ),
    ] = None
    pull_policy: PullPolicy = None
    command: Command = ()
    args: Arguments = ()
    working_dir: Annotated[
        AbsolutePath | None, doc("Working directory. Default: the image's.", "/app")
    ] = None
    env: Environment = {}
    env_from: EnvironmentFrom = ()
    pod_labels: PodLabels = {}
    pod_annotations: PodAnnotations = {}
    resources: Annotated[
        RoleResources, doc("Host resources of one pod.", {"cpu": 16, "memory": "64Gi"})
    ]
    port: Annotated[
        Port | None,
        doc(
            "Port on which it listens: it is ready when it does. Default: it is ready when "
            "it runs.",
            5000,
        ),
    ] = None
    mounts: Mounts = ()
    starts: Annotated[
        Starts,
        doc(
            "`with` the workers; `before`: the workers start when it is ready, or, if it "
            "ends by itself, when it is done; `after`: it starts when the workers are "
            "ready.",
            "before",
        ),
    ] = "with"
    ends: Annotated[
        Ends,
        doc(
            "`with-workers`: it runs until the workers are done, and is stopped then. "
            "`by-itself`: the run is done when it is done too. `the-run`: the run is done "
            "when it is, and the workers are stopped then. If it fails, all restart, as "
            "for a failed worker.",
            "the-run",
        ),
    ] = "with-workers"
