"""The parts of a plan: what templates lay out as objects. Fields are leaves or groups of leaves."""

from collections.abc import Mapping

import msgspec

from gpuspec.manifests import Path
from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, Node, Note
from gpuspec.spec.roles import Ends, Starts

Nodes = tuple[Node, ...]
NodeMap = Mapping[str, Node]


class ContainerPlan(msgspec.Struct, frozen=True):
    """One container of a pod."""

    name: Node
    image: Node
    security: Node
    pull_policy: Node = None
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
    scheduling_group: Node = None
    priority_class: Node = None
    runtime_class: Node = None
    grace: Node = None
    deadline: Node = None
    pull_secrets: Node = None
    node_selector: NodeMap = msgspec.field(default_factory=dict)
    affinity: NodeMap = msgspec.field(default_factory=dict)
    tolerations: Node = None
    resource_claims: Nodes = ()
    spread: Node = None
    host_network: Node = None
    dns_policy: Node = None


class MetaPlan(msgspec.Struct, frozen=True):
    """Names and metadata of the objects."""

    name: Node
    namespace: Node
    labels: NodeMap
    annotations: NodeMap
    """Of every object, but for the one that carries the pods."""
    carrier_annotations: NodeMap
    """Of that one: what it came from is among them."""
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
    ttl: Node = None
    annotations: NodeMap = msgspec.field(default_factory=dict)
    """The Job's own; of a CronJob those of its template."""


class ServicePlan(msgspec.Struct, frozen=True):
    """A Service; headless when `cluster_ip` is."""

    name: Node
    selector: NodeMap
    ports: Nodes
    cluster_ip: Node = None
    publish_not_ready: Node = None


class DisruptionPlan(msgspec.Struct, frozen=True):
    """A PodDisruptionBudget."""

    max_unavailable: Node
    eviction_policy: Node
    min_available: Node = None
    """Of pods whose number Kubernetes cannot ask for, in the place of the other."""


class AutoscalerPlan(msgspec.Struct, frozen=True):
    """A HorizontalPodAutoscaler."""

    of: Node
    """The object whose replicas it changes."""
    min: Node
    max: Node
    metrics: Node
    behavior: Node


class ScaledObjectPlan(msgspec.Struct, frozen=True):
    """A ScaledObject of KEDA."""

    of: Node
    """The object whose replicas it changes."""
    min: Node
    max: Node
    polling: Node
    cooldown: Node
    behavior: Node
    triggers: Nodes


class NetworkPlan(msgspec.Struct, frozen=True):
    """A NetworkPolicy."""

    ingress: Node
    egress: Node
    types: Node


class HostNamesPlan(msgspec.Struct, frozen=True):
    """A CiliumNetworkPolicy: hosts that may be reached by their names."""

    egress: Node


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


class LaunchPlan(msgspec.Struct, frozen=True):
    """How the processes of a gang are started: a command, and the environment they meet by."""

    command: Node
    args: Node
    env: tuple[Leaf, ...]
    notes: tuple[Note, ...]


class Role(msgspec.Struct, frozen=True):
    """Pods that are alike: one kind of pod of a workload."""

    pod: PodPlan
    count: Leaf
    """How many run together; of a service in each replica."""
    starts: Starts = "with"
    """When, by the first role."""
    ends: Ends = "by-itself"
    path: Path = ()
    """Where the spec asks for it; of the first role nowhere."""


Part = msgspec.Struct | Node
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

    case: Case
    target: Leaf
    name: Leaf
    """Of the object that carries the pods."""
    meta: MetaPlan
    roles: Mapping[str, Role]
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
    """The objects of a plan: whole, or as template, name of the part and part, which may be None."""
    made = (
        one if isinstance(one, ObjectPlan) else ObjectPlan(one[0], {one[1]: one[2]})
        for one in wanted
        if isinstance(one, ObjectPlan) or one[2] is not None
    )
    return tuple(made)
