"""The interface of a target: the API whose object runs a workload's pods.

The plan describes the pods by role, and how they depend on each other. A target turns this into an
object. Each is a file of `gpuspec/targets`; no file of the plan refers to one by name.
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
"""How pods depend on each other. `gang`: they work together over the network. `shards`: each has
pieces of its own. `schedule`: shards, repeatedly. `service`: they run until stopped."""


class Ranks(msgspec.Struct, frozen=True):
    """How the pods of a gang learn their rank, and the address of rank 0."""

    variable: str
    """The variable of each container with the pod's rank, from 0; empty if none needs it."""
    field: str
    """The field of the pod with its rank."""
    why: str
    first: Callable[[str], str]
    """The host name of rank 0, by the object's name."""
    pods: str
    """The label of its pods whose value is the object's name."""
    group: str = ""
    """The label that distinguishes its groups of pods, if there are several."""
    own: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Labels that distinguish these pods from the target's other pods."""
    network: bool = False
    """Whether its controller creates the Service for the host names."""


class RoleNaming(msgspec.Struct, frozen=True):
    """Names and labels of the pods of the spec's own roles."""

    host: Callable[[str, str, int], str]
    """The host name of a pod, by the object's name, the role's and the pod's number in it."""
    label: str
    """The label of its pods whose value is the role's name."""


class TargetInput(msgspec.Struct, frozen=True):
    """The input of a target."""

    resolution: Resolution
    name: Decision
    """The name of the object."""
    meta: MetaPlan
    roles: Mapping[str, PodRole]
    replicas: PlanPart = None
    """For a service: the number; None if an autoscaler sets it."""
    autoscaler: AutoscalerPlan | None = None
    """For a service: the autoscaler, if the target creates it itself."""
    service: ServicePlan | None = None
    """For a service: the Service for clients."""
    network: NetworkPlan | None = None
    """For a service: allowed callers and destinations; None without a policy."""
    weights: str | None = None
    """For a service: the folder of mounted weights."""
    budget: int = 0
    """For a service: the start-up seconds of a pod."""
    digest: str | None = None
    """The digest of the rendered object; None while it is rendered to compute it."""


class TargetRequirement(msgspec.Struct, frozen=True):
    """The component that a cluster needs for a target."""

    component: str
    """Its name in `installed` of profiles."""
    since: str
    """The first version that supports all rendered fields."""
    checked: str
    """The version whose CRDs, webhooks and controller were read."""
    called: str = ""
    """Its name in messages; by default the kind's."""

    def lack(self, target: str, kind: str, installed: Mapping[str, str]) -> RefusalReason | None:
        """Return the requirement that a profile does not list, or lists in an older version."""
        called = self.called or kind
        installed_version = installed.get(self.component)
        if installed_version is None:
            text = (
                f"target {target} needs {called} on the cluster, but the profile does not list it"
            )
            hint = f'write it in the profile, installed: {{{self.component}: "{self.checked}"}}'
            return RefusalReason(text, hint=hint)
        if read_version(installed_version) >= read_version(self.since):
            return None
        return RefusalReason(
            f"target {target} needs {called} {self.since} or later, and the profile has {installed_version}"
        )


class Front(msgspec.Struct, frozen=True):
    """The proxy in front of the server in each of its pods, and the programs that forward clients
    to it."""

    ports: tuple[int, ...]
    """Ports for requests."""
    namespace: str
    """The namespace of the programs that forward requests to it."""
    measured: tuple[int, ...]
    """Ports at which these read its load."""


class Target(msgspec.Struct, frozen=True):
    """An API that runs workloads. Its template has its name."""

    name: str
    api: str
    kind: str
    intents: tuple[Intent, ...]
    roles: tuple[str, ...]
    """The kinds of pods that it distinguishes, rank 0's first. For a gang it adds all others."""
    fields: Callable[[TargetInput], Mapping[str, Part]]
    """Function that returns the parts of the plan for its template, by their names there."""
    needs: TargetRequirement | None = None
    """None if it is a part of Kubernetes."""
    ranks: Ranks | None = None
    """None if its pods do not address each other."""
    launch: Callable[[Resolution, TrainingFields, Decision], LaunchPlan] | None = None
    """Function that returns how the processes of a gang start, by its object's name; None if
    launchers start them."""
    pods: Callable[[TargetInput], Mapping[str, PodRole]] = lambda of: of.roles
    """Function that returns the pods for its controller, from workers as any target has them."""
    files: Callable[[TargetInput], tuple[ObjectPlan, ...]] = lambda of: ()
    """Function that returns objects that its pods read, or that contain them."""
    holder: str = ""
    """The template of the object that contains its pods; empty if its own does."""
    beside: RoleNaming | None = None
    """None if it runs no roles of the spec's own."""
    disaggregates: bool = False
    """Whether it runs a service with separate prefill pods."""
    replica: Callable[[str, int], str] | None = None
    """Function that returns the host name of each replica's serving pod, by the object's name and
    the replica's number, up to the namespace; None if replicas have no stable names."""
    serves: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Labels, in addition to those of the workload, of the pods that answer clients; empty if all
    do."""
    runtimes: tuple[str, ...] = ()
    """The only model servers that it starts; empty for any."""
    service: Callable[[Resolution], str] | None = None
    """Function that returns the name of the Service that its controller creates for clients; None
    if gpuspec's Service leads to the pods."""
    port: str = "http"
    """The name of the container's request port in the pods that its controller creates."""
    accounts: bool = False
    """Whether its controller creates the ServiceAccount of the pods."""
    others_answer: bool = False
    """Whether clients connect to pods that it adds, and to none of the first role's."""
    mates: Callable[[str], Mapping[str, str]] | None = None
    """Function that returns labels of all pods that connect to each other on any port, by the
    object's name; None if only those of one replica do."""
    disruption: Callable[[InferenceSpec], DisruptionPlan] | None = None
    """Function that returns the disruption budget; None for one pod at a time, which Kubernetes
    counts."""
    scaling: Literal["ours", "told", "own"] = "ours"
    """Who changes the number of a service's pods. `ours`: an autoscaler next to the object. `told`:
    one that the controller creates from the object. `own`: the controller, by its own measure."""
    scaled: Callable[[Resolution], tuple[str, str, str]] | None = None
    """Function that returns the object that an autoscaler changes: API, kind and name; None if it
    is the target's object."""
    revision: str = ""
    """For a service: the label of its pods that a rollout changes."""
    front: Front | None = None
    """None if its controller adds no proxy in front of the servers."""
    kept: bool = False
    """Whether runtimes of the profile start its servers, if there are any."""
    lacks: Callable[[TargetInput], list[RefusalReason]] = lambda of: []
    """Function that returns why it cannot run the pods, for reasons that need the whole plan."""
    copied: bool = False
    """Whether its controller copies the object's annotations to the pods, so that a change restarts
    them."""
    shared: Callable[[str], tuple[dict[str, Any], ...]] = lambda namespace: ()
    """Function that returns the objects that all of its objects in a namespace share; the platform
    creates them."""
    once: bool = False
    """Whether its objects are immutable runs: a change is another run, under another name."""
    stays: bool = False
    """Whether the object of a finished run stays when its pods are deleted, so that nothing runs it
    again."""
    named: str = "the workload's name"
    """Why an object that is no run has its name."""
    numbered: bool = False
    """Whether GKE sets the number of the TPU slice's host in its pods."""
    queued: bool = False
    """Whether a queue admits its pods, by fields of its template."""
    queues: Literal["kueue", "volcano"] = "kueue"
    """The system of these queues."""
    counted: bool = False
    """Whether an annotation of its object has the number of pods that schedulers start together."""
    wrapped: bool = False
    """Whether an AppWrapper can observe its run: its pods stay when they have ended, and it retries
    nothing by default."""
    refused: Callable[[Resolution], list[RefusalReason]] = lambda resolution: []
    """Function that returns why it cannot run a workload of an intent that it supports."""
    notes: Callable[[Resolution], list[Note]] = lambda resolution: []
    """Function that returns notes on a workload that it runs."""

    def object(self, carried: TargetInput) -> ObjectPlan:
        """Return the object that carries the pods."""
        return ObjectPlan(self.name, self.fields(carried))

    def scales(self, resolution: Resolution) -> dict[str, str]:
        """Return the reference to the object that an autoscaler changes."""
        api, kind, object_name = (
            self.scaled(resolution) if self.scaled else (self.api, self.kind, resolution.name)
        )
        return {"apiVersion": api, "kind": kind, "name": object_name}

    def lack(self, installed: Mapping[str, str]) -> RefusalReason | None:
        """Return the requirement that a profile does not list, or lists in an older version."""
        return None if self.needs is None else self.needs.lack(self.name, self.kind, installed)


class ChosenTarget(msgspec.Struct, frozen=True):
    """The target of a workload, and the origin of the choice."""

    target: Target
    decision: Decision
    """Its name."""

    def refused(self, resolution: Resolution) -> list[RefusalReason]:
        """Return why the target cannot run the workload on this profile."""
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
        """Return the target with the reason of the choice, for `explain`, and its notes."""
        chosen = Note(f"target {self.target.name}: {self.decision.reason}", self.decision.origin)
        # How a run is retried, bounded and queued is told of the wrapper then.
        target_notes = [] if resolution.wrapped else self.target.notes(resolution)
        return [chosen, *self._unused(resolution), *target_notes]

    def _unused(self, resolution: Resolution) -> list[Note]:
        """Return a loud note if the spec sets an MPI that no launcher uses."""
        spec = resolution.spec
        if not isinstance(spec, TrainingFields) or self.target.launch:
            return []
        stated_fields = {
            "mpi": spec.mpi is not None,
            "mpiLauncher": spec.mpi_launcher != MpiLauncher(),
        }
        starts = f"target {self.target.name} starts nothing by MPI"
        return [
            Note(f"{starts}: `{field}` changes nothing", Origin("spec", ("spec", field)), loud=True)
            for field, is_said in stated_fields.items()
            if is_said
        ]
