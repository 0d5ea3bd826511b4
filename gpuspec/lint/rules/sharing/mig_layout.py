"""A layout of MIG slices that no GPU can hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.sharing.sharing import written_in
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from gpuspec.hardware import GpuModel

RULE = Rule(
    "GPU319",
    "mig-layout",
    "error",
    "A MIG manager configuration has a layout that does not fit on any GPU",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield ConfigMaps with `mig-configs`, as mig-parted reads them."""
    for key, whole in written_in(obj, "mig-configs:"):
        for name, rows in mapping(whole.get("mig-configs")).items():
            for row in items(rows):
                counts = _wanted(mapping(row).get("mig-devices"))
                impossibility = None if not counts else _impossible(counts)
                if impossibility is not None:
                    reason, sure = impossibility
                    yield RawFinding(
                        obj.path("data", key),
                        f"no {'' if sure else 'known '}GPU supports the layout `{name}`: "
                        f"{reason}; nodes with this label stay in state `failed`, and their GPUs "
                        "are not partitioned",
                        note="write a layout that fits on the GPU",
                        confidence="certain" if sure else "likely",
                    )


def _wanted(devices_value: object) -> dict[str, int]:
    """Return the number of each profile; none if one is not a positive number."""
    counts = {}
    for profile, count in mapping(devices_value).items():
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            return {}
        counts[str(profile)] = count
    return counts


def _impossible(counts: dict[str, int]) -> tuple[str, bool] | None:
    """Return why no known GPU model holds this number of slices, and whether this is certain,
    because an unknown model may have other profiles. None if one does."""
    from gpuspec import hardware
    from gpuspec.fleet.fragments.mig import arrange

    cut = [model for model in hardware.models() if model.mig]
    for profile in counts:
        if not any(_has(model, profile) for model in cut):
            return f"no GPU has the profile `{profile}`", False
    able = [model for model in cut if all(_has(model, profile) for profile in counts)]
    if not able:
        return f"no GPU has all of {', '.join(f'`{profile}`' for profile in counts)}", False
    if any(arrange(model.mig, (), counts) is not None for model in able):
        return None
    slices = {mig_profile.name: mig_profile.compute_slices for mig_profile in able[0].mig}
    used = sum(slices[profile] * count for profile, count in counts.items())
    whole = max(slices.values())
    if used > whole:
        return f"the layout needs {used} compute slices, but a GPU has {whole}", True
    return "these slices do not fit together", True


def _has(model: GpuModel, profile: str) -> bool:
    return any(mig_profile.name == profile for mig_profile in model.mig)
