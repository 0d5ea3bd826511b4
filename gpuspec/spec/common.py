"""The fields of every kind of workload, and the parts that several kinds share."""

from typing import Any, Literal

from gpuspec.spec.cluster_selection import Clusters
from gpuspec.spec.containers import (
    Capability,
    Container,
    Env,
    EnvFrom,
    PullPolicy,
    User,
    Waivers,
)
from gpuspec.spec.envelope import Gpu, Resources
from gpuspec.spec.forms import AbsolutePath, LabelledName, LabelName, NonEmpty, ObjectName
from gpuspec.spec.monitoring import OwnMetrics
from gpuspec.spec.placing import Placing
from gpuspec.spec.pod_metadata import PodAnnotations, PodLabels
from gpuspec.spec.types import Annotated, Duration, Model, doc
from gpuspec.spec.volumes import Caches, Volume

QueueName = Annotated[
    LabelledName | None,
    doc("Queue (a Kueue LocalQueue) that admits the workload. Default: none.", "research"),
]


class NearEachOther(Model, kw_only=True):
    """The topology level that keeps cooperating pods close together."""

    level: Annotated[
        LabelName,
        doc("A topology level of the profile: all pods run in one domain of this level.", "rack"),
    ]
    required: Annotated[
        bool,
        doc(
            "Wait until one domain has room for all pods. Default: use as few domains as have room."
        ),
    ] = False


Near = Annotated[
    NearEachOther | None,
    doc(
        "How close together the queue places the workers, or the pods of each replica. "
        "Default: anywhere.",
        {"level": "rack", "required": True},
    ),
]


class Override(Model, kw_only=True):
    """A strategic merge patch on one rendered object, applied after lay-out."""

    kind: Annotated[NonEmpty, doc("Kind of the object to patch.", "Deployment")]
    name: Annotated[
        ObjectName | None,
        doc("Name of the object, if the workload has several of that kind.", "chat"),
    ] = None
    patch: Annotated[
        dict[str, Any],
        doc(
            "The patch. Lists of containers, volumes, env and other named things merge by their "
            "key; `null` deletes; `$patch: replace` and `$patch: delete` work as in Kubernetes.",
            {"spec": {"template": {"spec": {"hostname": "chat"}}}},
        ),
    ]


class WorkloadSpec(Model):
    """The fields of every kind of workload."""

    image: Annotated[
        NonEmpty,
        doc(
            "Image of the main container. Pin it by digest: a tag can change under a running "
            "service.",
            "ghcr.io/example/train:1.4.0@sha256:" + "0" * 64,
        ),
    ]
    pull_policy: PullPolicy = None
    command: Annotated[
        tuple[str, ...],
        doc(
            "Replaces the image's entrypoint. Default: the image's own.", ["python", "-m", "train"]
        ),
    ] = ()
    args: Annotated[
        tuple[str, ...],
        doc(
            "Arguments of the command. For a model server they follow the derived ones and "
            "override them.",
            ["--epochs=3"],
        ),
    ] = ()
    working_dir: Annotated[
        AbsolutePath | None, doc("Working directory. Default: the image's.", "/app")
    ] = None
    gpu: Annotated[
        Gpu,
        doc("The GPUs of one pod. Default: one GPU of any model.", {"models": ["L4"], "count": 1}),
    ] = Gpu()
    resources: Annotated[
        Resources,
        doc("Host resources of the main container; unset ones are derived.", {"memory": "128Gi"}),
    ] = Resources()
    env: Annotated[
        Env,
        doc(
            "Environment by name: a value, or a reference to a Secret, ConfigMap or pod "
            "field. Overrides what gpuspec sets. Credentials only by reference.",
            {"LOG_LEVEL": "info", "HF_TOKEN": {"secret": "hf", "key": "token"}},
        ),
    ] = {}
    env_from: Annotated[
        tuple[EnvFrom, ...],
        doc("Whole Secrets and ConfigMaps as environment.", [{"secret": "s3-credentials"}]),
    ] = ()
    volumes: Annotated[
        tuple[Volume, ...],
        doc(
            "More volumes of the main container, besides /tmp, a home and those of other fields.",
            [{"mount": "/corpora", "pvc": "corpora", "readOnly": True}],
        ),
    ] = ()
    caches: Annotated[
        Caches | None,
        doc(
            "A volume for library caches (hub models, compiled kernels), so that the next "
            "pod reuses them. Default: each pod has its own in its home, on the node's "
            "disk.",
            {"pvc": "caches"},
        ),
    ] = None
    init_containers: Annotated[
        tuple[Container, ...], doc("Run one after another before the main container.")
    ] = ()
    sidecars: Annotated[
        tuple[Container, ...],
        doc("Run with the main container as native sidecars, so that Jobs still end."),
    ] = ()
    image_pull_secrets: Annotated[
        tuple[ObjectName, ...],
        doc("Names of registry Secrets, in addition to the profile's.", ["ghcr"]),
    ] = ()
    service_account: Annotated[
        ObjectName | None,
        doc(
            "An existing ServiceAccount to run as; its token is mounted only with "
            "`serviceAccountToken`. Default: a new one for a service, otherwise the "
            "namespace's default.",
            "trainer",
        ),
    ] = None
    service_account_token: Annotated[
        bool,
        doc(
            "Mount the token of `serviceAccount` into all pods, for a program that uses "
            "the API server. Everything that runs in the pods gets the account's "
            "permissions.",
            True,
        ),
    ] = False
    architecture: Annotated[
        Literal["amd64", "arm64"] | None,
        doc(
            "CPU architecture of the image. Default: amd64, or arm64 if all acceptable "
            "GPUs require it (Grace).",
            "arm64",
        ),
    ] = None
    user: Annotated[User, doc("User and groups of the processes.", {"uid": 1000, "gid": 1000})] = (
        User()
    )
    capabilities: Annotated[
        tuple[Capability, ...],
        doc(
            "Capabilities of the main container; all others are dropped. They need root, "
            "so give reasons in `waivers.root` and `waivers.capabilities`.",
            ["SYS_CHROOT", "SETUID", "SETGID"],
        ),
    ] = ()
    owner: Annotated[
        NonEmpty | None,
        doc("Team responsible for the workload; becomes the label gpuspec.dev/owner.", "search"),
    ] = None
    part_of: Annotated[
        NonEmpty | None,
        doc(
            "Application that the workload belongs to; becomes the label "
            "app.kubernetes.io/part-of.",
            "shop",
        ),
    ] = None
    metrics: Annotated[
        OwnMetrics | None,
        doc(
            "Prometheus metrics of the program. Default: those of its model server; for "
            "other programs none. Scraped if the profile has `monitoring`.",
            {"port": 9400},
        ),
    ] = None
    pod_labels: PodLabels = {}
    pod_annotations: PodAnnotations = {}
    priority: Annotated[
        NonEmpty | None,
        doc(
            "Priority, by its name in the profile (`priorities.names`), which maps to a "
            "PriorityClass. Default: the profile's for the kind.",
            "batch",
        ),
    ] = None
    capacity: Annotated[
        Literal["on-demand", "spot"],
        doc(
            "`spot`: interruptible nodes, with their taints and short notice. `on-demand`: "
            "never such nodes.",
            "spot",
        ),
    ] = "on-demand"
    clusters: Annotated[
        Clusters,
        doc(
            "Clusters that the workload is for, if several profiles are rendered. Default: all.",
            {"labels": {"env": "prod"}},
        ),
    ] = Clusters()
    place: Annotated[
        Placing,
        doc("Where the pods may run. Default: anywhere.", {"pools": ["h100"]}),
    ] = Placing()
    tenancy: Annotated[
        Literal["trusted", "untrusted"],
        doc(
            "Whether the code may share a GPU with other workloads. `untrusted`: only with "
            "hardware isolation, on a MIG slice or whole GPUs.",
            "untrusted",
        ),
    ] = "trusted"
    waivers: Annotated[
        Waivers,
        doc(
            "Exceptions from rules, each with a reason.",
            {"writableRoot": "image writes to /opt/app"},
        ),
    ] = Waivers()
    target: Annotated[
        LabelName | None,
        doc(
            "The API that runs the workload, such as `job` or `jobset`. Default: the "
            "profile's for such workloads, otherwise a Job, a CronJob or a Deployment.",
            "jobset",
        ),
    ] = None
    overrides: Annotated[
        tuple[Override, ...],
        doc(
            "Strategic merge patches on the rendered objects, for fields that the spec "
            "does not have.",
            [{"kind": "Deployment", "patch": {"spec": {"revisionHistoryLimit": 1}}}],
        ),
    ] = ()


class Time(Model):
    """The run time of a finite workload."""

    expected: Annotated[Duration | None, doc("Usual run time; for people and planning.", "12h")] = (
        None
    )
    max: Annotated[
        Duration | None,
        doc(
            "Maximum run time: the Job's deadline, which restarts with each restart of a "
            "JobSet. Default: unlimited.",
            "24h",
        ),
    ] = None
