"""The parts of a pod beside GPUs and volumes: environment, helper containers, user."""

from typing import Literal

import msgspec

from gpuspec.spec.envelope import HelperResources
from gpuspec.spec.forms import DataKey, LabelName, Natural, NonEmpty, ObjectName, Port
from gpuspec.spec.types import Annotated, Model, doc
from gpuspec.spec.volumes import Mount


class EnvSource(Model):
    """A value taken from elsewhere: exactly one of `secret`, `configMap`, `field`."""

    secret: Annotated[
        ObjectName | None, doc("Name of the Secret that holds the value; needs `key`.", "hf")
    ] = None
    config_map: Annotated[
        ObjectName | None,
        doc("Name of the ConfigMap that holds the value; needs `key`.", "settings"),
    ] = None
    key: Annotated[DataKey | None, doc("Key within the Secret or ConfigMap.", "token")] = None
    field: Annotated[
        NonEmpty | None,
        doc("A field of the pod, by its downward API name.", "status.podIP", "metadata.name"),
    ] = None
    optional: Annotated[
        bool, doc("Start even if the Secret, the ConfigMap or the key is missing.")
    ] = False


Env = dict[str, str | int | bool | EnvSource]


class EnvFrom(Model):
    """All keys of a Secret or a ConfigMap as environment variables: exactly one of the two."""

    secret: Annotated[ObjectName | None, doc("Name of the Secret.", "s3-credentials")] = None
    config_map: Annotated[ObjectName | None, doc("Name of the ConfigMap.", "settings")] = None
    prefix: Annotated[NonEmpty | None, doc("Prefix of each key.", "S3_")] = None
    optional: Annotated[bool, doc("Start even if it is missing.")] = False


Command = Annotated[tuple[str, ...], doc("Replaces the image's entrypoint.", ["/bin/exporter"])]
Arguments = Annotated[tuple[str, ...], doc("Arguments of the entrypoint.", ["--port=9100"])]
Environment = Annotated[
    Env, doc("Environment by name: values or references.", {"LOG_LEVEL": "info"})
]
EnvironmentFrom = Annotated[
    tuple[EnvFrom, ...],
    doc("Whole Secrets and ConfigMaps as environment.", [{"configMap": "settings"}]),
]
Mounts = Annotated[
    tuple[Mount, ...],
    doc("Volumes of the pod that the container mounts.", [{"volume": "tmp", "path": "/tmp"}]),
]


PullPolicy = Annotated[
    Literal["if-not-present", "always", "never"] | None,
    doc(
        "When a node pulls the image: `always` for tags that move; `never` for images "
        "already on the nodes. Default: Kubernetes' own, always for `latest` or no "
        "tag, otherwise once.",
        "always",
    ),
]


class Container(Model):
    """An init or sidecar container. It gets the same restricted security context as the main one."""

    name: Annotated[
        LabelName, doc("Name of the container; `main` is reserved for the main one.", "exporter")
    ]
    image: Annotated[
        NonEmpty, doc("Image, preferably with its digest.", "ghcr.io/example/exporter:1.2.0")
    ]
    pull_policy: PullPolicy = None
    command: Command = ()
    args: Arguments = ()
    env: Environment = {}
    env_from: EnvironmentFrom = ()
    resources: Annotated[HelperResources, doc("CPU, memory and disk.")] = msgspec.field(
        default_factory=HelperResources
    )
    ports: Annotated[
        dict[str, Port],
        doc("Container ports by name: at most 15 characters of a-z, 0-9 and '-'.", {"probe": 9100}),
    ] = {}
    mounts: Mounts = ()


class User(Model):
    """The user of the processes. Unset fields come from the runtime, or else are 1000."""

    uid: Annotated[
        Natural | None, doc("User ID. 0 only with a reason in `waivers.root`.", 1000)
    ] = None
    main_uid: Annotated[
        Natural | None,
        doc(
            "User ID of the main container only; init containers and sidecars keep `uid`. "
            "0 only with a reason in `waivers.root`. Default: `uid`.",
            0,
        ),
    ] = None
    gid: Annotated[Natural | None, doc("Primary group ID.", 1000)] = None
    fs_group: Annotated[
        Natural | None, doc("Group that owns the pod's volumes; its processes are members.", 1000)
    ] = None


Capability = Literal[
    "AUDIT_CONTROL",
    "AUDIT_READ",
    "AUDIT_WRITE",
    "BLOCK_SUSPEND",
    "BPF",
    "CHECKPOINT_RESTORE",
    "CHOWN",
    "DAC_OVERRIDE",
    "DAC_READ_SEARCH",
    "FOWNER",
    "FSETID",
    "IPC_LOCK",
    "IPC_OWNER",
    "KILL",
    "LEASE",
    "LINUX_IMMUTABLE",
    "MAC_ADMIN",
    "MAC_OVERRIDE",
    "MKNOD",
    "NET_ADMIN",
    "NET_BIND_SERVICE",
    "NET_BROADCAST",
    "NET_RAW",
    "PERFMON",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYSLOG",
    "SYS_ADMIN",
    "SYS_BOOT",
    "SYS_CHROOT",
    "SYS_MODULE",
    "SYS_NICE",
    "SYS_PACCT",
    "SYS_PTRACE",
    "SYS_RAWIO",
    "SYS_RESOURCE",
    "SYS_TIME",
    "SYS_TTY_CONFIG",
    "WAKE_ALARM",
]
"""A Linux capability of capabilities(7), without the prefix `CAP_`, as Kubernetes writes it."""


class Waivers(Model):
    """Rules from which this workload is exempt, each with a reason that becomes an annotation."""

    root: Annotated[
        NonEmpty | None,
        doc(
            "Reason to run processes as root: all of them, or with another `user.uid` "
            "those that an override sets to root. The namespace must enforce less than "
            "`restricted`.",
            "licensed binary checks for uid 0",
        ),
    ] = None
    writable_root: Annotated[
        NonEmpty | None,
        doc("Reason for a writable root file system.", "image writes to /opt/app"),
    ] = None
    host_path: Annotated[
        NonEmpty | None,
        doc(
            "Reason to mount a folder of the node, including for the pool's fabric, or for "
            "an override with a volume type that `restricted` forbids.",
            "the profiler reads /sys/kernel/debug",
        ),
    ] = None
    capabilities: Annotated[
        NonEmpty | None,
        doc(
            "Reason to add capabilities by `capabilities`, an override or the pool's "
            "fabric, or for an override that keeps a container's default ones.",
            "the tracer needs SYS_PTRACE",
        ),
    ] = None
    host_network: Annotated[
        NonEmpty | None,
        doc(
            "Reason for an override, or the pool's fabric, to use the node's network or a "
            "port of the node.",
            "multicast does not reach pods",
        ),
    ] = None
    privileged: Annotated[
        NonEmpty | None,
        doc(
            "Reason for an override, or the pool's fabric, to make a container privileged "
            "or to weaken anything else that `restricted` requires: no privilege "
            "escalation, seccomp, separate processes.",
            "the driver's tests load kernel modules",
        ),
    ] = None
    time_slicing: Annotated[
        NonEmpty | None,
        doc(
            "Reason to time-share a GPU with other workloads although this one trains, "
            "needs strict latency, is untrusted, or sizes its memory by the GPU.",
            "short experiments, a stall hurts nobody",
        ),
    ] = None
