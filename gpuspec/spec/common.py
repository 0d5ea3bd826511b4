"""What every kind of workload takes, and the parts that several kinds share."""

from typing import Any, Literal

from gpuspec.spec.belonging import Clusters
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
    doc("Queue (a LocalQueue of Kueue) that admits the workload. Unset: none.", "research"),
]


class NearEachOther(Model, kw_only=True):
    """How close together pods are placed that work together."""

    level: Annotated[
        LabelName,
        doc("One of the profile's topology levels: all of them in one such place.", "rack"),
    ]
    required: Annotated[
        bool,
        doc("Wait until one place has room for all. Unset: as few places as there is room in."),
    ] = False


Near = Annotated[
    NearEachOther | None,
    doc(
        "How close together the queue places the workers, or the pods of each replica: it knows "
        "where there is room for all. Unset: anywhere.",
        {"level": "rack", "required": True},
    ),
]


class Override(Model, kw_only=True):
    """A strategic merge patch on one rendered object, applied after lay-out."""

    kind: Annotated[NonEmpty, doc("Kind of the object to change.", "Deployment")]
    name: Annotated[
        ObjectName | None, doc("Its name, when the workload makes several of that kind.", "chat")
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
    """What every kind of workload takes."""

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
        doc("Replaces the image's entrypoint. Unset: the image's own.", ["python", "-m", "train"]),
    ] = ()
    args: Annotated[
        tuple[str, ...],
        doc(
            "Arguments of the command. For a model server they stand behind those that the spec "
            "decides, and win over them.",
            ["--epochs=3"],
        ),
    ] = ()
    working_dir: Annotated[
        AbsolutePath | None, doc("Working directory. Unset: the image's.", "/app")
    ] = None
    gpu: Annotated[
        Gpu,
        doc("What one pod needs of GPUs. Unset: one of any model.", {"models": ["L4"], "count": 1}),
    ] = Gpu()
    resources: Annotated[
        Resources,
        doc("Host resources of the main container; unset ones are derived.", {"memory": "128Gi"}),
    ] = Resources()
    env: Annotated[
        Env,
        doc(
            "Environment by name: a value, or a reference to a Secret, ConfigMap or pod field. It "
            "wins over what gpuspec sets. Credentials by reference only.",
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
            "Further volumes of the main container, beside /tmp, a home and those that other "
            "fields mount.",
            [{"mount": "/corpora", "pvc": "corpora", "readOnly": True}],
        ),
    ] = ()
    caches: Annotated[
        Caches | None,
        doc(
            "A volume for the caches of libraries (models of a hub, compiled kernels), so that the "
            "next pod finds them. Unset: each pod has its own in its home, on the node's disk.",
            {"pvc": "caches"},
        ),
    ] = None
    init_containers: Annotated[
        tuple[Container, ...], doc("Run one after another before the main container.")
    ] = ()
    sidecars: Annotated[
        tuple[Container, ...],
        doc("Run beside the main container, as native sidecars, so that Jobs still end."),
    ] = ()
    image_pull_secrets: Annotated[
        tuple[ObjectName, ...],
        doc("Names of registry Secrets, beside those of the profile.", ["ghcr"]),
    ] = ()
    service_account: Annotated[
        ObjectName | None,
        doc(
            "An existing ServiceAccount to run as; its token is not mounted unless "
            "`serviceAccountToken` says so. Unset: one made for a service, the namespace's default "
            "for the rest.",
            "trainer",
        ),
    ] = None
    service_account_token: Annotated[
        bool,
        doc(
            "Mount the token of `serviceAccount` into all pods, for a program that asks the API server. "
            "Whatever runs in them may do there what the account may.",
            True,
        ),
    ] = False
    architecture: Annotated[
        Literal["amd64", "arm64"] | None,
        doc(
            "CPU architecture of the image. Unset: amd64, or arm64 where every acceptable GPU is "
            "bound to it (Grace).",
            "arm64",
        ),
    ] = None
    user: Annotated[User, doc("Who the processes run as.", {"uid": 1000, "gid": 1000})] = User()
    capabilities: Annotated[
        tuple[Capability, ...],
        doc(
            "Capabilities of the main container; all others are taken away. Only root has any, so "
            "they take reasons in `waivers.root` and `waivers.capabilities`.",
            ["SYS_CHROOT", "SETUID", "SETGID"],
        ),
    ] = ()
    owner: Annotated[
        NonEmpty | None,
        doc("Team that answers for this workload; becomes the label gpuspec.dev/owner.", "search"),
    ] = None
    part_of: Annotated[
        NonEmpty | None,
        doc("Application it belongs to; becomes the label app.kubernetes.io/part-of.", "shop"),
    ] = None
    metrics: Annotated[
        OwnMetrics | None,
        doc(
            "Where its program has metrics for Prometheus. Unset: where its model server has them; of any "
            "other program, nowhere. Scraped where the profile has `monitoring`.",
            {"port": 9400},
        ),
    ] = None
    pod_labels: PodLabels = {}
    pod_annotations: PodAnnotations = {}
    priority: Annotated[
        NonEmpty | None,
        doc(
            "Priority by the profile's name for it (`priorities.names`), which maps to a "
            "PriorityClass. Unset: the profile's default for the kind.",
            "batch",
        ),
    ] = None
    capacity: Annotated[
        Literal["on-demand", "spot"],
        doc(
            "`spot`: interruptible nodes, with their taints and their short notice. `on-demand`: "
            "never those.",
            "spot",
        ),
    ] = "on-demand"
    clusters: Annotated[
        Clusters,
        doc(
            "Which clusters it is for, where several profiles are rendered for. Unset: all of them.",
            {"labels": {"env": "prod"}},
        ),
    ] = Clusters()
    place: Annotated[
        Placing,
        doc("Where its pods go, where that matters. Unset: anywhere.", {"pools": ["h100"]}),
    ] = Placing()
    tenancy: Annotated[
        Literal["trusted", "untrusted"],
        doc(
            "Whether its code may share a GPU with other workloads. `untrusted`: only where "
            "hardware keeps them apart, on a MIG slice or whole GPUs.",
            "untrusted",
        ),
    ] = "trusted"
    waivers: Annotated[
        Waivers,
        doc(
            "Rules this workload is let off, with reasons.",
            {"writableRoot": "image writes to /opt/app"},
        ),
    ] = Waivers()
    target: Annotated[
        LabelName | None,
        doc(
            "The API that carries it, such as `job` or `jobset`. Unset: the profile's for such "
            "workloads, else a Job, a CronJob or a Deployment.",
            "jobset",
        ),
    ] = None
    overrides: Annotated[
        tuple[Override, ...],
        doc(
            "Strategic merge patches on rendered objects, for what has no field here.",
            [{"kind": "Deployment", "patch": {"spec": {"revisionHistoryLimit": 1}}}],
        ),
    ] = ()


class Time(Model):
    """How long a finite workload runs."""

    expected: Annotated[
        Duration | None, doc("How long it usually takes; for people and planning.", "12h")
    ] = None
    max: Annotated[
        Duration | None,
        doc(
            "When it is stopped: the Job's deadline, which begins anew with each restart of a JobSet. Unset: never.",
            "24h",
        ),
    ] = None
