"""A runtime of the platform's, which a TrainJob names: what of our pod reaches its pods, and what cannot.

A TrainJob has fields for the main container, and patches for some of its pod. All else is the
runtime's: it is refused where the spec asks for it, and spoken of where the plan would have it.
Sources: github.com/kubeflow/trainer v2.3.0, pkg/apis/trainer/v1alpha1/trainjob_types.go (PodSpecPatch,
ContainerPatch), pkg/runtime/core/trainingruntime.go, pkg/runtime/framework/plugins/torch.
"""

from collections.abc import Callable, Iterator

import msgspec
from msgspec.structs import replace

from gpuspec.manifests import Path
from gpuspec.plan import device_claims, gangs, interruption, placement, queueing, recipe
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived
from gpuspec.plan.facets import ContainerPlan, NodeMap, Nodes, PodPlan
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.wording import listed
from gpuspec.spec import TrainingFields
from gpuspec.spec.runtimes import TrainingRuntime

PATH = ("spec", "runtimes", "training")
MANAGER = "gpuspec.dev/render"

PATCHED = (
    *("labels", "annotations", "service_account", "security", "volumes", "grace", "pull_secrets"),
    *("node_selector", "affinity", "tolerations"),
)
"""Of a pod: what patches reach."""
LEFT: dict[str, tuple[str, Callable[[Resolution], PlanPart]]] = {
    "scheduler": ("schedulerName", lambda resolution: placement.placement(resolution).scheduler),
    "runtime_class": (
        "runtimeClassName",
        lambda resolution: placement.placement(resolution).runtime_class,
    ),
    "priority_class": ("priorityClassName", queueing.priority),
}
"""What the runtime has to say of a pod where the profile has it: its field, and the value."""
_GRACE = "terminationGracePeriodSeconds"
"""Reached by patches, but for those of runs that wait in a queue of Kueue. That of 0.19 knows the API of
Trainer 2.2: it writes a TrainJob back without it, and JobSet lets no run start that has changed so."""
DECIDED = {
    "restart_policy": "what restarts a run that has failed",
    "init_containers": "what else runs in its pods and by which rights",
    "automount_token": "whether they have a token for the API server",
    "service_links": "whether they have variables for each Service",
}
"""What the runtime alone says of a pod."""
REFUSED = ("host_network", "dns_policy", "resource_claims")
"""What a pool asks of a pod, and cannot be without."""
UNUSED = ("subdomain", "scheduling_group", "deadline", "spread")
"""What no pod of a TrainJob has."""

TOLD = ("image", "command", "args", "env", "resources")
"""Of the main container: what the TrainJob has fields for."""
PATCHED_INSIDE = ("name", "security", "mounts")
REFUSED_INSIDE = ("pull_policy", "working_dir", "env_from")
"""Of the main container: what only the spec can ask for."""
UNUSED_INSIDE = (
    *("ports", "restart_policy", "startup_probe", "readiness_probe", "liveness_probe"),
    "lifecycle",
)
_TORCH = "PET_"
_RESERVED = tuple(
    _TORCH + name
    for name in ("NNODES", "NPROC_PER_NODE", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT")
)
"""Variables that the torch policy of a runtime sets, and lets no TrainJob set."""


class PatchPlan(msgspec.Struct, frozen=True):
    """What a TrainJob changes of its runtime's workers."""

    manager: PlanPart
    job: PlanPart
    container: ContainerPlan
    labels: NodeMap
    annotations: NodeMap
    service_account: PlanPart
    security: PlanPart
    volumes: Nodes
    grace: PlanPart
    pull_secrets: PlanPart
    node_selector: NodeMap
    affinity: NodeMap
    tolerations: PlanPart


def runtime_of(resolution: Resolution) -> TrainingRuntime | None:
    """Return the runtime that the profile names; None where each run brings its own."""
    return resolution.profile.spec.runtimes.training


def patch(resolution: Resolution, pod: PodPlan, job: str) -> PatchPlan:
    """Return the patch by which the runtime's workers become those of the plan. `job`: theirs in
    the runtime."""
    if gangs.is_kueues(resolution):
        pod = replace(pod, grace=None)
    account = pod.service_account
    if isinstance(account, Decision) and account.origin.kind == "derived":
        account = replace(account, reason="no identity is needed")
    pod = replace(pod, service_account=account)
    return PatchPlan(
        manager=derived("trainjob", MANAGER, "whose patch it is: others have their own"),
        job=derived("trainjob", job, "the Job of the runtime that has the workers"),
        container=pod.containers[0],
        **{name: getattr(pod, name) for name in PATCHED},
    )


def told(pod: PodPlan) -> PodPlan:
    """Return the pod without variables that the runtime's torch policy sets, with the same
    values."""
    main, *others = pod.containers
    env = tuple(one for one in main.env if not _is_reserved(one))
    return replace(pod, containers=(replace(main, env=env), *others))


def _is_reserved(entry: PlanPart) -> bool:
    return isinstance(entry, Decision) and entry.value["name"] in _RESERVED


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return what the spec or a pool asks for and nothing brings into the pods of a platform's
    runtime."""
    runtime = runtime_of(resolution)
    if runtime is None:
        return []
    ours = "or choose target jobset, whose pods are as the spec says"
    refusal_reasons = [
        RefusalReason(
            f"`{field}` does not reach the pods of {runtime.kind} {runtime.name}: {why}",
            resolution.workload.place(("spec", *path)),
            f"{hint}, {ours}",
        )
        for field, path, why, hint in _asked(resolution)
    ]
    if claims := device_claims.of_pod(
        resolution, resolution.gpus, derived("trainjob", resolution.name, "its run")
    ):
        text = f"no TrainJob can add claims to the pods of {runtime.kind} {runtime.name}"
        assert isinstance(claims[0], Decision)
        hint = "take a pool whose GPUs are had by their resource, or choose target jobset"
        refusal_reasons.append(RefusalReason(text, resolution.place(claims[0].origin), hint))
    network, daemon = recipe.network(resolution)[0], recipe.daemon(resolution)
    for there, what in ((network, "the node's network"), (daemon, "a daemon beside the workers")):
        if there:
            text = (
                f"the fabric of pool {resolution.pools[0].pool.name} asks for {what}, which a TrainJob "
                f"cannot add to {runtime.kind} {runtime.name}"
            )
            hint = "take another pool, or choose target jobset"
            refusal_reasons.append(
                RefusalReason(text, resolution.workload.place(("spec", "gpu")), hint)
            )
    return refusal_reasons


def _asked(resolution: Resolution) -> Iterator[tuple[str, Path, str, str]]:
    """Yield fields of the spec that are lost: the field, its place, why, and what to write
    instead."""
    spec = resolution.spec
    assert isinstance(spec, TrainingFields)
    adds = "a TrainJob adds no container"
    says = "a TrainJob has no field for it"
    has_it = "delete it where the runtime has it"
    if spec.init_containers:
        yield "initContainers", ("initContainers",), adds, has_it
    if spec.sidecars:
        yield "sidecars", ("sidecars",), adds, has_it
    if spec.roles:
        yield "roles", ("roles",), "it has the workers alone", "delete it"
    if spec.env_from:
        single = "name each variable, env: {NAME: {secret: …, key: …}}"
        yield "envFrom", ("envFrom",), says, single
    if spec.working_dir is not None:
        script = "have `command` go there, [sh, -c, cd … && exec …]"
        yield "workingDir", ("workingDir",), says, script
    if spec.pull_policy is not None:
        yield "pullPolicy", ("pullPolicy",), says, has_it
    if spec.priority is not None and spec.priority in resolution.profile.spec.priorities.names:
        yield "priority", ("priority",), "its pods have the runtime's priority", has_it
    if spec.service_account_token:
        yield "serviceAccountToken", ("serviceAccountToken",), "the runtime says it", has_it
    if spec.retries != type(spec.retries)():
        yield "retries", ("retries",), "the runtime says what restarts a run", has_it
    if spec.grace is not None and gangs.is_kueues(resolution):
        yield "grace", ("grace",), "Kueue takes it out of a TrainJob", has_it
    if spec.ttl_after_finished is not None:
        why = "the runtime says how long they stay"
        yield "ttlAfterFinished", ("ttlAfterFinished",), why, has_it
    for name in spec.env:
        if name in _RESERVED:
            own = "the runtime's torch policy sets it, and refuses a TrainJob that does"
            yield f"env.{name}", ("env", name), own, "delete it"


def notes(resolution: Resolution, env: Nodes) -> list[Note]:
    """Return what the runtime decides, and has to say. `env`: what the main container would be
    told."""
    runtime = runtime_of(resolution)
    if runtime is None:
        return []
    called, origin = f"{runtime.kind} {runtime.name}", Origin("profile", PATH)
    text = f"{called} decides {listed(DECIDED.values())}: nothing of it is known here"
    found = [Note(text, origin, loud=True)]
    values = {field: value(resolution) for field, value in LEFT.values()}
    if gangs.is_kueues(resolution):
        values[_GRACE] = _saving(resolution)
    said = [f"{field}: {one.value}" for field, one in values.items() if isinstance(one, Decision)]
    if said:
        text = f"no TrainJob can say {listed(said)}: {called} has to"
        found.append(Note(text, origin, loud=True))
    if any(_is_reserved(one) for one in env):
        text = (
            f"{called} needs the torch policy: by it Trainer tells torchrun of the workers, which "
            "the command does not"
        )
        found.append(Note(text, origin, loud=True))
    return found


def _saving(resolution: Resolution) -> PlanPart:
    """Return the grace period of a run that saves at its end; None where Kubernetes' own will
    do."""
    assert isinstance(resolution.spec, TrainingFields)
    grace, _ = interruption.saving(resolution, resolution.spec)
    return None if grace.value == interruption.DEFAULT_GRACE else grace
