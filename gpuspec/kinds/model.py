"""The record of a kind: the paths of its pods, and how it starts, queues, names and changes them.

In patterns, ``*`` stands for every key or index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gpuspec.kinds.owned import KUEUE, QUEUE, ControllerField, Rewriter

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.kinds.scale import Scale
    from gpuspec.manifests import Path

Life = Literal["service", "finite", "unknown"]
"""`service`: runs until it is stopped. `finite`: runs until it is done."""
Phase = Literal[
    "list",
    "namespace",
    "definition",
    "cluster",
    "account",
    "permission",
    "limit",
    "data",
    "policy",
    "service",
    "budget",
    "queue",
    "runtime",
    "workload",
    "scaling",
    "traffic",
    "monitoring",
    "admission",
]
"""The phase in which an object is applied. Objects that others need come first, after the install
order of Helm and kubectl's advice. `cluster`: cluster-wide, and others refer to it. `policy`,
`service` and `budget` must exist before the first pod. `runtime`: workloads of the same project
refer to it."""
Effect = Literal["restart", "new pods", "next run"]


class PodGroupKind(msgspec.Struct, frozen=True):
    """One kind of pod of an object, as the object counts it."""

    name: str = "pod"
    """`pod` if there is only one kind of pod; else `leader`, `worker`, `head`, `launcher`, or the
    name in the object (a JobSet's job, a Volcano task)."""
    count: int | None = 1
    """Pods of this kind in one group; None if it is not known, such as with an autoscaler."""
    groups: int | None = 1
    """Number of such groups: an LWS has several; each pod of a Deployment is a group."""
    gang: bool = False
    """Whether the pods of a group work together, so that one alone is of no use."""
    overlay: bool = False
    """Whether the template is merged into pods of another object; it then adds no pods to the
    count."""


class Queueing(msgspec.Struct, frozen=True):
    """How Kueue suspends objects of a kind."""

    suspend: Path = ("spec", "suspend")
    """The field that Kueue sets; empty if it sets the field of a created object. Kueue reads the
    queue of the object and ignores that of its pods, since it skips pods whose owner it manages."""
    off_as: str = ""
    """The name of the kind in Kueue's configuration, if Kueue manages it only when listed."""


class DerivedName(msgspec.Struct, frozen=True):
    """A name that a controller derives from an object's name."""

    what: str
    """The named thing, as the subject of a sentence."""
    name: str
    surely: bool = True
    """False if the name depends on a value that is not known yet."""
    part: Path = ()
    """The path of the field with a part of the name, if this part is longer than the object's
    name."""


class Naming(msgspec.Struct, frozen=True):
    """Limits on the names of a kind's objects, on top of those for every name."""

    form: Literal["subdomain", "label", "letter first", "letter first, of any length", "any"] = (
        "subdomain"
    )
    """`label`: no dots. `letter first`: a label that begins with a letter (RFC 1035)."""
    longest: int | None = None
    """The longest name, in characters; None if only derived names have a limit."""
    why: str = ""
    """The component with the limit, as the end of a sentence."""
    refused: str = "the API server rejects the object"
    """What becomes of another form, as the end of a sentence."""
    made: Callable[[dict[str, Any], str], list[DerivedName]] | None = None
    """Function that returns the names which a controller derives from the whole object and its
    name."""


class ImmutableFields(msgspec.Struct, frozen=True):
    """Fields that the API server does not let change: it rejects an apply that changes one."""

    fixed: tuple[str, ...]
    """Patterns of fields."""
    but: tuple[str, ...] = ()
    """Patterns of fields below those, which can change."""
    suspended: tuple[str, ...] = ()
    """Fields that can change while the object is suspended."""
    way: str = ""
    """What to do instead; empty for the usual way: delete the object first, or rename it."""


class Otherwise(msgspec.Struct, frozen=True):
    """Another behaviour of an object, by a field."""

    field: str
    """The field, with dots."""
    value: str
    effect: Effect
    text: str


class Rolls(msgspec.Struct, frozen=True):
    """How an object replaces its pods when their template changes."""

    effect: Effect
    text: str
    also: tuple[str, ...] = ()
    """Patterns of fields outside of its pods with the same effect."""
    but: tuple[str, ...] = ()
    """Patterns of fields inside its pods without this effect."""
    otherwise: tuple[Otherwise, ...] = ()


class RolloutFields(msgspec.Struct, frozen=True):
    """The fields of an object's rollout strategy."""

    strategy: str
    """The field, below the object's spec."""
    rolling: str
    """The field in `strategy` with `maxSurge` and `maxUnavailable`."""
    surge: str | int
    """The default of `maxSurge`."""
    unavailable: str | int
    replicas: str = "replicas"
    """The field, below its spec, of how many there are at least."""
    told: Callable[[dict[str, Any]], bool] | None = None
    """Function that returns whether an object is replaced this way; None: every object of the kind
    is."""


class Withheld(msgspec.Struct, frozen=True):
    """Fields that a server rejects unless its administrator allows them."""

    pod: frozenset[str] = frozenset()
    container: frozenset[str] = frozenset()


class PodChanges(msgspec.Struct, frozen=True):
    """What a controller changes in the pods of an object before it creates them: everything that
    could make up for a fault of the pod."""

    volumes: tuple[str, ...] = ()
    """Names of volumes that it adds."""
    volumes_at: tuple[str, ...] = ()
    """Patterns of mappings from which it makes further volumes: templates of claims."""
    fields: frozenset[str] = frozenset()
    """Fields of a pod's spec that it sets, whatever they are in the object."""
    others: bool = False
    """Whether it makes further changes."""


class Flat(msgspec.Struct, frozen=True):
    """A pod without a pod's layout: the image and resources of its one container lie directly in
    the spec."""

    path: str
    resources: str = "resources"
    """The field with the container's resources."""
    claims: str = "resourceClaims"
    """The field with the pod's device claims."""
    unless: str = ""
    """The pattern, below `path`, of a pod with a pod's layout that stands for this one."""


class Reference(msgspec.Struct, frozen=True):
    """A field that names another object."""

    holder: str
    """The pattern of the mapping with the field."""
    field: str
    """The field with the name; if it is a list, each item is a name."""
    group: str
    """The API group of the named object; empty for the core one."""
    kind: str
    keys: tuple[str, ...] = ()
    """The patterns, from the holder, of the parts that are read: keys of its data, its ports,
    listeners. `field=KEY`: the key that is read if the field is missing."""
    group_at: str = ""
    """The field of the holder with the group, or an apiVersion; empty if the group is fixed."""
    kind_at: str = ""
    """The field of the holder with the kind; empty if the kind is fixed."""
    namespace_at: str = ""
    """The field of the holder with the namespace; the object's own namespace if the field is
    empty."""
    optional: bool = False
    """Whether nothing fails without the named object, even without `optional: true`."""
    others: tuple[str, ...] = ()
    """Further kinds of the group that the name may refer to."""
    scheme: str = ""
    """The prefix of a URI; the name follows it, up to a `/`."""
    ending: str = ""
    """The suffix that a controller appends to the text to get the name."""

    @property
    def path(self) -> str:
        """The pattern of the field."""
        return f"{self.holder}.{self.field}" if self.holder else self.field


class Selects(msgspec.Struct, frozen=True):
    """A field that selects other objects of its namespace by their labels."""

    path: str
    """The pattern of the mapping with `matchLabels`, or of the labels themselves."""
    what: Literal["Pod", "Service"] = "Pod"
    ports: tuple[str, ...] = ()
    """The patterns of fields of the object that name a port of the selected object."""


class Kind(msgspec.Struct, frozen=True):
    """A kind of object."""

    group: str
    """The API group; empty for the core one."""
    name: str
    phase: Phase
    namespaced: bool = True
    templates: tuple[str, ...] = ()
    """Patterns of pods with metadata: the mappings with ``metadata`` and ``spec``."""
    specs: tuple[str, ...] = ()
    """Patterns of pod specs without metadata."""
    labelled: tuple[str, ...] = ()
    """The patterns of `specs` whose mappings hold the pod's labels and annotations."""
    argo: tuple[str, ...] = ()
    """Patterns of Argo templates, some of which are pods."""
    flat: tuple[Flat, ...] = ()
    objects: tuple[str, ...] = ()
    """Patterns of whole objects."""
    loose: tuple[str, ...] = ()
    """Fields of a pod with one container each, outside of ``containers``."""
    beside: Callable[[dict[str, Any], Path], dict[str, Any]] | None = None
    """Function that returns the fields of the container in `loose` that stand outside of the pod; it
    takes the arguments of `part`. The container's own fields come first."""
    changes: PodChanges | None = None
    """What its controller changes in pods before it creates them; None if it is not known."""
    substitutes: bool = False
    """Whether its controller replaces `$(NAME)` in any text of its pods."""
    lists: tuple[str, ...] = ()
    """Fields of a pod with lists of containers, besides those of Kubernetes."""
    elsewhere: Callable[[dict[str, Any], Path], dict[str, Path]] | None = None
    """Function that returns the fields of a pod which lie outside of it, each with its path from the
    object; it takes the arguments of `part`. They replace the fields inside."""
    copies: Callable[[dict[str, Any]], int | None] | None = None
    """Function that returns how many copies of each object in `objects` run at once; None if it is
    not known. Without it, one."""
    names_objects: bool = False
    """Whether its controller names objects in `objects` without a name, and puts those without a
    namespace into its own."""
    parameters: str = ""
    """The pattern of the parameters, each with a `name`, whose placeholders in `objects` are filled
    in: `${NAME}`, or with a prefix and a dot."""
    life: Life = "unknown"
    part: Callable[[dict[str, Any], Path], PodGroupKind] | None = None
    """Function that returns a pod's group from the whole object and the path of the pod's spec.
    None for one pod, or for a service with ``spec.replicas`` pods."""
    runs_once: bool = False
    """Whether an object is one run, and another name starts a new run."""
    template: bool = False
    """Whether the object itself starts no pods; other objects refer to it and get its pods.
    Renderers keep it whole."""
    shared: bool = False
    """Whether the object is a template that belongs to no other object in its file."""
    steps: bool = False
    """Whether its steps decide how many pods run at once."""
    completed: bool = False
    """Whether its pods also get scheduling fields or resources from another object."""
    complete_with_containers: bool = False
    """Whether `completed` does not apply to a pod with `containers`, which needs no runtime."""
    plainly: Callable[[dict[str, Any]], bool] | None = None
    """Function for a pod with `containers` that returns, by the whole object, whether the other
    object adds no scheduling fields, no resources and no groups."""
    main_container: str = ""
    """The container that the other object also has: the fields here are merged into it, and other
    containers run next to it."""
    tolerations_replace: bool = False
    """Whether tolerations of its pods replace those of the other object."""
    image_filled: bool = False
    """Whether its operator fills in images: from a runtime, a preset, a template's defaults."""
    own_devices: bool = False
    """Whether it requests devices in its own way: an instance type, a profile's name, `gpu: 1`."""
    withheld: Callable[[dict[str, Any]], Withheld] | None = None
    """Function that returns the pod fields that a server rejects for the object; None if all are
    accepted."""
    starts_server: bool = False
    """Whether its operator starts a model server from fields of its own;
    `gpuspec/charts/data/operators.yaml` has the server and its options."""
    as_written: bool = False
    """Whether pods run as written: no operator adds probes or ports."""
    scaled: str = ""
    """The field that the scale subresource sets, and autoscalers with it; empty if there is no
    scale subresource."""
    rewriter: Rewriter | None = None
    sets: tuple[ControllerField, ...] = ()
    """Fields that its own controllers set, and those that Kueue sets besides `suspend`."""
    queueing: Queueing | None = None
    naming: Naming = Naming()
    jobs: tuple[str, ...] = ()
    """Patterns of the specs of Kubernetes Jobs."""
    whole_run: bool = False
    """Whether an object has all pods of a run, as its launchers count them."""
    processes: Path = ()
    """The field with the number of processes that torchrun starts on a node."""
    mpi: bool = False
    """Whether a launcher starts the processes in all of its pods."""
    clusters: bool = False
    """Whether it creates RayClusters, whose pods KubeRay completes."""
    gangs_for: tuple[str, ...] = ()
    """Schedulers that use the gangs which its controller creates by default. The controller can be
    configured to set one of them in pods without a scheduler."""
    together: tuple[str, ...] = ()
    """Patterns of fields from which its controller creates the group that a gang scheduler starts
    at once; the first is the one to write. Kueue does not manage objects with these fields."""
    labels: Path = ("metadata", "labels")
    """The path of the labels that Kueue reads, of an object or of the objects that it creates."""
    scheduler: str = ""
    """The scheduler that its controller sets in pods without one, if `spec.schedulerName` is
    empty."""
    ttl: Path = ()
    """The field with the time after its end at which the object is deleted."""
    pod_label: str = ""
    """The label of its pods whose value is the object's name, if the label is not the owner's."""
    refers: tuple[Reference, ...] = ()
    """References of its objects, besides those of their pods."""
    selects: tuple[Selects, ...] = ()
    """Selectors of its objects, besides those of their own pods."""
    makes: tuple[Reference, ...] = ()
    """Objects that its controller creates, by the fields with their names."""
    made: tuple[str, ...] = ()
    """Paths of the pods that an autoscaler scales if it targets a created object instead of this
    one."""
    kept: ImmutableFields | None = None
    filled: tuple[tuple[str, object], ...] = ()
    """Patterns of fields with the value that the API server or a webhook fills in, besides those of
    every pod. Writing this value changes nothing."""
    rolls: Rolls | None = None
    """None if running pods stay unchanged."""
    rollout: RolloutFields | None = None
    own_pods: Callable[[dict[str, Any], Path], Scale | None] | None = None
    """Function that returns all pods of a part, if the object scales them itself; it takes the
    arguments of `part`."""
    own_groups: Callable[[dict[str, Any], Path], Scale | None] | None = None
    """Function that returns the groups of a part, if the object scales them itself."""

    @property
    def owned(self) -> tuple[ControllerField, ...]:
        """The fields that controllers set; manifests, syncs and diffs should leave them alone."""
        fields: tuple[ControllerField, ...] = (ControllerField(self.scaled),) if self.scaled else ()
        if self.queueing is not None and self.queueing.suspend:
            field = ".".join(map(str, self.queueing.suspend))
            fields += (ControllerField(field, KUEUE, (("metadata", "labels", QUEUE),)),)
        return (*fields, *self.sets)

    @property
    def holds_pods(self) -> bool:
        """Whether its objects may contain pods or further objects."""
        return bool(self.templates or self.specs or self.argo or self.flat or self.objects)
