"""Storage of a cluster: its classes, and the class of each claim."""

from gpuspec.hardware import AccessMode
from gpuspec.manifests import Quantity
from gpuspec.spec.forms import AbsolutePath, ObjectName
from gpuspec.spec.types import Annotated, Model, doc


class LocalDisk(Model, kw_only=True):
    """Fast disks of a node itself, mounted into a folder of it."""

    path: Annotated[AbsolutePath, doc("The folder; the pods' users can write to it.", "/mnt/nvme")]


class StorageClass(Model):
    """The properties of volumes of one StorageClass."""

    access_modes: Annotated[
        tuple[AccessMode, ...],
        doc("Access modes. Empty: unknown and not checked.", ["ReadWriteMany"]),
    ] = ()
    bandwidth: Annotated[
        Quantity | None,
        doc("Bytes per second for one reader. Default: the profile's `bandwidth`.", "1Gi"),
    ] = None


class Storage(Model):
    """The StorageClasses, and the claims that specs name."""

    classes: Annotated[
        dict[str, StorageClass],
        doc(
            "StorageClasses by name.",
            {"shared-nvme": {"accessModes": ["ReadWriteMany"], "bandwidth": "2Gi"}},
        ),
    ] = {}
    claims: Annotated[
        dict[str, ObjectName],
        doc("PersistentVolumeClaim to StorageClass.", {"weights": "shared-nvme"}),
    ] = {}
