"""Volumes of a pod beside those that hold a model or data, and who mounts them."""

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
        "A folder of the node, which must be there and let the pod's user in. It takes a reason in "
        "`waivers.hostPath`, and a namespace that enforces neither `restricted` nor `baseline`.",
        "/mnt/nvme/cache",
    ),
]


class Csi(Model, kw_only=True):
    """A volume that a CSI driver makes for the pod as it starts, without a claim."""

    driver: Annotated[DriverName, doc("Name of the driver.", "gcsfuse.csi.storage.gke.io")]
    attributes: Annotated[
        dict[str, str],
        doc("What the driver is told; its manual has the keys.", {"bucketName": "corpora"}),
    ] = {}
    secret: Annotated[
        ObjectName | None, doc("Name of the Secret with the driver's credentials.", "bucket")
    ] = None


class Volume(Model):
    """Something mounted into the main container: exactly one source."""

    mount: Annotated[AbsolutePath, doc("Where it is mounted in the main container.", "/corpora")]
    name: Annotated[
        LabelName | None,
        doc("Name for other containers' mounts. Unset: made from the path.", "corpora"),
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
            "StorageClass of the scratch volume: each pod gets one of its own, which is deleted with "
            "it, beside the node's disk. Needs `size`.",
            "fast-nvme",
        ),
    ] = None
    local_disk: Annotated[
        bool,
        doc(
            "On a fast disk of the node itself, by the pool's `localDisk`; pools without are left out. "
            "With `size` a scratch volume, where ephemeral storage lies there; without, the folder "
            "where it is mounted, which pods share and which needs `waivers.hostPath`."
        ),
    ] = False
    host_path: HostPath = None
    csi: Annotated[
        Csi | None,
        doc(
            "A volume that a CSI driver makes as the pod starts.",
            {"driver": "gcsfuse.csi.storage.gke.io", "attributes": {"bucketName": "corpora"}},
        ),
    ] = None
    read_only: Annotated[
        bool, doc("Mount it read-only. What comes from a Secret, ConfigMap or image always is.")
    ] = False
    mode: Annotated[
        FileMode | None,
        doc(
            "Mode of the files of a Secret or ConfigMap, in quotes. The pod's group may read them "
            "whatever it is, unless all processes are root. Unset: 0644.",
            "0400",
        ),
    ] = None
    sub_path: Annotated[
        InnerPath | None, doc("Mount only this folder of the volume.", "english")
    ] = None


class Mount(Model):
    """A mount of one of the pod's volumes in a container beside the main one."""

    volume: Annotated[
        NonEmpty,
        doc(
            "Name of a volume of the pod: one declared under `volumes`, or one that a field makes "
            "(`model`, `model-cache`, `caches`, `dataset`, `checkpoints`, `input`, `output`, `tmp`, "
            "`home`).",
            "corpora",
        ),
    ]
    path: Annotated[AbsolutePath, doc("Where it is mounted in this container.", "/corpora")]
    read_only: Annotated[bool, doc("Mount it read-only.")] = False


class Caches(Model):
    """Where libraries keep what they download and compile: one of `pvc`, `hostPath`, `localDisk`."""

    pvc: Annotated[
        ObjectName | None,
        doc("Name of an existing PersistentVolumeClaim. Pods share what is in it.", "caches"),
    ] = None
    host_path: HostPath = None
    local_disk: Annotated[
        bool,
        doc(
            "In the folder where the pool has its nodes' fast disks (`localDisk`); pools without are "
            "left out. Needs `waivers.hostPath`."
        ),
    ] = False
    path: Annotated[InnerPath | None, doc("Mount only this folder of the volume.", "chat")] = None
    mount: Annotated[AbsolutePath, doc("Where it is mounted.", "/caches")] = "/caches"
