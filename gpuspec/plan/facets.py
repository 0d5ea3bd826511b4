"""The parts of a plan: what templates lay out as objects. Fields are leaves or groups of decisions."""

from collections.abc import Mapping

import msgspec

from gpuspec.manifests import Path
from gpuspec.plan.decision import Decision, Note, PlanPart
from gpuspec.plan.resolution import Resolution
from gpuspec.spec.roles import Ends, Starts

Nodes = tuple[PlanPart, ...]
NodeMap = Mapping[str, PlanPart]


class ContainerPlan(msgspec.Struct, frozen=True):
    """One container of a pod."""

    name: PlanPart
    image: PlanPart
    security: PlanPart
    pull_policy: PlanPart = None
    command: PlanPart = None
    args: PlanPart = None
    working_dir: PlanPart = None
    env: Nodes = ()
    env_from: Nodes = ()
    ports: Nodes = ()
    resources: NodeMap = msgspec.field(default_factory=dict)
    restart_policy: PlanPart = None
    startup_probe: PlanPart = None
    readiness_probe: PlanPart = None
    liveness_probe: PlanPart = None
    lifecycle: PlanPart = None
    mounts: Nodes = ()


class PodPlan(msgspec.Struct, frozen=True):
    """A pod template, shared by every target."""

    labels: NodeMap
    annotations: NodeMap
    restart_policy: PlanPart
    service_account: PlanPart
    automount_token: PlanPart
    service_links: PlanPart
    security: PlanPart
    containers: tuple[ContainerPlan, ...]
    init_containers: tuple[ContainerPlan, ...] = ()
    volumes: Nodes = ()
    subdomain: PlanPart = None
    scheduler: PlanPart = None
    scheduling_group: PlanPart = None
    priority_class: PlanPart = None
    runtime_class: PlanPart = None
    grace: PlanPart = None
    deadline: PlanPart = None
    pull_secrets: PlanPart = None
    node_selector: NodeMap = msgspec.field(default_factory=dict)
    affinity: NodeMap = msgspec.field(default_factory=dict)
    tolerations: PlanPart = None
    resource_claims: Nodes = ()
    spread: PlanPart = None
    host_network: PlanPart = None
    dns_policy: PlanPart = None


class MetaPlan(msgspec.Struct, frozen=True):
    """Names and metadata of the objects."""

    name: PlanPart
    namespace: PlanPart
    labels: NodeMap
    annotations: NodeMap
    """Of every object, but for the one that carries the pods."""
    workload_annotations: NodeMap
    """Of that one: what it came from is among them."""
    selector: NodeMap


class JobPlan(msgspec.Struct, frozen=True):
    """A Job, or the template of a CronJob."""

    name: PlanPart
    labels: NodeMap
    completion_mode: PlanPart = None
    completions: PlanPart = None
    parallelism: PlanPart = None
    backoff_limit: PlanPart = None
    backoff_limit_per_index: PlanPart = None
    max_failed_indexes: PlanPart = None
    deadline: PlanPart = None
    pod_replacement_policy: PlanPart = None
    pod_failure_policy: PlanPart = None
    ttl: PlanPart = None
    annotations: NodeMap = msgspec.field(default_factory=dict)
    """The Job's own; of a CronJob those of its template."""


class ServicePlan(msgspec.Struct, frozen=True):
    """A Service; headless when `cluster_ip` is."""

    name: PlanPart
    selector: NodeMap
    ports: Nodes
    cluster_ip: PlanPart = None
    publish_not_ready: PlanPart = None


class DisruptionPlan(msgspec.Struct, frozen=True):
    """A PodDisruptionBudget."""

    max_unavailable: PlanPart
    eviction_policy: PlanPart
    min_available: PlanPart = None
    """Of pods whose number Kubernetes cannot ask for, in the place of the other."""


class AutoscalerPlan(msgspec.Struct, frozen=True):
    """A HorizontalPodAutoscaler."""

    of: PlanPart
    """The object whose replicas it changes."""
    min: PlanPart
    max: PlanPart
    metrics: PlanPart
    behavior: PlanPart


class ScaledObjectPlan(msgspec.Struct, frozen=True):
    """A ScaledObject of KEDA."""

    of: PlanPart
    """The object whose replicas it changes."""
    min: PlanPart
    max: PlanPart
    polling: PlanPart
    cooldown: PlanPart
    behavior: PlanPart
    triggers: Nodes


class NetworkPlan(msgspec.Struct, frozen=True):
    """A NetworkPolicy."""

    ingress: PlanPart
    egress: PlanPart
    types: PlanPart


class HostNamesPlan(msgspec.Struct, frozen=True):
    """A CiliumNetworkPolicy: hosts that may be reached by their names."""

    egress: PlanPart


class PlaceholderPlan(msgspec.Struct, frozen=True):
    """A Deployment of pods that keep room warm and give it up at once."""

    name: PlanPart
    replicas: PlanPart
    strategy: PlanPart
    selector: NodeMap
    pod: PodPlan


class OverridePlan(msgspec.Struct, frozen=True):
    """A strategic merge patch on one of the objects."""

    kind: str
    name: str | None
    patch: Mapping[str, object]
    path: Path
    """Where the override stands in the spec."""


class LaunchPlan(msgspec.Struct, frozen=True):
    """How the processes of a gang are started: a command, and the environment they meet by."""

    command: PlanPart
    args: PlanPart
    env: tuple[Decision, ...]
    notes: tuple[Note, ...]


class PodRole(msgspec.Struct, frozen=True):
    """Pods that are alike: one kind of pod of a workload."""

    pod: PodPlan
    count: Decision
    """How many run together; of a service in each replica."""
    starts: Starts = "with"
    """When, by the first role."""
    ends: Ends = "by-itself"
    path: Path = ()
    """Where the spec asks for it; of the first role nowhere."""


Part = msgspec.Struct | PlanPart
"""A part of the plan that templates know by a name: `job`, `service`."""
PARTS = (
    *("account", "job", "cron", "service", "serving", "disruption", "autoscaler", "network"),
    *("placeholder", "host_names", "scaled_object"),
)
"""Parts that any template may ask for: where no object has one, there is none."""


class ObjectPlan(msgspec.Struct, frozen=True):
    """One object to be: the template that lays it out, and the parts of the plan that are its own."""

    template: str
    """Its name, without the ending."""
    parts: Mapping[str, Part]
    around: "ObjectPlan | None" = None
    """An object that holds it, as the only component of its spec."""
    beside: bool = False
    """The platform has it stand beside the workload: an override without a name is not meant for it."""


class TrafficPlan(msgspec.Struct, frozen=True):
    """What leads clients to a server by a route: its own objects, by the place that they have among others."""

    picker: Mapping[str, str] | None = None
    """Labels of the pods that pick among its replicas by their metrics; None where none stand beside it."""
    identity: tuple[ObjectPlan, ...] = ()
    """What the picker starts with."""
    closed: tuple[ObjectPlan, ...] = ()
    """Its network policy."""
    asked: tuple[ObjectPlan, ...] = ()
    """Its Service."""
    leading: tuple[ObjectPlan, ...] = ()
    """The picker, and what leads to the server: once it is there, clients may come."""
    notes: tuple[Note, ...] = ()


class Plan(msgspec.Struct, frozen=True):
    """All decisions for one workload on one cluster."""

    resolution: Resolution
    target: Decision
    name: Decision
    """Of the object that carries the pods."""
    meta: MetaPlan
    roles: Mapping[str, PodRole]
    """By name; the first is the one that others find, or are measured by."""
    objects: tuple[ObjectPlan, ...]
    """In apply order, which is the order of the output: what others refer to comes first."""
    notes: tuple[Note, ...]
    overrides: tuple[OverridePlan, ...] = ()
    beside: tuple["Plan", ...] = ()
    """Of pods of the same workload that are no part of these: each has objects of its own."""

    @property
    def pod(self) -> PodPlan:
        """The pod of the first role."""
        return next(iter(self.roles.values())).pod


def objects(*wanted: tuple[str, str, Part] | ObjectPlan) -> tuple[ObjectPlan, ...]:
    """Return the objects of a plan: whole, or as template, name of the part and part, which may be
    None."""
    object_plans = (
        one if isinstance(one, ObjectPlan) else ObjectPlan(one[0], {one[1]: one[2]})
        for one in wanted
        if isinstance(one, ObjectPlan) or one[2] is not None
    )
    return tuple(object_plans)
