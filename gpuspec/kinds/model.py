"""What is known of a kind of object: where its pods are, what starts, queues, names and changes it.

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
"""`service`: runs until it is stopped. `finite`: until it is done."""
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
"""When an object is applied, in this order: what others need comes first (after Helm's install order
and kubectl's advice). `cluster`: cluster-wide and named by others. `policy`, `service` and `budget`
hold for the first pod. `runtime`: what workloads of their own kind refer to."""
Effect = Literal["restart", "new pods", "next run"]


class PodGroupKind(msgspec.Struct, frozen=True):
    """One kind of pod of an object, as the object counts it."""

    name: str = "pod"
    """`pod` where there is only one kind of pod; else `leader`, `worker`, `head`, `launcher`, or the
    name that the object gives it (a JobSet's job, a Volcano task)."""
    count: int | None = 1
    """Pods of this kind in one group; None where nothing tells (an autoscaler owns it)."""
    groups: int | None = 1
    """Groups like this: an LWS has several, a Deployment's pods are a group each."""
    gang: bool = False
    """The group's pods work together: one alone is of no use."""
    overlay: bool = False
    """It is laid over pods that another object has, and is none of its own: nothing counts it."""


class Queueing(msgspec.Struct, frozen=True):
    """How Kueue holds objects of a kind back."""

    suspend: Path = ("spec", "suspend")
    """The field that it sets; empty where it sets that of what the object makes. The object's own queue
    counts; that of its pods does not, since pods of an owner that Kueue manages are left alone."""
    off_as: str = ""
    """What its configuration calls the kind, where it manages it only when listed."""


class DerivedName(msgspec.Struct, frozen=True):
    """A name that is made from an object's."""

    what: str
    """What is called so, as the subject of a sentence."""
    name: str
    surely: bool = True
    """False where it depends on what nobody knows yet."""
    part: Path = ()
    """Where in the object a part of it stands that is longer than the object's name."""


class Naming(msgspec.Struct, frozen=True):
    """What limits the names of a kind's objects, beside what limits all names."""

    form: Literal["subdomain", "label", "letter first", "letter first, of any length", "any"] = (
        "subdomain"
    )
    """`label`: no dots; `letter first`: a label that begins with a letter (RFC 1035)."""
    longest: int | None = None
    """Characters of a name at most; None where only what is made of it has a limit."""
    why: str = ""
    """Who says so, as the end of a sentence."""
    made: Callable[[dict[str, Any], str], list[DerivedName]] | None = None
    """Names that a controller makes from the object (whole) and its name."""


class ImmutableFields(msgspec.Struct, frozen=True):
    """Fields that the API server keeps as they are: an apply that changes one is refused."""

    fixed: tuple[str, ...]
    """Patterns of fields."""
    but: tuple[str, ...] = ()
    """Patterns of fields below those, which can change."""
    suspended: tuple[str, ...] = ()
    """Fields that can change while the object is suspended."""
    way: str = ""
    """What to do instead; empty for the usual: delete it first, or give it another name."""


class Otherwise(msgspec.Struct, frozen=True):
    """What an object does instead that asks for it by a field."""

    field: str
    """The field, with dots."""
    value: str
    effect: Effect
    text: str


class Rolls(msgspec.Struct, frozen=True):
    """What an object does when its pods are to be others."""

    effect: Effect
    text: str
    also: tuple[str, ...] = ()
    """Patterns of fields outside of its pods that do the same."""
    but: tuple[str, ...] = ()
    """Patterns of fields inside that do not."""
    otherwise: tuple[Otherwise, ...] = ()


class RolloutFields(msgspec.Struct, frozen=True):
    """Where an object says how it replaces its pods."""

    strategy: str
    """The field, below its spec."""
    rolling: str
    """The field in it that holds `maxSurge` and `maxUnavailable`."""
    surge: str | int
    """What `maxSurge` is when unset."""
    unavailable: str | int
    replicas: str = "replicas"
    """The field, below its spec, of how many there are at least."""
    told: Callable[[dict[str, Any]], bool] | None = None
    """Whether an object is replaced so; None: each of its kind is."""


class Withheld(msgspec.Struct, frozen=True):
    """Fields that a server refuses unless its administrator lets them in."""

    pod: frozenset[str] = frozenset()
    container: frozenset[str] = frozenset()


class Flat(msgspec.Struct, frozen=True):
    """A pod told without a pod's layout: image and resources of its one container lie flat."""

    path: str
    resources: str = "resources"
    """The field that holds the container's resources."""
    claims: str = "resourceClaims"
    """The field that holds the pod's claims of devices."""


class Reference(msgspec.Struct, frozen=True):
    """A field that names another object."""

    holder: str
    """The pattern of what holds the field."""
    field: str
    """The field whose text is the name; of a list, each item is one."""
    group: str
    """The API group of what is named; empty for the core one."""
    kind: str
    keys: tuple[str, ...] = ()
    """The patterns, from the holder, of what is asked of it: keys of its data, its ports, listeners.
    `field=KEY`: the key that is asked for where the field is missing."""
    group_at: str = ""
    """The field of the holder that says the group, or an apiVersion; empty where it is fixed."""
    kind_at: str = ""
    """The field of the holder that says the kind; empty where it is fixed."""
    namespace_at: str = ""
    """The field of the holder that says the namespace, which else is the object's own."""
    optional: bool = False
    """Nothing fails without what is named, even where the holder does not say `optional: true`."""
    others: tuple[str, ...] = ()
    """Further kinds of the group that it may be of."""
    scheme: str = ""
    """What the text begins with where it is a URI; the name is what comes next, up to a `/`."""
    ending: str = ""
    """What a controller puts behind the text to make the name."""

    @property
    def path(self) -> str:
        """The pattern of the field."""
        return f"{self.holder}.{self.field}" if self.holder else self.field


class Selects(msgspec.Struct, frozen=True):
    """A field that selects other objects of its namespace by their labels."""

    path: str
    """The pattern of what holds `matchLabels`, or of the labels themselves."""
    what: Literal["Pod", "Service"] = "Pod"
    ports: tuple[str, ...] = ()
    """The patterns of fields of the object that name a port of what is selected."""


class Kind(msgspec.Struct, frozen=True):
    """A kind of object."""

    group: str
    """The API group; empty for the core one."""
    name: str
    phase: Phase
    namespaced: bool = True
    templates: tuple[str, ...] = ()
    """Where pods with metadata are: what holds ``metadata`` and ``spec``."""
    specs: tuple[str, ...] = ()
    """Where pod specs without metadata are."""
    labelled: tuple[str, ...] = ()
    """Those of `specs` that hold the pod's labels and annotations themselves."""
    argo: tuple[str, ...] = ()
    """Where Argo's templates are, some of which are pods."""
    flat: tuple[Flat, ...] = ()
    objects: tuple[str, ...] = ()
    """Where whole objects are."""
    loose: tuple[str, ...] = ()
    """Fields of a pod that hold one container each, outside of ``containers``."""
    life: Life = "unknown"
    part: Callable[[dict[str, Any], Path], PodGroupKind] | None = None
    """Which part a pod plays, by the object (whole) and the path of the pod's spec in it; None for
    one pod, or for a service so many as ``spec.replicas``."""
    runs_once: bool = False
    """An object is one run: under a new name it is a new one."""
    template: bool = False
    """Nothing runs of it by itself: others name it, and get its pods. It is kept whole for these."""
    shared: bool = False
    """A template that belongs to no object in its file."""
    steps: bool = False
    """Its steps decide how many pods run at once."""
    completed: bool = False
    """Its pods get scheduling fields, or resources, from another object too."""
    complete_with_containers: bool = False
    """Not where a pod's `containers` are written: then it needs no runtime."""
    plainly: Callable[[dict[str, Any]], bool] | None = None
    """Where a pod's `containers` are written: whether, by the object (whole), the other object gives it
    no scheduling fields, no resources and no groups."""
    main_container: str = ""
    """The container that the other object has as well: what is written of it is laid over that one, and
    any other runs beside it."""
    tolerations_replace: bool = False
    """Tolerations that its pods write take the place of the other object's."""
    image_filled: bool = False
    """Its operator fills in images: from a runtime, a preset, a template's defaults."""
    own_devices: bool = False
    """It says its devices in a way of its own: an instance type, a profile's name, `gpu: 1`."""
    withheld: Callable[[dict[str, Any]], Withheld] | None = None
    """Which fields of its pods, by the object, are let in or not; None where all are taken."""
    starts_server: bool = False
    """Its operator starts a model server of what its spec says by names of its own: which one, and how,
    is in `gpuspec/charts/data/operators.yaml`."""
    as_written: bool = False
    """Its pods are as they are written: no operator adds probes or ports to them."""
    scaled: str = ""
    """The field that its scale subresource sets, by which autoscalers move it; empty where it has none."""
    rewriter: Rewriter | None = None
    sets: tuple[ControllerField, ...] = ()
    """What its own controllers set of it, and Kueue beside `suspend`."""
    queueing: Queueing | None = None
    naming: Naming = Naming()
    jobs: tuple[str, ...] = ()
    """Where specs of Kubernetes' Jobs are."""
    whole_run: bool = False
    """An object has all pods of a run, which its launchers count."""
    processes: Path = ()
    """The field that tells torchrun how many processes to start on a node."""
    mpi: bool = False
    """A launcher starts the processes of all its pods."""
    clusters: bool = False
    """It makes RayClusters, whose pods KubeRay completes."""
    gangs_for: tuple[str, ...] = ()
    """Schedulers that read the gangs which its controller makes of its pods, unasked: it may be set up
    to name one of them in pods that name none."""
    together: tuple[str, ...] = ()
    """Patterns of fields of which its controller makes the group that a gang scheduler starts at once;
    the first is the one to write. What has them is nothing that Kueue manages."""
    labels: Path = ("metadata", "labels")
    """Where Kueue looks for the labels of an object, or of what it makes."""
    scheduler: str = ""
    """The scheduler that its controller names in pods which name none, where `spec.schedulerName`
    says no other."""
    ttl: Path = ()
    """The field by which it is deleted some time after its end."""
    pod_label: str = ""
    """The label of its pods whose value is its name, where that is not their owner's."""
    refers: tuple[Reference, ...] = ()
    """What its objects name, beside what its pods do."""
    selects: tuple[Selects, ...] = ()
    """What its objects select, beside the pods that they make."""
    makes: tuple[Reference, ...] = ()
    """What its controller makes, under a name that its objects say."""
    made: tuple[str, ...] = ()
    """Where those pods lie whose number an autoscaler moves that names what the controller makes, and not
    the object."""
    kept: ImmutableFields | None = None
    filled: tuple[tuple[str, object], ...] = ()
    """Patterns of fields that the API server or a webhook fills in where they are left out, and with
    what, beside what every pod has: to write that out changes nothing."""
    rolls: Rolls | None = None
    """None where pods that run stay as they are."""
    rollout: RolloutFields | None = None
    own_pods: Callable[[dict[str, Any], Path], Scale | None] | None = None
    """All pods of a part, where the object scales them itself; takes what `part` takes."""
    own_groups: Callable[[dict[str, Any], Path], Scale | None] | None = None
    """Groups of a part, where the object scales them itself."""

    @property
    def owned(self) -> tuple[ControllerField, ...]:
        """The fields that controllers set: a manifest, a sync and a diff had better leave them alone."""
        fields: tuple[ControllerField, ...] = (ControllerField(self.scaled),) if self.scaled else ()
        if self.queueing is not None and self.queueing.suspend:
            field = ".".join(map(str, self.queueing.suspend))
            fields += (ControllerField(field, KUEUE, (("metadata", "labels", QUEUE),)),)
        return (*fields, *self.sets)

    @property
    def holds_pods(self) -> bool:
        """Whether pods, or further objects, may lie in its objects."""
        return bool(self.templates or self.specs or self.argo or self.flat or self.objects)
