"""Queues and cohorts of Kueue.

Source: sigs.k8s.io/kueue v0.19.2, pkg/webhooks. Rules of the linter check that flavors cover the
resources of their group, each once, and the limits of lending.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import amount, inner, maps, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_GROUPS = ("spec", "resourceGroups")
_AMOUNTS = ("nominalQuota", "borrowingLimit", "lendingLimit")
_MOST, _MOST_PAIRS = 256, 512
_NEXT = {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"}
"""The default of a field of `flavorFungibility`."""
_SMALLEST = 1e-9


def quotas(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that no amount is negative."""
    for path, resource in _resources(value):
        for name in _AMOUNTS:
            quantity = amount(resource.get(name))
            if quantity is not None and quantity.value < 0:
                yield refused((*path, name), "expected an amount of at least 0")


def weight(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a share of a cohort is 0, or large enough to count."""
    quantity = amount(inner(value, "spec", "fairSharing").get("weight"))
    if quantity is not None and quantity.value != 0 and quantity.value <= _SMALLEST:
        yield refused(("spec", "fairSharing", "weight"), "expected 0, or more than 1n")


def many(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that there are no more flavors and resources than Kueue allows."""
    groups = [group for _, group in maps(inner(value, "spec"), "resourceGroups")]
    for field in ("flavors", "coveredResources"):
        count = sum(len(group.get(field) or ()) for group in groups)
        if count > _MOST:
            yield refused(_GROUPS, f"expected at most {_MOST} `{field}` in all groups, not {count}")
    for index, group in enumerate(groups):
        pairs = sum(len(flavor.get("resources") or ()) for _, flavor in maps(group, "flavors"))
        if pairs > _MOST_PAIRS:
            yield refused(
                (*_GROUPS, index),
                f"expected at most {_MOST_PAIRS} quotas in a group, not {pairs}",
            )


def checks(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that admission checks are for flavors of the queue."""
    names = {
        flavor.get("name")
        for _, group in maps(inner(value, "spec"), "resourceGroups")
        for _, flavor in maps(group, "flavors")
    }
    strategy = ("spec", "admissionChecksStrategy")
    for index, check in maps(inner(value, *strategy), "admissionChecks"):
        for at, flavor in enumerate(check.get("onFlavors") or ()):
            if flavor not in names:
                yield refused(
                    (*strategy, "admissionChecks", index, "onFlavors", at),
                    f"the queue has no flavor `{flavor}`",
                )


def fungibility(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a preference is between flavors that are all tried."""
    flavor_fungibility, path = (
        inner(value, "spec", "flavorFungibility"),
        ("spec", "flavorFungibility"),
    )
    if flavor_fungibility.get("preference") is None:
        return
    for field, default in _NEXT.items():
        if (flavor_fungibility.get(field) or default) != "TryNextFlavor":
            yield refused(
                (*path, "preference"),
                f"it needs `{field}: TryNextFlavor`, so that Kueue compares flavors",
            )


def _resources(value: Map) -> Iterator[tuple[Path, Map]]:
    for index, group in maps(inner(value, "spec"), "resourceGroups"):
        for at, flavor in maps(group, "flavors"):
            for number, resource in maps(flavor, "resources"):
                yield (*_GROUPS, index, "flavors", at, "resources", number), resource


_QUOTA: Path = (*_GROUPS, "*", "flavors", "*", "resources", "*")
_VERSIONS = ("v1beta1", "v1beta2")
"""The server asks about both in the latter, which differ in other fields."""
ZERO: dict[str, dict[Path, str]] = {
    "kueue.v1beta2.ClusterQueue": {(*_QUOTA, "nominalQuota"): "0"},
    "kueue.v1beta1.ClusterQueue": {(*_QUOTA, "nominalQuota"): "0"},
    **{f"kueue.{version}.ResourceFlavor": {} for version in _VERSIONS},
}
# Converted and back, what is empty is not there, and has its default.
FILLED: dict[str, tuple[Path, ...]] = {
    "kueue.v1beta1.ClusterQueue": (
        ("spec", "cohort"),
        ("spec", "queueingStrategy"),
        ("spec", "preemption", "withinClusterQueue"),
        ("spec", "preemption", "reclaimWithinCohort"),
        ("spec", "preemption", "borrowWithinCohort", "policy"),
        ("spec", "flavorFungibility", "whenCanBorrow"),
        ("spec", "flavorFungibility", "whenCanPreempt"),
    )
}
RELATIONS: dict[str, tuple[Relation, ...]] = {
    f"kueue.{version}.{kind}": relations
    for version in _VERSIONS
    for kind, relations in (
        ("ClusterQueue", (quotas, weight, many, checks, fungibility)),
        ("Cohort", (quotas, weight)),
    )
}
