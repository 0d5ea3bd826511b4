"""A selector or affinity that no pool of the profile meets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.enumeration import choice_of
from gpuspec.escaping.spellings import nearest
from gpuspec.lint.analysis.placement.placing import (
    advertisers,
    names,
    reached,
    requirement_path,
    requirements,
    wanted_devices,
)
from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.fleet.match import Requirement

RULE = Rule(
    "GPU203",
    "no-such-node",
    "error",
    "No node pool with the requested device matches the node selector",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods whose requirements all pools with their device fail."""
    if not wanted_devices(pod) or pod.spec.get("nodeName"):
        return
    pools = advertisers(pod, context)
    if not pools or reached(pod, context):
        return
    ways = requirements(pod)
    if not ways:
        yield RawFinding(
            pod.path("affinity", "nodeAffinity"),
            "the pod stays Pending: every term of the required node affinity is empty, and an "
            "empty term matches no node",
            note="fill in a term, or remove the required node affinity",
        )
        return
    culprits = [
        requirement
        for requirement in ways[0]
        if not any(requirement.allows(pool.labels) for pool in pools)
    ]
    # Where there are several ways, the first says enough.
    for culprit in culprits if len(ways) == 1 else culprits[:1]:
        yield _missing(pod, context, culprit, pools)
    failing = [
        requirement
        for requirement in ways[0]
        if not all(requirement.allows(pool.labels) for pool in pools)
    ]
    # Without any, what leaves no pool is written in the runtime of a TrainJob, and said there.
    if failing and not culprits:
        yield _together(pod, context, failing)


def _missing(
    pod: Pod, context: Context, requirement: Requirement, pools: list[AdvertisingPool]
) -> RawFinding:
    have = list(
        dict.fromkeys(value for pool in pools for value in pool.labels.of(requirement.key) or ())
    )
    label_values = [value for value in have if value is not None]
    sure = bool(label_values) or _elsewhere(requirement.key, context)
    if label_values:
        note = f"write {choice_of(label_values)}"
    elif sure:
        note = "remove the requirement: only another provider sets labels of this domain"
    else:
        note = "add the label to the `labels` of the profile's pools, if the nodes have it"
    return RawFinding(
        requirement_path(pod, requirement),
        f"{_no_pool(pod, context)} {_words(requirement)}",
        note=note,
        fix=_fix(pod, requirement, label_values),
        severity=None if sure else "warning",
        confidence="certain" if sure else "likely",
    )


def _together(pod: Pod, context: Context, failing: list[Requirement]) -> RawFinding:
    return RawFinding(
        requirement_path(pod, failing[0]),
        f"{_no_pool(pod, context)} {' and '.join(map(_words, failing))}",
        note="remove one of the requirements: no pool matches all",
    )


def _no_pool(pod: Pod, context: Context) -> str:
    profile = context.profile.name if context.profile else ""
    return (
        f"the pod stays Pending: no pool of profile `{profile}` with {names(wanted_devices(pod))} "
        "has nodes whose label"
    )


def _words(requirement: Requirement) -> str:
    values = names(list(requirement.values))
    match requirement.operator:
        case "In":
            return f"`{requirement.key}` is {values}"
        case "NotIn":
            return f"`{requirement.key}` is not {values}"
        case "Exists":
            return f"`{requirement.key}` is set"
        case "DoesNotExist":
            return f"`{requirement.key}` is missing"
        case _:
            return f"`{requirement.key}` is {'above' if requirement.operator == 'Gt' else 'below'} {values}"


def _elsewhere(key: str, context: Context) -> bool:
    """Return whether only another provider sets labels like this one."""
    from gpuspec import hardware

    domain = hardware.label_domain(key)
    is_known = context.provider not in (None, "none")
    return is_known and domain is not None and bool(domain.providers)


def _fix(pod: Pod, requirement: Requirement, label_values: list[str]) -> Fix | None:
    if requirement.operator != "In" or len(requirement.values) != 1 or not label_values:
        return None
    right_value = _meant(requirement.values[0], label_values)
    if right_value is None:
        return None
    path: Path = requirement_path(pod, requirement)
    if requirement.path[0] != "nodeSelector":
        path = (*path, "values", 0)
    return Fix(f"write `{right_value}`", (Put(path, right_value),))


def _meant(value: str, label_values: list[str]) -> str | None:
    """Return the only existing value; else the only one with all words of the written value
    (`H100`), or the one with the nearest spelling."""
    words = _parts(value)
    having = [label_value for label_value in label_values if words and words <= _parts(label_value)]
    return next(
        (some[0] for some in (label_values, having) if len(some) == 1),
        nearest(value, label_values, 0.8),
    )


def _parts(value: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", value.casefold()))
