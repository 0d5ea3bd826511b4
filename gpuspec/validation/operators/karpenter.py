"""Pools of nodes, and overlays of their machines.

Source: sigs.k8s.io/karpenter v1.14.1,
pkg/apis/v1/{nodepool_validation,nodeclaim_validation,labels}.go and
pkg/apis/v1alpha1/nodeoverlay_validation.go. A cloud's own Karpenter has more labels and more
checks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import inner, maps, named, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_SPEC = ("spec", "template", "spec")
_CAPACITY = "karpenter.sh/capacity-type"
_CAPACITIES = ("on-demand", "spot", "reserved")


def taints(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a taint is either permanent or a startup taint."""
    spec = inner(value, *_SPEC)
    always = {(taint.get("key"), taint.get("effect")) for _, taint in maps(spec, "taints")}
    for index, startup_taint in maps(spec, "startupTaints"):
        if (startup_taint.get("key"), startup_taint.get("effect")) in always:
            yield refused(
                (*_SPEC, "startupTaints", index),
                f"`taints` has `{startup_taint.get('key')}` with `effect: {startup_taint.get('effect')}` too",
            )


def of_pool(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check a pool's requirements of its nodes."""
    yield from _requirements(inner(value, *_SPEC), _SPEC)


def of_overlay(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check an overlay's requirements of machines."""
    yield from _requirements(inner(value, "spec"), ("spec",))


def _requirements(spec: Map, path: Path) -> Iterator[SchemaViolation]:
    """Check that capacity types exist, and that there are enough of them."""
    for index, requirement in maps(spec, "requirements"):
        if requirement.get("key") != _CAPACITY or requirement.get("operator") != "In":
            continue
        values = [word for word in requirement.get("values") or () if word in _CAPACITIES]
        if len(values) < max(1, requirement.get("minValues") or 0):
            yield refused(
                (*path, "requirements", index, "values"),
                f"expected {named(_CAPACITIES, 'or')}"
                + (
                    f", at least {least} of them" if (least := requirement.get("minValues")) else ""
                ),
            )


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "karpenter.v1.NodePool": (taints, of_pool),
    "karpenter.v1alpha1.NodeOverlay": (of_overlay,),
}
