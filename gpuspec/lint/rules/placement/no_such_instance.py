"""A NodePool whose requirements no machine of the families that it names meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.lint.analysis.placement.instances import Fitting, fitting
from gpuspec.lint.analysis.placement.node_pools import is_for_gpus, requirements_of
from gpuspec.lint.analysis.placement.placing import names, required
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Related, Rule
from gpuspec.manifests.values import at, mapping, text
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection

RULE = Rule(
    "GPU421",
    "no-such-instance",
    "warning",
    "No instance type allowed by a Karpenter NodePool meets its requirements or has a suitable GPU",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield NodePools that name families or types of machines which are known."""
    found = fitting(requirements_of(obj))
    if found is None:
        return
    if found.without is not None:
        yield _none_fits(obj, found)
    elif _makes_no_gpu(obj, found, context.collection):
        kinds = sorted({instance.family for instance in found.instances})
        yield RawFinding(
            found.named.path,
            f"NodePool `{obj.name}` creates no node for pods that request a GPU: EC2 "
            f"reports part of a GPU for each instance of {names(kinds)}, and Karpenter "
            "counts that as 0",
            note="use a family with whole GPUs, or give the instances one by a NodeOverlay",
        )


def _none_fits(obj: Object, found: Fitting) -> RawFinding:
    assert found.without is not None
    return RawFinding(
        found.without.path,
        f"NodePool `{obj.name}` creates no node: no instance type has "
        f"{required(found.named)} and {required(found.without)}",
        note=f"`{found.without.key}` of those instance types: {names(list(found.had))}",
        related=(Related(obj.number, found.named.path, "these machines"),),
    )


def _makes_no_gpu(obj: Object, found: Fitting, collection: Collection) -> bool:
    """Return whether pods with GPUs are meant, and Karpenter counts no GPU of any machine left."""
    if any(instance.gpus for instance in found.instances) or not is_for_gpus(obj):
        return False
    return not any(map(_adds_gpu, collection.of("karpenter.sh", "NodeOverlay"))) and not _is_auto(
        obj
    )


def _adds_gpu(overlay: Object) -> bool:
    keys = mapping(overlay.spec.get("capacity"))
    return any(hardware.is_gpu_resource(text(key)) for key in keys)


def _is_auto(obj: Object) -> bool:
    """Return whether EKS Auto Mode makes the nodes: how it counts is not known."""
    group = text(at(obj.spec, ("template", "spec", "nodeClassRef", "group")))
    return group == "eks.amazonaws.com"
