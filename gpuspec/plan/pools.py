"""Choose the pools of the profile that can run a workload, with reasons for the others.

A plan is for the pools that satisfy the workload and agree with the first choice on device resource
and fabric; everything else is derived from that set.
"""

from gpuspec.enumeration import counted
from gpuspec.hardware import GpuModel
from gpuspec.plan import local_disk, other_resources, place
from gpuspec.plan.attachment import given
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.device_options import ISOLATION, DeviceOption
from gpuspec.plan.devices import device_of
from gpuspec.plan.distribution import most_pods
from gpuspec.plan.fabric import wants_fabric
from gpuspec.plan.fit import (
    PoolRequirements,
    adequate,
    architecture,
    image_misfit,
    least_memory,
    model_misfit,
    rank_of,
)
from gpuspec.plan.named_models import acceptable_models
from gpuspec.plan.needs import needs
from gpuspec.plan.permit import Permit, permit
from gpuspec.plan.products import other_board
from gpuspec.plan.resolution import ChosenPool, ExcludedPool, Refusal, RefusalReason, Resolution
from gpuspec.plan.sharing import is_told, sharing_notes
from gpuspec.plan.slices import disagreement
from gpuspec.plan.wording import gib
from gpuspec.spec import (
    BatchInferenceSpec,
    InferenceSpec,
    Pool,
    Profile,
    Workload,
    WorkloadSpec,
    model_of,
)
from gpuspec.spec.placing import Placing
from gpuspec.spec.together import pods_together


def examine(workload: Workload, profile: Profile) -> Resolution:
    """Return the workload on the profile, with the pools that can run it, best first.

    Raises `Refusal` if the profile has pools and none of them can, or if the spec's models do not
    meet its own envelope; `InputError` if neither the hardware table nor the profile has one of its
    names.
    """
    if names := place.unknown(workload, profile):
        raise Refusal(workload.name, profile.name, names)
    gpu_models = acceptable_models(workload, profile)
    if not profile.spec.pools:
        return _without_pools(workload, profile, gpu_models)
    spec = workload.model.spec
    need = needs(Resolution(workload, profile, (), gpu_models))
    models = [model_of(pool) for pool in profile.spec.pools]
    arch = architecture(spec, gpu_models or models)
    allowed = permit(workload, profile)
    known_resources = other_resources.told(profile)
    pool_requirements = PoolRequirements(
        spec, gpu_models, arch, need, profile.spec.provider, allowed, known_resources
    )
    fit: list[ChosenPool] = []
    excluded_pools: list[ExcludedPool] = []
    for index, (pool, model) in enumerate(zip(profile.spec.pools, models, strict=True)):
        misplaced = place.misfit(spec, pool) or other_board(spec, pool, model)
        misfit = misplaced or adequate(pool_requirements, pool, model)
        if isinstance(misfit, str):
            excluded_pools.append(ExcludedPool(pool, model, index, misfit))
        else:
            fit += [ChosenPool(pool, model, index, device_option) for device_option in misfit]
    if not fit:
        field = "place" if spec.place != Placing() else "gpu"
        reasons = [
            RefusalReason(f"pool {out.pool.name}: {out.reason}", workload.place(("spec", field)))
            for out in excluded_pools
        ]
        raise Refusal(workload.name, profile.name, reasons)
    fit.sort(key=lambda chosen: _rank(chosen, gpu_models, spec))
    agreed: dict[int, ChosenPool] = {}
    unlike: dict[int, ExcludedPool] = {}
    for chosen in fit:
        reason = _disagreement(fit[0], chosen, spec, allowed)
        if reason is None:
            agreed.setdefault(chosen.index, chosen)
        else:
            out = ExcludedPool(chosen.pool, chosen.model, chosen.index, reason)
            unlike.setdefault(chosen.index, out)
    excluded_pools += [out for index, out in unlike.items() if index not in agreed]
    excluded_pools.sort(key=lambda out: out.index)
    chosen_models = tuple(dict.fromkeys(chosen.model for chosen in agreed.values()))
    return Resolution(
        workload, profile, tuple(agreed.values()), chosen_models, tuple(excluded_pools)
    )


def notes(resolution: Resolution) -> list[Note]:
    """Return notes on the pools for `explain`, and a loud note if workers may get different
    GPUs."""
    pool_notes = [
        Note(
            f"it can run on pool {chosen.pool.name}{_given(chosen)}",
            Origin("profile", chosen.path()),
        )
        for chosen in resolution.pools
    ]
    pool_notes += [
        Note(
            f"pool {out.pool.name} is left out: {out.reason}",
            Origin("profile", ("spec", "pools", out.index)),
        )
        for out in resolution.excluded_pools
    ]
    prefer = resolution.spec.place.prefer
    pool_notes += [
        Note(
            f"place.prefer: no pod can run on pool {out.pool.name}: {out.reason}",
            Origin("spec", (*place.PATH, "prefer", prefer.index(out.pool.name))),
            loud=True,
        )
        for out in resolution.excluded_pools
        if out.pool.name in prefer
    ]
    models = Origin("spec", ("spec", "gpu", "models"))
    pool_notes += [Note(f"left out: {reason}", models) for reason in resolution.unfit_models]
    pool_notes += sharing_notes(resolution)
    pool_notes += _short_of_nodes(resolution)
    pool_notes += _far_apart(resolution)
    if resolution.workers > 1 and len(resolution.models) > 1:
        names = " and ".join(model.name for model in resolution.models)
        text = f"{resolution.together} may run on {names}: the slowest sets the pace"
        pool_notes.append(Note(text, models, loud=True))
    return pool_notes


def _given(chosen: ChosenPool) -> str:
    device_option = chosen.device_option
    if device_option.kind == "whole":
        return ""
    share_words = "" if device_option.kind == "partition" else f", {device_option.per_gpu} on a GPU"
    return f": {device_option.one}, {gib(device_option.memory)}{share_words}"


def _short_of_nodes(resolution: Resolution) -> list[Note]:
    """Return a loud note if the pools, all of them empty, have fewer GPUs than the pods request."""
    have = 0
    for chosen in resolution.pools:
        nodes = chosen.pool.most_nodes
        if nodes is None:
            return []
        have += nodes * chosen.device_option.on_node
    if isinstance(resolution.spec, BatchInferenceSpec):
        return []  # what does not fit at once waits its turn
    path = ("spec", "replicas" if isinstance(resolution.spec, InferenceSpec) else "workers")
    pods = most_pods(resolution.spec)
    gpus_needed = pods * resolution.gpus + resolution.gpus_of_roles
    if not resolution.pools or gpus_needed <= have:
        return []
    names = ", ".join(chosen.pool.name for chosen in resolution.pools)
    unit = resolution.pools[0].device_option.unit
    beside = f" + {resolution.gpus_of_roles} of roles" if resolution.gpus_of_roles else ""
    text = f"{counted(pods, 'pod')} × {counted(resolution.gpus, unit)}{beside} = {gpus_needed}, and {names} has {have}"
    return [Note(text, Origin("spec", path), loud=True)]


def _far_apart(resolution: Resolution) -> list[Note]:
    """Return a note if workers on one fabric may land in several zones; loud without an affinity
    that keeps them together."""
    if (
        resolution.workers == 1
        or not wants_fabric(resolution.spec)
        or getattr(resolution.spec, "topology", None)
    ):
        return []
    notes: list[Note] = []
    for chosen in resolution.pools:
        rdma = chosen.pool.rdma
        if rdma is None or len(chosen.pool.zones) < 2:
            continue
        drawn = resolution.pools[0].pool.rdma and resolution.pools[0].pool.rdma.domain
        strength_words = f"only a preference for one `{drawn}` keeps" if drawn else "nothing keeps"
        text = (
            f"pool {chosen.pool.name} spans {', '.join(chosen.pool.zones)}: {strength_words} "
            f"{resolution.together} in one of them"
        )
        notes.append(Note(text, Origin("profile", chosen.path("zones")), loud=not drawn))
    return notes


def _without_pools(
    workload: Workload, profile: Profile, gpu_models: tuple[GpuModel, ...]
) -> Resolution:
    """Return the named models that meet the envelope; without names, node labels decide."""
    spec = workload.model.spec
    arch = architecture(spec, gpu_models)
    fit: list[GpuModel] = []
    unfit: list[str] = []
    for model in gpu_models:
        reason = image_misfit(spec, model) or model_misfit(spec, model)
        if reason is None and fit and device_of(model.vendor) != device_of(fit[0].vendor):
            reason = (
                f"{model.name} is a different device from {fit[0].name}: a pod requests one kind"
            )
        if reason is None and model.architecture not in (None, arch):
            reason = f"{model.name} is on {model.architecture} hosts, the image is {arch}"
        if reason is None:
            fit.append(model)
        else:
            unfit.append(reason)
    if unfit and not fit:
        place = workload.place(("spec", "gpu", "models"))
        raise Refusal(workload.name, profile.name, [RefusalReason(text, place) for text in unfit])
    return Resolution(workload, profile, (), tuple(fit), (), tuple(unfit))


def _rank(
    chosen: ChosenPool, gpu_models: tuple[GpuModel, ...], spec: WorkloadSpec
) -> tuple[int, int, int, int, int]:
    """Return a sort key: the spec's order of pools, of models, then the smallest sufficient GPU."""
    device_option = chosen.device_option
    model = rank_of(chosen.model, gpu_models) or 0
    small_first = device_option.memory if least_memory(spec) else 0
    isolation = ISOLATION.index(device_option.kind)
    return (place.rank(spec, chosen.pool), model, small_first, isolation, chosen.index)


def _way(pool: Pool, device_option: DeviceOption) -> str:
    """Return how pods request the GPUs of a pool."""
    if device_option.claimed is not None:
        return f"a claim of {device_option.claimed}"
    return "a device plugin's resource" if pool.gpu.dra is None else "an extended resource"


def _disagreement(
    first: ChosenPool, chosen_pool: ChosenPool, spec: WorkloadSpec, allowed: Permit
) -> str | None:
    """Return why one pod cannot be for both pools: device resource, fabric and runtime are one
    choice."""
    pool, two = first.pool, chosen_pool.pool
    ours, theirs = first.device_option, chosen_pool.device_option
    if ours.claimed != theirs.claimed:
        return f"pods request it by {_way(two, theirs)}, the first choice by {_way(pool, ours)}"
    # A claim has alternatives, each by its own profile.
    other_name = ours.resource != theirs.resource and not ours.claimed
    if ours.kind != theirs.kind or (other_name and ours.profile != theirs.profile):
        return f"it offers {theirs}, the first choice {ours}"
    if other_name:
        return f"it advertises {theirs.resource}, the first choice {ours.resource}"
    if ours.per_gpu != theirs.per_gpu and is_told(spec, ours):
        return f"it offers {theirs}, the first choice {ours}: a server gets one share as argument"
    if pool.gpu.hugepages != two.gpu.hugepages:
        return "its nodes have other huge pages than the first choice"
    if reason := disagreement(pool, two):
        return reason
    if pool.compute_domains != two.compute_domains and pods_together(spec) > 1:
        return "its nodes are not connected by NVLink like those of the first choice"
    if pool.runtime_class != two.runtime_class:
        return "it needs another runtimeClassName than the first choice"
    if local_disk.wanted(spec) and pool.local_disk != two.local_disk:
        return "its local disk is not where the first choice has it"
    gpus = spec.gpu.count
    if wants_fabric(spec) and given(first, gpus, allowed) != given(chosen_pool, gpus, allowed):
        return "its RDMA fabric is not that of the first choice"
    return None
