"""The launcher of an MPI job: its resources and its labels."""

import msgspec

from gpuspec.manifests import Quantity
from gpuspec.spec.pod_metadata import PodAnnotations, PodLabels
from gpuspec.spec.types import Annotated, Model, doc, quantity


class LauncherResources(Model):
    """The resource requests of the launcher."""

    cpu: Annotated[
        Quantity, doc("CPU request in cores; there is no limit.", 2, "500m", default="1")
    ] = quantity("1")
    memory: Annotated[
        Quantity,
        doc("Memory request and limit in bytes, including /dev/shm.", "4Gi", default="1Gi"),
    ] = quantity("1Gi")
    ephemeral_storage: Annotated[
        Quantity | None,
        doc(
            "Local disk request and limit in bytes, and the size of /tmp. Default: enough "
            "for /tmp and a home of 1Gi each.",
            "32Gi",
        ),
    ] = None
    shm: Annotated[
        Quantity | None,
        doc(
            "Size of the memory-backed /dev/shm in bytes, included in `memory`. Default: "
            "the container runtime's 64Mi.",
            "1Gi",
        ),
    ] = None


class MpiLauncher(Model):
    """The pod that runs `mpirun`. It has no GPU, and otherwise equals the workers."""

    resources: Annotated[
        LauncherResources, doc("Its host resources.", {"cpu": 2, "memory": "4Gi"})
    ] = msgspec.field(default_factory=LauncherResources)
    pod_labels: PodLabels = {}
    pod_annotations: PodAnnotations = {}
