"""The parts of a plan: what templates lay out as objects. Fields are leaves or groups of leaves."""

from collections.abc import Mapping

import msgspec

from gpuspec.manifests import Path
from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, Node, Note

Nodes = tuple[Node, ...]
NodeMap = Mapping[str, Node]


class ContainerPlan(msgspec.Struct, frozen=True):
    """One container of a pod."""

    name: Node
    image: Node
    security: Node
    command: Node = None
    args: Node = None
    working_dir: Node = None
    env: Nodes = ()
    env_from: Nodes = ()
    ports: Nodes = ()
    resources: NodeMap = msgspec.field(default_factory=dict)
    restart_policy: Node = None
    startup_probe: Node = None
    readiness_probe: Node = None
    liveness_probe: Node = None
    lifecycle: Node = None
    mounts: Nodes = ()


class PodPlan(msgspec.Struct, frozen=True):
    """A pod template, shared by every target."""

    labels: NodeMap
    annotations: NodeMap
    restart_policy: Node
    service_account: Node
    automount_token: Node
    service_links: Node
    security: Node
    containers: tuple[ContainerPlan, ...]
    init_containers: tuple[ContainerPlan, ...] = ()
    volumes: Nodes = ()
    subdomain: Node = None
    scheduler: Node = None
    priority_class: Node = None
    runtime_class: Node = None
    grace: Node = None
    pull_secrets: Node = None
    affinity: NodeMap = msgspec.field(default_factory=dict)
    tolerations: Node = None
    spread: Node = None


class MetaPlan(msgspec.Struct, frozen=True):
    """Names and metadata of the objects."""

    name: Node
    namespace: Node
    labels: NodeMap
    annotations: NodeMap
    selector: NodeMap


class JobPlan(msgspec.Struct, frozen=True):
    """A Job, or the template of a CronJob."""

    name: Node
    labels: NodeMap
    completion_mode: Node = None
    completions: Node = None
    parallelism: Node = None
    backoff_limit: Node = None
    backoff_limit_per_index: Node = None
    max_failed_indexes: Node = None
    deadline: Node = None
    pod_replacement_policy: Node = None
    pod_failure_policy: Node = None
    annotations: NodeMap = msgspec.field(default_factory=dict)
    """The Job's own; of a CronJob those of its template."""


class CronPlan(msgspec.Struct, frozen=True):
    """The schedule around a Job."""

    schedule: Node
    time_zone: Node
    concurrency_policy: Node
    starting_deadline: Node
    suspend: Node
    successful_history: Node
    failed_history: Node


class ServicePlan(msgspec.Struct, frozen=True):
    """A Service; headless when `cluster_ip` is."""

    name: Node
    selector: NodeMap
    ports: Nodes
    cluster_ip: Node = None
    publish_not_ready: Node = None


class ServingPlan(msgspec.Struct, frozen=True):
    """A Deployment's own fields."""

    replicas: Node
    strategy: Node
    progress_deadline: Node
    history: Node


class DisruptionPlan(msgspec.Struct, frozen=True):
    """A PodDisruptionBudget."""

    max_unavailable: Node
    eviction_policy: Node


class AutoscalerPlan(msgspec.Struct, frozen=True):
    """A HorizontalPodAutoscaler."""

    min: Node
    max: Node
    metrics: Node
    behavior: Node


class NetworkPlan(msgspec.Struct, frozen=True):
    """A NetworkPolicy."""

    ingress: Node
    egress: Node
    types: Node


class PlaceholderPlan(msgspec.Struct, frozen=True):
    """A Deployment of pods that keep room warm and give it up at once."""

    name: Node
    replicas: Node
    strategy: Node
    selector: NodeMap
    pod: PodPlan


class OverridePlan(msgspec.Struct, frozen=True):
    """A strategic merge patch on one of the objects."""

    kind: str
    name: str | None
    patch: Mapping[str, object]
    path: Path
    """Where the override stands in the spec."""


class Plan(msgspec.Struct, frozen=True):
    """All decisions for one workload on one cluster. What is None is not rendered."""

    case: Case
    target: Leaf
    meta: MetaPlan
    pod: PodPlan
    notes: tuple[Note, ...]
    overrides: tuple[OverridePlan, ...] = ()
    account: Node = None
    job: JobPlan | None = None
    cron: CronPlan | None = None
    service: ServicePlan | None = None
    serving: ServingPlan | None = None
    disruption: DisruptionPlan | None = None
    autoscaler: AutoscalerPlan | None = None
    network: NetworkPlan | None = None
    placeholder: PlaceholderPlan | None = None
