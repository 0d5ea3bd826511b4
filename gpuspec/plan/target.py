"""What the plan asks of a target: the API whose object carries a workload's pods.

The plan says what is to be: pods by role, and what they are to each other. A target says how. Each
is a file of `gpuspec/targets`; nothing here, nor in any other file of the plan, knows one by name.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from gpuspec.numbers import read_version
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart
from gpuspec.plan.facets import (
    AutoscalerPlan,
    DisruptionPlan,
    LaunchPlan,
    MetaPlan,
    NetworkPlan,
    ObjectPlan,
    Part,
    PodRole,
    ServicePlan,
)
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.spec import InferenceSpec, TrainingFields
from gpuspec.spec.mpi import MpiLauncher

Intent = Literal["gang", "shards", "schedule", "service"]
"""What pods are to each other. `gang`: they work together and find each other. `shards`: each has
pieces of its own. `schedule`: shards, again and again. `service`: they go on."""


class Ranks(msgspec.Struct, frozen=True):
    """How the pods of a gang know which they are, and where the first of them is."""

    variable: str
    """The variable of each container that holds the pod's rank, from 0; empty where nobody asks for it."""
    field: str
    """The field of the pod that holds it too."""
    why: str
    first: Callable[[str], str]
    """The host name of rank 0, by the object's name."""
    pods: str
    """The label of its pods whose value is the object's name."""
    group: str = ""
    """The label that tells its groups of pods apart, where it has several."""
    own: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Labels that tell these pods from others that the target has beside them."""
    network: bool = False
    """Whether its controller makes the Service that the host names lie under."""


class RoleNaming(msgspec.Struct, frozen=True):
    """How pods of the spec's own roles are named, and told from others."""

    host: Callable[[str, str, int], str]
    """The host name of a pod, by the object's name, the role's and the pod's number in it."""
    label: str
    """The label of its pods whose value is the role's name."""


class Carried(msgspec.Struct, frozen=True):
    """What a target is given to carry."""

    resolution: Resolution
    name: Decision
    """The name of the object."""
    meta: MetaPlan
    roles: Mapping[str, PodRole]
    replicas: PlanPart = None
    """Of a service: how many; None where an autoscaler decides."""
    autoscaler: AutoscalerPlan | None = None
    """Of a service: the autoscaler, where the target makes it itself."""
    service: ServicePlan | None = None
    """Of a service: what clients ask."""
    network: NetworkPlan | None = None
    """Of a service: who may call its server and what that may reach; None where nothing is closed."""
    weights: str | None = None
    """Of a service: the folder of mounted weights."""
    budget: int = 0
    """Of a service: the seconds that a pod takes to start."""
    digest: str | None = None
    """Of what is laid out; None while it is laid out for that."""


class TargetRequirement(msgspec.Struct, frozen=True):
    """What must be on a cluster for a target."""

    component: str
    """As profiles list it in `installed`."""
    since: str
    """The first version that knows all that is written."""
    checked: str
    """The version that was read: its definition, its webhooks and its controller."""
    called: str = ""
    """What it is called, for people; by the kind where empty."""

    def lack(self, target: str, kind: str, installed: Mapping[str, str]) -> RefusalReason | None:
        """Return what a profile does not list of it, or lists in an older version."""
        called = self.called or kind
        there = installed.get(self.component)
        if there is None:
            text = (
                f"target {target} needs {called} on the cluster, but the profile does not list it"
            )
            hint = f'write it in the profile, installed: {{{self.component}: "{self.checked}"}}'
            return RefusalReason(text, hint=hint)
        if read_version(there) >= read_version(self.since):
            return None
        return RefusalReason(
            f"target {target} needs {called} {self.since} or later, and the profile has {there}"
        )


class Front(msgspec.Struct, frozen=True):
    """What stands before the server in each of its pods, and who leads clients there."""

    ports: tuple[int, ...]
    """Where it takes requests."""
    namespace: str
    """Where the programs are that pass requests on to it."""
    measured: tuple[int, ...]
    """Where these ask it how much there is to do."""


class Target(msgspec.Struct, frozen=True):
    """An API that carries workloads. Its template has its name."""

    name: str
    api: str
    kind: str
    intents: tuple[Intent, ...]
    roles: tuple[str, ...]
    """The kinds of pods that it tells apart, rank 0's first. Of a gang it brings all others along."""
    fields: Callable[[Carried], Mapping[str, Part]]
    """What its template lays out: parts of the plan, by the names that templates know them by."""
    needs: TargetRequirement | None = None
    """None where it comes with Kubernetes."""
    ranks: Ranks | None = None
    """None where its pods do not find each other."""
    launch: Callable[[Resolution, TrainingFields, Decision], LaunchPlan] | None = None
    """How the processes of a gang are started, by its object's name; None where launchers do it."""
    pods: Callable[[Carried], Mapping[str, PodRole]] = lambda of: of.roles
    """The pods as its controller needs them, from the workers that any target would have."""
    files: Callable[[Carried], tuple[ObjectPlan, ...]] = lambda of: ()
    """Objects that its pods read, or lie in."""
    holder: str = ""
    """The template of the object that its pods lie in; empty where they lie in its own."""
    beside: RoleNaming | None = None
    """None where it carries no roles of the spec's own."""
    disaggregates: bool = False
    """Whether it carries a service whose prompts are computed by pods of their own."""
    replica: Callable[[str, int], str] | None = None
    """The host name of the pod that answers of each replica, by the object's name and the replica's
    number, up to the namespace; None where replicas have none that stay."""
    serves: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Labels, beside those of the workload, of the pods that answer clients; of all where empty."""
    runtimes: tuple[str, ...] = ()
    """The only model servers that it starts; any where empty."""
    service: Callable[[Resolution], str] | None = None
    """The Service that its controller makes for clients; None where ours leads to the pods."""
    port: str = "http"
    """What the container's port for requests is called in the pods that its controller makes."""
    accounts: bool = False
    """Its controller makes the ServiceAccount of the pods."""
    others_answer: bool = False
    """Clients reach pods that it brings along, and none of the first role's."""
    mates: Callable[[str], Mapping[str, str]] | None = None
    """Labels of all pods that reach each other on any port, by the object's name; None where only those
    of one replica do."""
    disruption: Callable[[InferenceSpec], DisruptionPlan] | None = None
    """How many pods may be evicted; None where one at a time may, which Kubernetes counts."""
    scaling: Literal["ours", "told", "own"] = "ours"
    """Who changes the number of a service's pods. `ours`: an autoscaler beside the object. `told`: one
    that the controller makes as the object says. `own`: the controller, by a measure of its own."""
    scaled: Callable[[Resolution], tuple[str, str, str]] | None = None
    """What an autoscaler changes: API, kind and name; None where it is the object."""
    revision: str = ""
    """Of a service: the label of its pods that a rollout changes."""
    front: Front | None = None
    """None where its controller puts nothing before the servers."""
    kept: bool = False
    """Whether the profile's own runtimes start its servers, where there are any."""
    lacks: Callable[[Carried], list[RefusalReason]] = lambda of: []
    """What of its pods it cannot carry, where only the whole plan tells."""
    copied: bool = False
    """Its controller copies the object's annotations into the pods: what changes there restarts them."""
    shared: Callable[[str], tuple[dict[str, Any], ...]] = lambda namespace: ()
    """What its objects in a namespace need, one for all of them: the platform makes it."""
    once: bool = False
    """Its objects are runs that nothing changes: what changes is another run, under another name."""
    stays: bool = False
    """Whether the object of a finished run stays when its pods are deleted: nothing runs it again."""
    named: str = "the workload's name"
    """Why an object that is no run has the name it has."""
    numbered: bool = False
    """Whether GKE tells its pods which host of a TPU slice each is."""
    queued: bool = False
    """Whether a queue admits its pods, by what its template writes."""
    queues: Literal["kueue", "volcano"] = "kueue"
    """Whose queues these are."""
    counted: bool = False
    """Whether schedulers are told by an annotation of its object how many pods they start together."""
    wrapped: bool = False
    """Whether an AppWrapper sees how its run goes: its pods stay when they have ended, and it retries
    nothing unless it is told to."""
    refused: Callable[[Resolution], list[RefusalReason]] = lambda resolution: []
    """Why it cannot carry a workload of an intent that it carries otherwise."""
    notes: Callable[[Resolution], list[Note]] = lambda resolution: []
    """What to know of a workload that it carries."""

    def object(self, carried: Carried) -> ObjectPlan:
        """Return the object that carries the pods."""
        return ObjectPlan(self.name, self.fields(carried))

    def scales(self, resolution: Resolution) -> dict[str, str]:
        """Return what an autoscaler is told to change."""
        api, kind, own = (
            self.scaled(resolution) if self.scaled else (self.api, self.kind, resolution.name)
        )
        return {"apiVersion": api, "kind": kind, "name": own}

    def lack(self, installed: Mapping[str, str]) -> RefusalReason | None:
        """Return what it needs and a profile does not list, or lists in an older version."""
        return None if self.needs is None else self.needs.lack(self.name, self.kind, installed)


class ChosenTarget(msgspec.Struct, frozen=True):
    """The target of a workload, and who chose it."""

    target: Target
    decision: Decision
    """Its name."""

    def refused(self, resolution: Resolution) -> list[RefusalReason]:
        """Return why the target cannot carry the workload on this profile."""
        place = resolution.place(self.decision.origin)
        refusal_reasons = [
            RefusalReason(reason.text, reason.place or place, reason.hint)
            for reason in self.target.refused(resolution)
        ]
        if resolution.spec.queue is not None and not self.target.queued:
            text = f"pods of target {self.target.name} are not queued"
            refusal_reasons.append(
                RefusalReason(text, resolution.workload.place(("spec", "queue")), "delete `queue`")
            )
        lack = self.target.lack(resolution.profile.spec.installed)
        return (
            refusal_reasons
            if lack is None
            else [RefusalReason(lack.text, place, lack.hint), *refusal_reasons]
        )

    def notes(self, resolution: Resolution) -> list[Note]:
        """Return which target it is and why, for `explain`, and what to know of it."""
        chosen = Note(f"target {self.target.name}: {self.decision.reason}", self.decision.origin)
        # How a run is retried, bounded and queued is told of the wrapper then.
        own = [] if resolution.wrapped else self.target.notes(resolution)
        return [chosen, *self._unused(resolution), *own]

    def _unused(self, resolution: Resolution) -> list[Note]:
        """Return a loud word where the spec tells of an MPI that nobody starts."""
        spec = resolution.spec
        if not isinstance(spec, TrainingFields) or self.target.launch:
            return []
        said = {"mpi": spec.mpi is not None, "mpiLauncher": spec.mpi_launcher != MpiLauncher()}
        starts = f"target {self.target.name} starts nothing by MPI"
        return [
            Note(f"{starts}: `{field}` changes nothing", Origin("spec", ("spec", field)), loud=True)
            for field, is_said in said.items()
            if is_said
        ]
