"""A MIG slice whose name is written wrongly, or that no GPU has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.gpu_models import gpu_models
from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.analysis.sharing.mig import PREFIX, computes_apart, nearest, owners, written
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, RawFinding, Rename, Rule
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.hardware import GpuModel
    from gpuspec.objects.containers import PodContainer

RULE = Rule(
    "GPU311",
    "unknown-mig-profile",
    "error",
    "A MIG profile is misspelt or not offered by any GPU",
    fix="both",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield names in limits and requests that are meant as slices."""
    models = tuple(pool.model for pool in context.placed)
    own_models = () if models else tuple(gpu_models(pod, context))
    for container in pod.every:
        for name in dict.fromkeys((*container.limits, *container.requests)):
            if not isinstance(name, str) or not name[:1].isalnum():
                continue
            right_name = written(name)
            if right_name is None:
                continue
            is_known = right_name in owners()
            if name != right_name and (is_known or name.lower().startswith(("mig", PREFIX))):
                yield _misspelled(container, name, right_name, models)
            elif name == right_name and computes_apart(right_name):
                yield _apart(container, name, models)
            elif name == right_name and not _exists(name, models):
                yield _unknown(container, name, models)
            elif name == right_name and own_models and not _exists(name, own_models):
                yield _of_selected(container, name, own_models)


def _misspelled(
    container: PodContainer, name: str, right_name: str, pool_models: tuple[GpuModel, ...]
) -> RawFinding:
    will = (
        "the pod stays Pending: no device plugin advertises"
        if "/" in name
        else "the API server rejects the pod: there is no resource"
    )
    sure = right_name in owners()
    return RawFinding(
        _where(container, name)[0],
        f"{will} `{name}`; a slice of this profile is named `{right_name}`",
        key=True,
        fix=_fix(container, name, right_name, safe=sure),
        confidence="certain" if pool_models or "/" not in name else "likely",
    )


def _apart(container: PodContainer, name: str, pool_models: tuple[GpuModel, ...]) -> RawFinding:
    return RawFinding(
        _where(container, name)[0],
        f"the pod stays Pending: `{name}` is a compute instance within a slice, which device "
        "plugins do not advertise",
        note="request the whole slice: write the profile without its `c` part",
        key=True,
        confidence="certain" if pool_models else "likely",
    )


def _exists(resource: str, pool_models: tuple[GpuModel, ...]) -> bool:
    """Return whether any GPU has it, or one of the known models."""
    if not pool_models:
        return resource in owners()
    return any(model.profile(resource) is not None for model in pool_models)


def _unknown(container: PodContainer, name: str, pool_models: tuple[GpuModel, ...]) -> RawFinding:
    near = nearest(name, pool_models or _all())
    did = f"; did you mean `{near}`?" if near else ""
    profile = name.removeprefix(PREFIX)
    if pool_models:
        listed = names(sorted({model.name for model in pool_models}))
        message = (
            f"the pod stays Pending: no GPU of the profile's pools ({listed}) has the MIG profile "
            f"`{profile}`"
        )
    else:
        message = f"no known GPU has the MIG profile `{profile}`: the pod stays Pending"
    return RawFinding(
        _where(container, name)[0],
        message + did,
        key=True,
        fix=None if near is None else _fix(container, name, near, safe=False),
        confidence="certain" if pool_models else "likely",
    )


def _of_selected(
    container: PodContainer, name: str, own_models: tuple[GpuModel, ...]
) -> RawFinding:
    """Return the finding on a slice of a GPU that the pod's node selector excludes."""
    listed = names(sorted({model.name for model in own_models}))
    return RawFinding(
        _where(container, name)[0],
        f"the pod stays Pending: it may run only on {listed}, which has no MIG profile "
        f"`{name.removeprefix(PREFIX)}`",
        note="select a GPU with this profile, or request a profile of the selected GPU",
        key=True,
        confidence="likely",
    )


def _all() -> tuple[GpuModel, ...]:
    from gpuspec import hardware

    return hardware.models()


def _where(container: PodContainer, name: str) -> list[tuple[str | int, ...]]:
    base = container.path(container.resources_at)
    amounts_by_field = (("limits", container.limits), ("requests", container.requests))
    return [(*base, field, name) for field, amounts in amounts_by_field if name in amounts]


def _fix(container: PodContainer, name: str, right_name: str, *, safe: bool) -> Fix | None:
    if right_name in container.limits or right_name in container.requests:
        return None
    renames = tuple(Rename(path, right_name) for path in _where(container, name))
    return Fix(f"write `{right_name}`", renames, safe=safe)
