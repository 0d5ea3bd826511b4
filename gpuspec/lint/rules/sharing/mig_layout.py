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
                wanted = _wanted(mapping(row).get("mig-devices"))
                found = None if not wanted else _impossible(wanted)
                if found is not None:
                    reason, sure = found
                    yield RawFinding(
                        obj.path("data", key),
                        f"no {'' if sure else 'known '}GPU supports the layout `{name}`: "
                        f"{reason}; nodes with this label stay in state `failed`, and their GPUs "
                        "are not partitioned",
                        note="write a layout that fits on the GPU",
                        confidence="certain" if sure else "likely",
                    )


def _wanted(written: object) -> dict[str, int]:
    """Return how many of each profile; none where one of them is no number above zero."""
    found = {}
    for profile, count in mapping(written).items():
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            return {}
        found[str(profile)] = count
    return found


def _impossible(wanted: dict[str, int]) -> tuple[str, bool] | None:
    """Return why no model of GPU holds so many slices of these profiles, and whether none can: a
    model that is not known may have other profiles. None where one does."""
    from gpuspec import hardware
    from gpuspec.fleet.fragments.mig import arrange

    cut = [model for model in hardware.models() if model.mig]
    for profile in wanted:
        if not any(_has(model, profile) for model in cut):
            return f"no GPU has the profile `{profile}`", False
    able = [model for model in cut if all(_has(model, profile) for profile in wanted)]
    if not able:
        return f"no GPU has all of {', '.join(f'`{profile}`' for profile in wanted)}", False
    if any(arrange(model.mig, (), wanted) is not None for model in able):
        return None
    slices = {mig_profile.name: mig_profile.compute_slices for mig_profile in able[0].mig}
    used = sum(slices[profile] * count for profile, count in wanted.items())
    whole = max(slices.values())
    if used > whole:
        return f"the layout needs {used} compute slices, but a GPU has {whole}", True
    return "these slices do not fit together", True


def _has(model: GpuModel, profile: str) -> bool:
    return any(mig_profile.name == profile for mig_profile in model.mig)
