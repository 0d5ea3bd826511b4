"""What every workload has: metadata, the GPU envelope, host resources, containers, volumes."""

from typing import Annotated, Any, Literal

import msgspec

from gpuspec.manifests import Quantity
from gpuspec.spec.types import Duration, Model, doc, quantity

API_VERSION = "gpuspec.dev/v1alpha1"

Labels = dict[str, str]


class Metadata(Model):
    """Name, namespace and metadata of the workload, carried to the objects made from it."""

    name: Annotated[
        str,
        doc(
            "Name of the workload: a DNS label. Objects are named after it, some with a suffix, "
            "and must stay legal with it.",
            "chat",
        ),
    ]
    namespace: Annotated[
        str, doc("Namespace of every object made from this workload.", "serving")
    ] = "default"
    labels: Annotated[
        Labels, doc("Extra labels for the objects and their pods.", {"team": "search"})
    ] = {}
    annotations: Annotated[Labels, doc("Extra annotations for the objects (not their pods).")] = {}


class Gpu(Model):
    """What one pod needs of GPUs: the envelope. The profile decides which pool provides it."""

    models: Annotated[
        tuple[str, ...],
        doc(
            "Acceptable GPU models, best first. A name that people type is enough (`h100-80gb`, "
            "`NVIDIA-H100-80GB-HBM3`); an ambiguous one (`H100`) is narrowed by the profile's "
            "pools. Empty: any model that meets the rest.",
            ["H100-80GB", "A100-80GB"],
        ),
    ] = ()
    count: Annotated[int, doc("GPUs per pod, whole devices.", 8, minimum=1, maximum=128)] = 1
    memory: Annotated[
        Quantity | None,
        doc("Least memory per GPU that the workload needs, in bytes as a quantity.", "40Gi"),
    ] = None
    compute_capability: Annotated[
        str | None,
        doc("Least CUDA compute capability, `major.minor`.", "8.0", pattern=r"^[0-9]+\.[0-9]$"),
    ] = None
    interconnect: Annotated[
        Literal["any", "nvlink", "rdma"],
        doc(
            "`nvlink`: only GPUs joined by NVLink. `rdma`: only pools with an RDMA fabric, which "
            "the pods then request. `any`: whatever the pool has.",
        ),
    ] = "any"


class Resources(Model):
    """Host resources of the main container. Unset values come from the pool's share per GPU."""

    cpu: Annotated[
        Quantity | None, doc("CPU request of the main container, in cores.", 16, "500m")
    ] = None
    memory: Annotated[
        Quantity | None,
        doc("Memory of the main container; the limit equals the request.", "128Gi"),
    ] = None
    ephemeral_storage: Annotated[
        Quantity | None,
        doc("Local disk for logs, scratch and caches; limit equals request.", "100Gi"),
    ] = None
    cpu_limit: Annotated[
        Quantity | None,
        doc("CPU limit. None unless asked: throttled data loaders starve a GPU.", 32),
    ] = None
    shm: Annotated[
        Quantity | None,
        doc("Size of the memory-backed /dev/shm; counts inside the memory limit.", "16Gi"),
    ] = None


class HelperResources(Model):
    """Resources of an init or sidecar container. Requests equal limits for memory."""

    cpu: Annotated[Quantity, doc("CPU request, in cores.", "100m", default="100m")] = quantity(
        "100m"
    )
    memory: Annotated[Quantity, doc("Memory request and limit.", "128Mi", default="128Mi")] = (
        quantity("128Mi")
    )
    ephemeral_storage: Annotated[
        Quantity, doc("Local disk request and limit.", "1Gi", default="1Gi")
    ] = quantity("1Gi")


class EnvSource(Model):
    """A value taken from elsewhere: exactly one of `secret`, `configMap`, `field`."""

    secret: Annotated[str | None, doc("Name of the Secret that holds the value.", "hf")] = None
    config_map: Annotated[str | None, doc("Name of the ConfigMap that holds the value.")] = None
    key: Annotated[str | None, doc("Key within the Secret or ConfigMap.", "token")] = None
    field: Annotated[
        str | None, doc("A field of the pod, as the downward API names it.", "status.podIP")
    ] = None
    optional: Annotated[bool, doc("Start even if the Secret or ConfigMap is missing.")] = False


Env = dict[str, str | int | bool | EnvSource]


class EnvFrom(Model):
    """All keys of a Secret or a ConfigMap as environment variables: exactly one of the two."""

    secret: Annotated[str | None, doc("Name of the Secret.", "s3-credentials")] = None
    config_map: Annotated[str | None, doc("Name of the ConfigMap.", "settings")] = None
    prefix: Annotated[str | None, doc("Put before each key.", "S3_")] = None
    optional: Annotated[bool, doc("Start even if it is missing.")] = False


class Volume(Model):
    """Something mounted into the main container: exactly one source."""

    mount: Annotated[str, doc("Absolute path in the main container.", "/data", pattern="^/")]
    name: Annotated[
        str | None, doc("Name for other containers' mounts. Default: made from the path.", "data")
    ] = None
    pvc: Annotated[str | None, doc("Name of a PersistentVolumeClaim.", "dataset")] = None
    config_map: Annotated[str | None, doc("Name of a ConfigMap.")] = None
    secret: Annotated[str | None, doc("Name of a Secret.")] = None
    image: Annotated[
        str | None,
        doc("An OCI image or artifact mounted read-only (Kubernetes 1.36, or 1.33 with its gate)."),
    ] = None
    size: Annotated[
        Quantity | None, doc("An empty scratch volume of this size, on the node's disk.", "50Gi")
    ] = None
    read_only: Annotated[bool, doc("Mount read-only.")] = False
    sub_path: Annotated[str | None, doc("Mount only this folder of the volume.")] = None


class Mount(Model):
    """A mount of one of the pod's volumes in an init or sidecar container."""

    volume: Annotated[str, doc("Name of a volume declared under `volumes`.", "data")]
    path: Annotated[str, doc("Absolute path in this container.", "/data", pattern="^/")]
    read_only: Annotated[bool, doc("Mount read-only.")] = False


class Container(Model):
    """An init or sidecar container. It gets the same restricted security context as the main one."""

    name: Annotated[str, doc("Name of the container: a DNS label.", "exporter")]
    image: Annotated[str, doc("Image, best with its digest.")]
    command: Annotated[tuple[str, ...], doc("Replaces the image's entrypoint.")] = ()
    args: Annotated[tuple[str, ...], doc("Arguments of the entrypoint.")] = ()
    env: Annotated[Env, doc("Environment by name; values or references.")] = {}
    env_from: Annotated[tuple[EnvFrom, ...], doc("Whole Secrets and ConfigMaps.")] = ()
    resources: Annotated[HelperResources, doc("CPU, memory and disk.")] = msgspec.field(
        default_factory=HelperResources
    )
    ports: Annotated[dict[str, int], doc("Container ports by name.", {"metrics": 9100})] = {}
    mounts: Annotated[tuple[Mount, ...], doc("Volumes of the pod that it sees.")] = ()


class User(Model):
    """Who the processes run as. Defaults come from the runtime, else 1000:1000."""

    uid: Annotated[int | None, doc("User ID; never 0.", 1000, minimum=0)] = None
    gid: Annotated[int | None, doc("Primary group ID.", 1000, minimum=0)] = None
    fs_group: Annotated[int | None, doc("Group that owns the pod's volumes.", 1000, minimum=0)] = (
        None
    )


class Waivers(Model):
    """Rules this workload is let off, each with a written reason that becomes an annotation."""

    root: Annotated[
        str | None, doc("Why the processes must run as root.", "licensed binary checks for uid 0")
    ] = None
    writable_root: Annotated[
        str | None, doc("Why the root file system must be writable.", "image writes to /opt/app")
    ] = None


class Override(Model, kw_only=True):
    """A strategic merge patch on one rendered object, applied after lay-out."""

    kind: Annotated[str, doc("Kind of the object to change.", "Deployment")]
    name: Annotated[str | None, doc("Its name, when the workload makes several of that kind.")] = (
        None
    )
    patch: Annotated[
        dict[str, Any],
        doc(
            "The patch. Lists of containers, volumes, env and other named things merge by their "
            "key; `null` deletes; `$patch: replace` and `$patch: delete` work as in Kubernetes.",
            {"spec": {"template": {"spec": {"hostname": "chat"}}}},
        ),
    ]


class WorkloadSpec(Model):
    """What every kind of workload takes."""

    image: Annotated[
        str,
        doc(
            "Image of the main container. Pin it by digest: a tag can change under a running "
            "service.",
            "ghcr.io/example/train:1.4.0@sha256:" + "0" * 64,
        ),
    ]
    command: Annotated[
        tuple[str, ...], doc("Replaces the image's entrypoint.", ["python", "-m", "train"])
    ] = ()
    args: Annotated[tuple[str, ...], doc("Arguments of the entrypoint.", ["--epochs=3"])] = ()
    working_dir: Annotated[str | None, doc("Working directory.", "/app", pattern="^/")] = None
    gpu: Annotated[Gpu, doc("What one pod needs of GPUs.")] = Gpu()
    resources: Annotated[
        Resources, doc("Host resources of the main container; unset ones are derived.")
    ] = Resources()
    env: Annotated[
        Env,
        doc(
            "Environment by name: a value, or a reference to a Secret, ConfigMap or pod field.",
            {"LOG_LEVEL": "info", "HF_TOKEN": {"secret": "hf", "key": "token"}},
        ),
    ] = {}
    env_from: Annotated[tuple[EnvFrom, ...], doc("Whole Secrets and ConfigMaps.")] = ()
    volumes: Annotated[tuple[Volume, ...], doc("Volumes of the main container.")] = ()
    init_containers: Annotated[
        tuple[Container, ...], doc("Run one after another before the main container.")
    ] = ()
    sidecars: Annotated[
        tuple[Container, ...],
        doc("Run beside the main container, as native sidecars, so that Jobs still end."),
    ] = ()
    image_pull_secrets: Annotated[tuple[str, ...], doc("Names of registry Secrets.", ["ghcr"])] = ()
    service_account: Annotated[
        str | None,
        doc("An existing ServiceAccount to run as. Its token is not mounted."),
    ] = None
    architecture: Annotated[
        Literal["amd64", "arm64"] | None,
        doc(
            "CPU architecture of the image. Unset: amd64, or arm64 where every acceptable GPU is "
            "bound to it (Grace).",
        ),
    ] = None
    user: Annotated[User, doc("Who the processes run as.")] = User()
    owner: Annotated[
        str | None,
        doc("Team that answers for this workload; becomes a label.", "search", pattern="^.+$"),
    ] = None
    part_of: Annotated[str | None, doc("Application it belongs to; becomes a label.", "shop")] = (
        None
    )
    priority: Annotated[
        str | None,
        doc("Priority by the profile's name for it, which maps to a PriorityClass.", "batch"),
    ] = None
    capacity: Annotated[
        Literal["on-demand", "spot"],
        doc("`spot`: interruptible nodes, with their taints and short notice."),
    ] = "on-demand"
    waivers: Annotated[Waivers, doc("Rules this workload is let off, with reasons.")] = Waivers()
    overrides: Annotated[
        tuple[Override, ...], doc("Strategic merge patches on rendered objects.")
    ] = ()


class Artifact(Model):
    """Where files lie: exactly one of `pvc` and `image`."""

    pvc: Annotated[str | None, doc("Name of a PersistentVolumeClaim.", "datasets")] = None
    image: Annotated[
        str | None, doc("An OCI image or artifact, mounted read-only.", "ghcr.io/example/data:1")
    ] = None
    path: Annotated[str | None, doc("Folder within the volume.", "imagenet", pattern="^[^/]")] = (
        None
    )
    version: Annotated[
        str | None, doc("Version of the content, kept as provenance.", "2026-05")
    ] = None
    mount: Annotated[str | None, doc("Where it is mounted.", "/data", pattern="^/")] = None


class Output(Model):
    """Where results are written."""

    pvc: Annotated[str, doc("Name of a PersistentVolumeClaim.", "results")]
    path: Annotated[str | None, doc("Folder within the volume.", pattern="^[^/]")] = None
    mount: Annotated[str, doc("Where it is mounted.", "/output", pattern="^/")] = "/output"


class Time(Model):
    """How long a finite workload runs."""

    expected: Annotated[Duration | None, doc("How long it usually takes.", "12h")] = None
    max: Annotated[Duration | None, doc("When it is stopped: the Job's deadline.", "24h")] = None
