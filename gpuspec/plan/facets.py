"""The parts of a plan, from which templates make objects. Fields are decisions or groups of
decisions."""

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
    """Annotations of every object except the one with the pods."""
    workload_annotations: NodeMap
    """Annotations of the object with the pods, including its origin."""
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
    """The Job's own annotations; for a CronJob those of its template."""


class ServicePlan(msgspec.Struct, frozen=True):
    """A Service; headless if `cluster_ip` is set so."""

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
    """For pods whose total number Kubernetes cannot look up; replaces `max_unavailable`."""


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
    """A CiliumNetworkPolicy with the host names that pods may reach."""

    egress: PlanPart


class PlaceholderPlan(msgspec.Struct, frozen=True):
    """A Deployment of pods that reserve capacity and are preempted at once."""

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
    """The path of the override in the spec."""


class LaunchPlan(msgspec.Struct, frozen=True):
    """How the processes of a gang start: a command, and the environment for their rendezvous."""

    command: PlanPart
    args: PlanPart
    env: tuple[Decision, ...]
    notes: tuple[Note, ...]


class PodRole(msgspec.Struct, frozen=True):
    """Equal pods: one kind of pod of a workload."""

    pod: PodPlan
    count: Decision
    """Number of pods that run together; for a service in each replica."""
    starts: Starts = "with"
    """When the pods start, relative to the first role."""
    ends: Ends = "by-itself"
    path: Path = ()
    """The path of the role in the spec; empty for the first role."""


Part = msgspec.Struct | PlanPart
"""A part of the plan that templates refer to by name: `job`, `service`."""
PARTS = (
    *("account", "job", "cron", "service", "serving", "disruption", "autoscaler", "network"),
    *("placeholder", "host_names", "scaled_object"),
)
"""Parts that any template may refer to; for an object without one, it is None."""


class ObjectPlan(msgspec.Struct, frozen=True):
    """A planned object: its template, and the parts of the plan that only it has."""

    template: str
    """The template's name, without the extension."""
    parts: Mapping[str, Part]
    around: "ObjectPlan | None" = None
    """An object that wraps this one, as the only component of its spec."""
    beside: bool = False
    """Whether the object is the platform's addition: an override without a name does not apply to
    it."""


class TrafficPlan(msgspec.Struct, frozen=True):
    """The objects that route clients to a server, by their position among the other objects."""

    picker: Mapping[str, str] | None = None
    """Labels of the pods of the endpoint picker; None if it is not rendered."""
    identity: tuple[ObjectPlan, ...] = ()
    """Objects that the picker needs at its start."""
    closed: tuple[ObjectPlan, ...] = ()
    """The picker's network policy."""
    asked: tuple[ObjectPlan, ...] = ()
    """The picker's Service."""
    leading: tuple[ObjectPlan, ...] = ()
    """The picker, and the routes to the server, after which clients can connect."""
    notes: tuple[Note, ...] = ()


class Plan(msgspec.Struct, frozen=True):
    """All decisions for one workload on one cluster."""

    resolution: Resolution
    target: Decision
    name: Decision
    """The name of the object with the pods."""
    meta: MetaPlan
    roles: Mapping[str, PodRole]
    """Roles by name; the first is the one that others connect to, or that metrics are read from."""
    objects: tuple[ObjectPlan, ...]
    """Objects in apply order, which is the order of the output: objects that others refer to come
    first."""
    notes: tuple[Note, ...]
    overrides: tuple[OverridePlan, ...] = ()
    beside: tuple["Plan", ...] = ()
    """Plans of further pods of the same workload, which have objects of their own."""

    @property
    def pod(self) -> PodPlan:
        """The pod of the first role."""
        return next(iter(self.roles.values())).pod


def objects(*object_parts: tuple[str, str, Part] | ObjectPlan) -> tuple[ObjectPlan, ...]:
    """Return the objects of a plan, each whole, or as template, name of the part, and part, which
    may be None."""
    object_plans = (
        object_part
        if isinstance(object_part, ObjectPlan)
        else ObjectPlan(object_part[0], {object_part[1]: object_part[2]})
        for object_part in object_parts
        if isinstance(object_part, ObjectPlan) or object_part[2] is not None
    )
    return tuple(object_plans)
