"""A runtime of the platform, named by a TrainJob: which fields of the plan's pod reach its pods.

A TrainJob has fields for the main container, and patches for part of the pod. The runtime decides
the rest: a setting of the spec that is lost is refused, and one of the plan gets a note. Sources:
github.com/kubeflow/trainer v2.3.0, pkg/apis/trainer/v1alpha1/trainjob_types.go (PodSpecPatch,
ContainerPatch), pkg/runtime/core/trainingruntime.go, pkg/runtime/framework/plugins/torch.
"""

from collections.abc import Callable, Iterator

import msgspec
from msgspec.structs import replace

from gpuspec.enumeration import listed
from gpuspec.manifests import Path
from gpuspec.plan import device_claims, gangs, interruption, placement, queueing, recipe
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived
from gpuspec.plan.facets import ContainerPlan, NodeMap, Nodes, PodPlan
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.spec import TrainingFields
from gpuspec.spec.runtimes import TrainingRuntime

PATH = ("spec", "runtimes", "training")
MANAGER = "gpuspec.dev/render"

PATCHED = (
    *("labels", "annotations", "service_account", "security", "volumes", "grace", "pull_secrets"),
    *("node_selector", "affinity", "tolerations"),
)
"""Fields of a pod that patches reach."""
LEFT: dict[str, tuple[str, Callable[[Resolution], PlanPart]]] = {
    "scheduler": ("schedulerName", lambda resolution: placement.placement(resolution).scheduler),
    "runtime_class": (
        "runtimeClassName",
        lambda resolution: placement.placement(resolution).runtime_class,
    ),
    "priority_class": ("priorityClassName", queueing.priority),
}
"""What the runtime must set in a pod if the profile sets it: its field, and the value."""
_GRACE = "terminationGracePeriodSeconds"
"""Reached by patches, except in runs that wait in a queue of Kueue. That of 0.19 knows the API of
Trainer 2.2: it writes a TrainJob back without it, and JobSet does not start a run that has
changed so."""
DECIDED = {
    "restart_policy": "the retries of a failed run",
    "init_containers": "the other containers of its pods and their permissions",
    "automount_token": "whether they have a token for the API server",
    "service_links": "whether they have variables for each Service",
}
"""What only the runtime sets in a pod."""
REFUSED = ("host_network", "dns_policy", "resource_claims")
"""What a pool requires of a pod."""
UNUSED = ("subdomain", "scheduling_group", "deadline", "spread")
"""What no pod of a TrainJob can have."""

TOLD = ("image", "command", "args", "env", "resources")
"""Fields of the main container that the TrainJob has."""
PATCHED_INSIDE = ("name", "security", "mounts")
REFUSED_INSIDE = ("pull_policy", "working_dir", "env_from")
"""Fields of the main container that only the spec can set."""
UNUSED_INSIDE = (
    *("ports", "restart_policy", "startup_probe", "readiness_probe", "liveness_probe"),
    "lifecycle",
)
_TORCH = "PET_"
_RESERVED = tuple(
    _TORCH + name
    for name in ("NNODES", "NPROC_PER_NODE", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT")
)
"""Variables that the torch policy of a runtime sets, and that no TrainJob may set."""


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
    """Return the runtime that the profile names; None if each run has its own."""
    return resolution.profile.spec.runtimes.training


def patch(resolution: Resolution, pod: PodPlan, job: str) -> PatchPlan:
    """Return the patch that turns the runtime's workers into those of the plan. `job`: their Job in
    the runtime."""
    if gangs.is_kueues(resolution):
        pod = replace(pod, grace=None)
    account = pod.service_account
    if isinstance(account, Decision) and account.origin.kind == "derived":
        account = replace(account, reason="no identity is needed")
    pod = replace(pod, service_account=account)
    return PatchPlan(
        manager=derived(
            "trainjob", MANAGER, "the owner of this patch: other controllers have their own"
        ),
        job=derived("trainjob", job, "the Job of the runtime that has the workers"),
        container=pod.containers[0],
        **{name: getattr(pod, name) for name in PATCHED},
    )


def told(pod: PodPlan) -> PodPlan:
    """Return the pod without variables that the runtime's torch policy sets, with the same
    values."""
    main, *others = pod.containers
    env = tuple(variable for variable in main.env if not _is_reserved(variable))
    return replace(pod, containers=(replace(main, env=env), *others))


def _is_reserved(entry: PlanPart) -> bool:
    return isinstance(entry, Decision) and entry.value["name"] in _RESERVED


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for settings of the spec or a pool that do not reach the pods of a platform's
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
        hint = "use a pool with GPUs of a device plugin, or choose target jobset"
        refusal_reasons.append(RefusalReason(text, resolution.place(claims[0].origin), hint))
    network, daemon = recipe.network(resolution)[0], recipe.daemon(resolution)
    for is_needed, requirement in (
        (network, "the node's network"),
        (daemon, "a daemon next to the workers"),
    ):
        if is_needed:
            text = (
                f"the fabric of pool {resolution.pools[0].pool.name} needs {requirement}, which a "
                f"TrainJob cannot add to {runtime.kind} {runtime.name}"
            )
            hint = "use another pool, or choose target jobset"
            refusal_reasons.append(
                RefusalReason(text, resolution.workload.place(("spec", "gpu")), hint)
            )
    return refusal_reasons


def _asked(resolution: Resolution) -> Iterator[tuple[str, Path, str, str]]:
    """Yield the lost fields of the spec: the field, its place, the reason, and what to write
    instead."""
    spec = resolution.spec
    assert isinstance(spec, TrainingFields)
    adds = "a TrainJob adds no container"
    says = "a TrainJob has no field for it"
    has_it = "delete it if the runtime has it"
    if spec.init_containers:
        yield "initContainers", ("initContainers",), adds, has_it
    if spec.sidecars:
        yield "sidecars", ("sidecars",), adds, has_it
    if spec.roles:
        yield "roles", ("roles",), "it has workers only", "delete it"
    if spec.env_from:
        single = "name each variable, env: {NAME: {secret: …, key: …}}"
        yield "envFrom", ("envFrom",), says, single
    if spec.working_dir is not None:
        script = "change the folder in `command`, [sh, -c, cd … && exec …]"
        yield "workingDir", ("workingDir",), says, script
    if spec.pull_policy is not None:
        yield "pullPolicy", ("pullPolicy",), says, has_it
    if spec.priority is not None and spec.priority in resolution.profile.spec.priorities.names:
        yield "priority", ("priority",), "its pods have the runtime's priority", has_it
    if spec.service_account_token:
        yield "serviceAccountToken", ("serviceAccountToken",), "the runtime sets it", has_it
    if spec.retries != type(spec.retries)():
        yield "retries", ("retries",), "the runtime sets the retries of a run", has_it
    if spec.grace is not None and gangs.is_kueues(resolution):
        yield "grace", ("grace",), "Kueue removes it from a TrainJob", has_it
    if spec.ttl_after_finished is not None:
        why = "the runtime sets how long they stay"
        yield "ttlAfterFinished", ("ttlAfterFinished",), why, has_it
    for name in spec.env:
        if name in _RESERVED:
            reason = (
                "the runtime's torch policy sets it, and Trainer refuses a TrainJob that "
                "sets it too"
            )
            yield f"env.{name}", ("env", name), reason, "delete it"


def notes(resolution: Resolution, env: Nodes) -> list[Note]:
    """Return notes on what the runtime decides, and what it must set. `env`: the variables of the
    main container."""
    runtime = runtime_of(resolution)
    if runtime is None:
        return []
    called, origin = f"{runtime.kind} {runtime.name}", Origin("profile", PATH)
    text = f"{called} decides {listed(DECIDED.values())}: gpuspec does not read it"
    note_list = [Note(text, origin, loud=True)]
    values = {field: value(resolution) for field, value in LEFT.values()}
    if gangs.is_kueues(resolution):
        values[_GRACE] = _saving(resolution)
    settings = [
        f"{field}: {decision.value}"
        for field, decision in values.items()
        if isinstance(decision, Decision)
    ]
    if settings:
        text = f"no TrainJob can set {listed(settings)}: set it in {called}"
        note_list.append(Note(text, origin, loud=True))
    if any(_is_reserved(variable) for variable in env):
        text = (
            f"{called} needs the torch policy: Trainer passes the workers to torchrun through "
            "it, and the command does not"
        )
        note_list.append(Note(text, origin, loud=True))
    return note_list


def _saving(resolution: Resolution) -> PlanPart:
    """Return the grace period of a run that saves at its end; None if Kubernetes' default is
    enough."""
    assert isinstance(resolution.spec, TrainingFields)
    grace, _ = interruption.saving(resolution, resolution.spec)
    return None if grace.value == interruption.DEFAULT_GRACE else grace
