"""Further volumes of a pod, beside those for models and data, and their mounts."""

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import (
    AbsolutePath,
    DriverName,
    FileMode,
    InnerPath,
    LabelName,
    NonEmpty,
    ObjectName,
)
from gpuspec.spec.types import Annotated, Model, doc

HostPath = Annotated[
    AbsolutePath | None,
    doc(
        "A folder of the node, which must exist and be accessible to the pod's user. "
        "Needs a reason in `waivers.hostPath`, and a namespace that enforces neither "
        "`restricted` nor `baseline`.",
        "/mnt/nvme/cache",
    ),
]


class Csi(Model, kw_only=True):
    """A volume that a CSI driver creates for the pod, without a claim."""

    driver: Annotated[DriverName, doc("Name of the driver.", "gcsfuse.csi.storage.gke.io")]
    attributes: Annotated[
        dict[str, str],
        doc("Attributes for the driver; see its manual.", {"bucketName": "corpora"}),
    ] = {}
    secret: Annotated[
        ObjectName | None, doc("Name of the Secret with the driver's credentials.", "bucket")
    ] = None


class Volume(Model):
    """A volume mounted into the main container, with exactly one source."""

    mount: Annotated[AbsolutePath, doc("Mount path in the main container.", "/corpora")]
    name: Annotated[
        LabelName | None,
        doc("Name for other containers' mounts. Default: derived from the path.", "corpora"),
    ] = None
    pvc: Annotated[
        ObjectName | None, doc("Name of an existing PersistentVolumeClaim.", "corpora")
    ] = None
    config_map: Annotated[ObjectName | None, doc("Name of a ConfigMap.", "settings")] = None
    secret: Annotated[ObjectName | None, doc("Name of a Secret.", "certificates")] = None
    image: Annotated[
        NonEmpty | None,
        doc(
            "An OCI image or artifact, mounted read-only; needs Kubernetes 1.36.",
            "ghcr.io/example/tokenizer:1",
        ),
    ] = None
    size: Annotated[
        Quantity | None,
        doc("An empty scratch volume of this size in bytes, on the node's disk.", "50Gi"),
    ] = None
    storage_class: Annotated[
        ObjectName | None,
        doc(
            "StorageClass of the scratch volume: each pod gets its own volume, which is "
            "deleted with it, instead of the node's disk. Needs `size`.",
            "fast-nvme",
        ),
    ] = None
    local_disk: Annotated[
        bool,
        doc(
            "On the node's own fast disk, by the pool's `localDisk`; pools without one are "
            "not used. With `size` it is a scratch volume on that disk; without, the "
            "folder where the disk is mounted, which pods share and which needs "
            "`waivers.hostPath`."
        ),
    ] = False
    host_path: HostPath = None
    csi: Annotated[
        Csi | None,
        doc(
            "A volume that a CSI driver creates when the pod starts.",
            {"driver": "gcsfuse.csi.storage.gke.io", "attributes": {"bucketName": "corpora"}},
        ),
    ] = None
    read_only: Annotated[
        bool, doc("Mount it read-only. A Secret, ConfigMap or image always is.")
    ] = False
    mode: Annotated[
        FileMode | None,
        doc(
            "Mode of the files of a Secret or ConfigMap, in quotes. The pod's group may "
            "always read them, unless all processes are root. Default: 0644.",
            "0400",
        ),
    ] = None
    sub_path: Annotated[
        InnerPath | None, doc("Mount only this folder of the volume.", "english")
    ] = None


class Mount(Model):
    """A mount of one of the pod's volumes in an init container or sidecar."""

    volume: Annotated[
        NonEmpty,
        doc(
            "Name of a volume of the pod: one under `volumes`, or one of another field "
            "(`model`, `model-cache`, `caches`, `dataset`, `checkpoints`, `input`, "
            "`output`, `tmp`, `home`).",
            "corpora",
        ),
    ]
    path: Annotated[AbsolutePath, doc("Mount path in this container.", "/corpora")]
    read_only: Annotated[bool, doc("Mount it read-only.")] = False


class Caches(Model):
    """The cache for downloads and compiled code of libraries: one of `pvc`, `hostPath`,
    `localDisk`."""

    pvc: Annotated[
        ObjectName | None,
        doc("Name of an existing PersistentVolumeClaim. Pods share its content.", "caches"),
    ] = None
    host_path: HostPath = None
    local_disk: Annotated[
        bool,
        doc(
            "In the folder of the pool's fast local disks (`localDisk`); pools without "
            "them are not used. Needs `waivers.hostPath`."
        ),
    ] = False
    path: Annotated[InnerPath | None, doc("Mount only this folder of the volume.", "chat")] = None
    mount: Annotated[AbsolutePath, doc("Mount path.", "/caches")] = "/caches"
