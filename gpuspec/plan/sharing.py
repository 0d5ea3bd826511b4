"""Who is given a share of a GPU, and what a model server is told of it."""

import math

from gpuspec import runtimes
from gpuspec.hardware import GpuModel
from gpuspec.manifests import Path
from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, Note, Origin, from_spec
from gpuspec.plan.offers import DEVICES, Offer
from gpuspec.plan.words import count, gib
from gpuspec.runtimes import Runtime
from gpuspec.spec import (
    InferenceSpec,
    Provider,
    WorkloadSpec,
    at_least,
    sharing_objection,
    takes_whole,
)

# Parts into which a GPU must be divisible for what a workload declares, before a whole one is
# called waste: below two nothing else would fit beside it.
WASTE = 2
# The most pods that MPS serves on one GPU, and that a profile can state for either way of sharing.
MOST_SHARES = 48


def share_misfit(spec: WorkloadSpec, offer: Offer, provider: Provider) -> str | None:
    """Why a workload is not given this share of a GPU, its size aside; None when it may be."""
    if offer.kind in DEVICES:
        return None
    if reason := _objection(spec, offer):
        why, instead = reason
        waiver = ", or a reason in waivers.timeSlicing" if offer.kind == "time-slicing" else ""
        return f"it offers {offer}, where {why}: use {instead}{waiver}"
    if reason := takes_whole(spec):
        why, instead = reason
        return f"it offers {offer}, and {why}: to get one, {instead}"
    if offer.kind == "mps" and (reason := _mps_misfit(spec, provider)):
        why, instead = reason
        return f"it offers {offer}, and {why}: {instead}"
    return None


def _objection(spec: WorkloadSpec, offer: Offer) -> tuple[str, str] | None:
    """What speaks against such neighbours, unless it is waived, and what to use instead."""
    if offer.kind not in ("mps", "time-slicing"):
        return None
    if offer.kind == "time-slicing" and spec.waivers.time_slicing is not None:
        return None
    return sharing_objection(spec, offer.kind)


def _mps_misfit(spec: WorkloadSpec, provider: Provider) -> tuple[str, str] | None:
    """What keeps restricted pods, or this server, from being a client of MPS."""
    instead = "use a MIG slice or whole GPUs"
    if provider == "gke":
        return "GKE's MPS takes pods with hostIPC, which Pod Security refuses", instead
    if spec.resources.shm is not None:
        return "MPS brings a /dev/shm of its own", "delete resources.shm"
    if isinstance(spec, InferenceSpec):
        runtime = runtimes.get(spec.runtime)
        if runtime.gpu_memory.greedy and not _can_be_told(runtime, spec):
            since = runtime.gpu_memory.told_since
            if runtime.settings.memory_fraction is None:
                return (
                    f"{runtime.title} takes more than a share and cannot be told its own",
                    instead,
                )
            said = f", known to be {since} or newer" if since else ""
            return f"{runtime.title} takes more than a share unless told", f"use an image{said}"
    return None


def _can_be_told(runtime: Runtime, spec: InferenceSpec) -> bool:
    """Whether the server can surely be told its fraction of a GPU's memory."""
    since = runtime.gpu_memory.told_since
    if runtime.settings.memory_fraction is None:
        return False
    return since is None or at_least(spec, since) is True


def is_told(spec: WorkloadSpec, offer: Offer) -> bool:
    """Whether a model server is told its part of the GPU's memory.

    Only where the GPU looks whole and is not: a MIG slice looks like a small GPU.
    """
    if offer.kind in (*DEVICES, "mig") or not isinstance(spec, InferenceSpec):
        return False
    return _can_be_told(runtimes.get(spec.runtime), spec)


def told_fraction(case: Case) -> float | None:
    """The fraction of the GPU's memory that the server is told to take; None when it is not told.

    Down to thousandths, so that all shares together stay within the GPU.
    """
    if case.offer is None or not is_told(case.spec, case.offer):
        return None
    return math.floor(case.runtime.gpu_memory.part * 1000) // case.offer.per_gpu / 1000


def waiver(case: Case) -> Leaf | None:
    """The reason of the waiver for time-slicing."""
    reason = case.spec.waivers.time_slicing
    if reason is None:
        return None
    return from_spec(("spec", "waivers", "timeSlicing"), reason, "a waiver needs a reason")


def sharing_notes(case: Case) -> list[Note]:
    """What people should know of the share that was chosen, or of the GPU that stays empty."""
    offer, notes = case.offer, _waiver_notes(case)
    if offer is None:
        return notes
    if offer.kind == "whole":
        return notes + _waste(case)
    if offer.kind in ("mps", "time-slicing"):
        notes += _server_notes(case, offer)
    if offer.kind == "mps":
        text = (
            "MPS serves the pods of one user at a time: on the same GPU, pods that run as another "
            "uid wait for these"
        )
        notes.append(Note(text, Origin("profile", case.pools[0].path("sharing"))))
    return notes


def _waiver_notes(case: Case) -> list[Note]:
    reason = case.spec.waivers.time_slicing
    if reason is None:
        return []
    origin = Origin("spec", ("spec", "waivers", "timeSlicing"))
    notes = [Note(f"waiver time-slicing: {reason}", origin)]
    if whole := takes_whole(case.spec):
        why = f"no share is given, since {whole[0]}"
    elif sharing_objection(case.spec, "time-slicing") is None:
        why = "the workload may be time-sliced as it is"
    elif case.offer is not None and case.offer.kind != "time-slicing":
        # Another profile's pools may be shared so: a reason to know it, and none to change the spec.
        return [*notes, Note(f"the waiver is not made use of: {case.offer}", origin)]
    else:
        return notes
    return [*notes, Note(f"waiver time-slicing is not needed: {why}", origin, loud=True)]


def _server_notes(case: Case, offer: Offer) -> list[Note]:
    """What a server that fills the GPU's memory does to its neighbours, or they to it."""
    known = case.runtime.gpu_memory
    if not known.greedy or not isinstance(case.spec, InferenceSpec):
        return []
    origin = Origin("table", row=f"runtimes/{case.runtime.name} gpu_memory")
    title = case.runtime.title
    if told_fraction(case) is None:
        text = f"nothing tells {title} its share: it fills the GPU's memory"
        return [Note(text, origin, loud=True)]
    notes = _own_fraction(case, offer)
    if known.beside:
        notes.append(Note(f"{title} on {offer}: {known.beside}", origin, loud=True))
    return notes


def _own_fraction(case: Case, offer: Offer) -> list[Note]:
    """A loud word where the spec's own argument or variable takes the place of the share's."""
    setting = case.runtime.settings.memory_fraction
    if setting is None:
        return []
    names = {entry.partition("=")[0] for entry in setting.environment}
    places: list[tuple[str, Path]] = [
        (word, ("spec", "args", index))
        for index, word in enumerate(case.spec.args)
        if runtimes.flag(word) in setting.flags
    ]
    places += [(name, ("spec", "env", name)) for name in case.spec.env if name in names]
    return [
        Note(
            f"`{word}` is the spec's own: it must keep {case.runtime.title} within {offer.one}",
            Origin("spec", path),
            loud=True,
        )
        for word, path in places
    ]


def _waste(case: Case) -> list[Note]:
    """A word where whole GPUs are given to a workload that declares a fraction of one.

    Not a loud one for a server that makes use of all the memory there is.
    """
    spec = case.spec
    if takes_whole(spec) or spec.gpu.memory is None:
        return []
    need = math.floor(spec.gpu.memory.value)
    chosen = min(case.pools, key=lambda one: one.model.memory)
    model = chosen.model
    if model.memory < need * WASTE:
        return []
    help_ = _instead_of_whole(case, model, need)
    if help_ is None:
        return []
    greedy = case.runtime.gpu_memory.greedy
    rest = f"{case.runtime.title} takes for itself" if greedy else "stay unused"
    text = (
        f"a whole {model.name} for {spec.gpu.memory}: {gib(model.memory - need)} of its "
        f"{gib(model.memory)} {rest}; {help_}"
    )
    return [Note(text, Origin("spec", ("spec", "gpu", "memory")), loud=not greedy)]


def _instead_of_whole(case: Case, model: GpuModel, need: int) -> str | None:
    """What would give the workload so many bytes of a GPU and others the rest; None when nothing."""
    held = [p for p in model.mig if p.memory >= need and p.max_per_gpu >= WASTE]
    if held:
        best = min(held, key=lambda p: (p.memory, -p.max_per_gpu))
        return f"a MIG slice {best.name} ({gib(best.memory)}, {best.max_per_gpu} on a GPU) would do"
    per_gpu = min(model.memory // need, MOST_SHARES)
    for kind in ("mps", "time-slicing"):
        offer = Offer(kind, "", model.memory // per_gpu, per_gpu, 1)
        if share_misfit(case.spec, offer, case.profile.spec.provider) is None:
            return f"shared by {kind} it would serve {count(per_gpu, 'such pod')}"
    return None
