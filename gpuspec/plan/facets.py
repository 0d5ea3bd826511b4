"""The parts of a plan: what templates lay out as objects. Fields are leaves or groups of leaves."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuspec.manifests import Path
from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, Node, Note

Nodes = tuple[Node, ...]
NodeMap = Mapping[str, Node]


@dataclass(frozen=True, slots=True)
class ContainerPlan:
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
    resources: NodeMap = field(default_factory=dict)
    restart_policy: Node = None
    startup_probe: Node = None
    readiness_probe: Node = None
    liveness_probe: Node = None
    lifecycle: Node = None
    mounts: Nodes = ()


@dataclass(frozen=True, slots=True)
class PodPlan:
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
    affinity: NodeMap = field(default_factory=dict)
    tolerations: Node = None
    spread: Node = None


@dataclass(frozen=True, slots=True)
class MetaPlan:
    """Names and metadata of the objects."""

    name: Node
    namespace: Node
    labels: NodeMap
    annotations: NodeMap
    selector: NodeMap


@dataclass(frozen=True, slots=True)
class JobPlan:
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


@dataclass(frozen=True, slots=True)
class CronPlan:
    """The schedule around a Job."""

    schedule: Node
    time_zone: Node
    concurrency_policy: Node
    starting_deadline: Node
    suspend: Node
    successful_history: Node
    failed_history: Node


@dataclass(frozen=True, slots=True)
class ServicePlan:
    """A Service; headless when `cluster_ip` is."""

    name: Node
    selector: NodeMap
    ports: Nodes
    cluster_ip: Node = None
    publish_not_ready: Node = None


@dataclass(frozen=True, slots=True)
class ServingPlan:
    """A Deployment's own fields."""

    replicas: Node
    strategy: Node
    progress_deadline: Node
    history: Node


@dataclass(frozen=True, slots=True)
class DisruptionPlan:
    """A PodDisruptionBudget."""

    max_unavailable: Node
    eviction_policy: Node


@dataclass(frozen=True, slots=True)
class AutoscalerPlan:
    """A HorizontalPodAutoscaler."""

    min: Node
    max: Node
    metrics: Node
    behavior: Node


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """A NetworkPolicy."""

    ingress: Node
    egress: Node
    types: Node


@dataclass(frozen=True, slots=True)
class PlaceholderPlan:
    """A Deployment of pods that keep room warm and give it up at once."""

    name: Node
    replicas: Node
    strategy: Node
    selector: NodeMap
    pod: PodPlan


@dataclass(frozen=True, slots=True)
class OverridePlan:
    """A strategic merge patch on one of the objects."""

    kind: str
    name: str | None
    patch: Mapping[str, object]
    path: Path
    """Where the override stands in the spec."""


@dataclass(frozen=True, slots=True)
class Plan:
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
