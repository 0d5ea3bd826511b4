"""Which workloads may have a share of a GPU, and the server's settings for it."""

import math

from gpuspec import runtimes
from gpuspec.enumeration import counted
from gpuspec.hardware import GpuModel
from gpuspec.manifests import Path
from gpuspec.plan.decision import Decision, Note, Origin, from_spec
from gpuspec.plan.device_options import DEVICES, DeviceOption
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.wording import gib
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


def share_misfit(spec: WorkloadSpec, device_option: DeviceOption, provider: Provider) -> str | None:
    """Return why a workload may not have this share of a GPU, its size aside; None if it may."""
    if device_option.kind in DEVICES:
        return None
    if reason := _objection(spec, device_option):
        why, instead = reason
        waiver = (
            ", or a reason in waivers.timeSlicing" if device_option.kind == "time-slicing" else ""
        )
        return f"it offers {device_option}, but {why}: use {instead}{waiver}"
    if reason := takes_whole(spec):
        why, instead = reason
        return f"it offers {device_option}, but {why}: to get one, {instead}"
    if device_option.kind == "mps" and (reason := _mps_misfit(spec, provider)):
        why, instead = reason
        return f"it offers {device_option}, but {why}: {instead}"
    return None


def _objection(spec: WorkloadSpec, device_option: DeviceOption) -> tuple[str, str] | None:
    """Return the argument against such neighbours, unless it is waived, and what to use instead."""
    if device_option.kind not in ("mps", "time-slicing"):
        return None
    if device_option.kind == "time-slicing" and spec.waivers.time_slicing is not None:
        return None
    return sharing_objection(spec, device_option.kind)


def _mps_misfit(spec: WorkloadSpec, provider: Provider) -> tuple[str, str] | None:
    """Return why restricted pods, or this server, cannot be a client of MPS."""
    instead = "use a MIG slice or whole GPUs"
    if provider == "gke":
        return "GKE's MPS takes pods with hostIPC, which Pod Security refuses", instead
    if spec.resources.shm is not None:
        return "MPS mounts its own /dev/shm", "delete resources.shm"
    if isinstance(spec, InferenceSpec):
        runtime = runtimes.get(spec.runtime)
        if runtime.gpu_memory.greedy and not _can_be_told(runtime, spec):
            since = runtime.gpu_memory.told_since
            if runtime.settings.memory_fraction is None:
                return (
                    f"{runtime.title} uses more than a share and has no option to limit it",
                    instead,
                )
            suffix = f", known to be {since} or newer" if since else ""
            return f"{runtime.title} uses more than a share by default", f"use an image{suffix}"
    return None


def _can_be_told(runtime: Runtime, spec: InferenceSpec) -> bool:
    """Return whether the server surely has an option for its fraction of a GPU's memory."""
    since = runtime.gpu_memory.told_since
    if runtime.settings.memory_fraction is None:
        return False
    return since is None or at_least(spec, since) is True


def is_told(spec: WorkloadSpec, device_option: DeviceOption) -> bool:
    """Return whether a model server gets the option for its fraction of the GPU's memory.

    Only if the server sees the whole GPU; a MIG slice looks like a small GPU.
    """
    if device_option.kind in (*DEVICES, "mig") or not isinstance(spec, InferenceSpec):
        return False
    return _can_be_told(runtimes.get(spec.runtime), spec)


def told_fraction(resolution: Resolution) -> float | None:
    """Return the fraction of the GPU's memory in the server's option; None without the option.

    Rounded down to thousandths, so that all shares together fit on the GPU.
    """
    if resolution.device_option is None or not is_told(resolution.spec, resolution.device_option):
        return None
    return (
        math.floor(resolution.runtime.gpu_memory.part * 1000)
        // resolution.device_option.per_gpu
        / 1000
    )


def waiver(resolution: Resolution) -> Decision | None:
    """Return the reason of the waiver for time-slicing."""
    reason = resolution.spec.waivers.time_slicing
    if reason is None:
        return None
    return from_spec(("spec", "waivers", "timeSlicing"), reason, "a waiver needs a reason")


def sharing_notes(resolution: Resolution) -> list[Note]:
    """Return notes on the chosen share, or on the GPU that stays empty."""
    device_option, notes = resolution.device_option, _waiver_notes(resolution)
    if device_option is None:
        return notes
    if device_option.kind == "whole":
        return notes + _waste(resolution)
    if device_option.kind in ("mps", "time-slicing"):
        notes += _server_notes(resolution, device_option)
    if device_option.kind == "mps":
        text = (
            "MPS serves the pods of one user at a time: on the same GPU, pods with another "
            "uid wait for these"
        )
        notes.append(Note(text, Origin("profile", resolution.pools[0].path("sharing"))))
    return notes


def _waiver_notes(resolution: Resolution) -> list[Note]:
    reason = resolution.spec.waivers.time_slicing
    if reason is None:
        return []
    origin = Origin("spec", ("spec", "waivers", "timeSlicing"))
    notes = [Note(f"waiver time-slicing: {reason}", origin)]
    if whole := takes_whole(resolution.spec):
        why = f"the pod gets no share, because {whole[0]}"
    elif sharing_objection(resolution.spec, "time-slicing") is None:
        why = "the workload can be time-sliced without it"
    elif resolution.device_option is not None and resolution.device_option.kind != "time-slicing":
        # Another profile's pools may be shared so: a reason to know it, and none to change the spec.
        return [*notes, Note(f"the waiver is not used: {resolution.device_option}", origin)]
    else:
        return notes
    return [*notes, Note(f"waiver time-slicing is not needed: {why}", origin, loud=True)]


def _server_notes(resolution: Resolution, device_option: DeviceOption) -> list[Note]:
    """Return the effect of a server that fills the GPU's memory on its neighbours, and theirs on
    it."""
    gpu_memory = resolution.runtime.gpu_memory
    if not gpu_memory.greedy or not isinstance(resolution.spec, InferenceSpec):
        return []
    origin = Origin("table", row=f"runtimes/{resolution.runtime.name} gpu_memory")
    title = resolution.runtime.title
    if told_fraction(resolution) is None:
        text = f"no option limits {title} to its share: it fills the GPU's memory"
        return [Note(text, origin, loud=True)]
    notes = _own_fraction(resolution, device_option)
    if gpu_memory.beside:
        notes.append(Note(f"{title} on {device_option}: {gpu_memory.beside}", origin, loud=True))
    return notes


def _own_fraction(resolution: Resolution, device_option: DeviceOption) -> list[Note]:
    """Return a loud note if the spec's own argument or variable replaces the share's."""
    setting = resolution.runtime.settings.memory_fraction
    if setting is None:
        return []
    names = {entry.partition("=")[0] for entry in setting.environment}
    places: list[tuple[str, Path]] = [
        (word, ("spec", "args", index))
        for index, word in enumerate(resolution.spec.args)
        if runtimes.flag(word) in setting.flags
    ]
    places += [(name, ("spec", "env", name)) for name in resolution.spec.env if name in names]
    return [
        Note(
            f"`{word}` is the spec's own: it must keep {resolution.runtime.title} within {device_option.one}",
            Origin("spec", path),
            loud=True,
        )
        for word, path in places
    ]


def _waste(resolution: Resolution) -> list[Note]:
    """Return a note if a workload that declares a fraction of a GPU gets whole ones.

    Not loud for a server that uses all the memory there is.
    """
    spec = resolution.spec
    if takes_whole(spec) or spec.gpu.memory is None:
        return []
    need = math.floor(spec.gpu.memory.value)
    chosen = min(resolution.pools, key=lambda pool: pool.model.memory)
    model = chosen.model
    if model.memory < need * WASTE:
        return []
    help_ = _instead_of_whole(resolution, model, need)
    if help_ is None:
        return []
    greedy = resolution.runtime.gpu_memory.greedy
    rest = f"{resolution.runtime.title} takes for itself" if greedy else "stay unused"
    text = (
        f"a whole {model.name} for {spec.gpu.memory}: {gib(model.memory - need)} of its "
        f"{gib(model.memory)} {rest}; {help_}"
    )
    return [Note(text, Origin("spec", ("spec", "gpu", "memory")), loud=not greedy)]


def _instead_of_whole(resolution: Resolution, model: GpuModel, need: int) -> str | None:
    """Return a way to give the workload this many bytes of a GPU and others the rest; None if there
    is none."""
    mig_profiles = [p for p in model.mig if p.memory >= need and p.max_per_gpu >= WASTE]
    if mig_profiles:
        best = min(mig_profiles, key=lambda p: (p.memory, -p.max_per_gpu))
        return f"a MIG slice {best.name} ({gib(best.memory)}, {best.max_per_gpu} on a GPU) would do"
    per_gpu = min(model.memory // need, MOST_SHARES)
    for kind in ("mps", "time-slicing"):
        device_option = DeviceOption(kind, "", model.memory // per_gpu, per_gpu, 1)
        if share_misfit(resolution.spec, device_option, resolution.profile.spec.provider) is None:
            return f"shared by {kind} it would serve {counted(per_gpu, 'such pod')}"
    return None
