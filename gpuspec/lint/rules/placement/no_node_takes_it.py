"""A pod that no Node of the set takes: its labels, taints or allocatable amounts do not fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.lint.analysis.placement.amount_text import shown
from gpuspec.lint.analysis.placement.listed_nodes import listed_nodes, repelling, selected
from gpuspec.lint.analysis.placement.made_nodes import is_shared
from gpuspec.lint.analysis.placement.placing import (
    in_all,
    names,
    queued,
    required,
    requirement_path,
    wanted_devices,
)
from gpuspec.lint.analysis.placement.taints import tolerate, written
from gpuspec.lint.analysis.sharing.sharing import is_part
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.amounts import all_amounts, written_at
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import admitted, has_all_tolerations, is_whole

if TYPE_CHECKING:
    from gpuspec.lint.analysis.placement.listed_nodes import ListedNode
    from gpuspec.lint.model import Confidence
    from gpuspec.settings.severity import Severity

RULE = Rule(
    "GPU984",
    "no-node-takes-it",
    "warning",
    "No Node object of the set fits a pod of the set",
    gives_way=("GPU201", "GPU205", "GPU213"),
    fix="unsafe",
)
_HOST = ("cpu", "memory", "ephemeral-storage")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods that every listed Node turns away; with a profile, its pools decide."""
    if context.placed or pod.object.is_a("apps", "DaemonSet") or queued(pod):
        return
    if not is_whole(pod) or pod.spec.get("nodeName"):
        return
    nodes = listed_nodes(pod, context)
    if not nodes:
        return
    fitting = selected(pod, nodes)
    if not fitting:
        yield from _unlabelled(pod, nodes)
        return
    if has_all_tolerations(pod):
        tolerations = admitted(pod, context.provider)
        open_nodes = [node for node in fitting if not repelling(node, tolerations)]
        if not open_nodes:
            yield from _tainted(pod, nodes, fitting, tolerations)
            return
        fitting = open_nodes
    yield from _too_small(pod, nodes, fitting, context)


def _unlabelled(pod: Pod, nodes: tuple[ListedNode, ...]) -> Iterator[RawFinding]:
    """Yield a requirement that none of the Nodes with the pod's device meets."""
    devices = wanted_devices(pod)
    having = [node for node in nodes if all(node.allocatable.get(name) for name in devices)]
    culprit = next(
        (
            requirement
            for requirement in in_all(pod)
            if not any(requirement.allows(node.labels) for node in having)
        ),
        None,
    )
    if not devices or not having or culprit is None:
        return
    severity, confidence = _certainty(pod, nodes)
    yield RawFinding(
        requirement_path(pod, culprit),
        f"the pod stays Pending: no Node of these files with the pod's device has "
        f"{required(culprit)}",
        note="label the nodes, or write a label that they have",
        severity=severity,
        confidence=confidence,
        related=_related(having),
    )


def _tainted(
    pod: Pod,
    nodes: tuple[ListedNode, ...],
    fitting: list[ListedNode],
    tolerations: list[dict[str, object]],
) -> Iterator[RawFinding]:
    taints = repelling(fitting[0], tolerations)
    if not _is_bound(pod) and all(hardware.is_gpu_resource(taint.key) for taint in taints):
        return  # the Nodes of GPUs only: others take a pod without
    which = "every Node that it selects" if in_all(pod) else "every Node of these files"
    alike = all(repelling(node, tolerations) == taints for node in fitting)
    severity, confidence = _certainty(pod, nodes)
    words = names([written(taint) for taint in taints])
    yield RawFinding(
        pod.path("tolerations"),
        f"the pod stays Pending: {which} is tainted{'' if alike else ', for example with'} {words}, "
        "which the pod does not tolerate",
        note=f"tolerate {words}, or remove the taint from a node for the pod",
        severity=severity,
        confidence=confidence,
        related=_related(fitting),
        fix=tolerate(pod, taints),
    )


def _too_small(
    pod: Pod, nodes: tuple[ListedNode, ...], fitting: list[ListedNode], context: Context
) -> Iterator[RawFinding]:
    """Yield an amount of which no Node has as much, although some Node has the resource."""
    for resource, requested in all_amounts(pod).items():
        is_device = resource not in _HOST
        if is_device and (
            is_part(pod)
            or is_shared(resource, context.collection)
            or not any(node.allocatable.get(resource) for node in nodes)
        ):
            continue
        most = max(node.allocatable.get(resource, 0) for node in fitting)
        if requested <= most or (not is_device and not most):
            continue
        severity, confidence = _certainty(pod, nodes)
        has = f"has {shown(resource, most)}" if most else f"has `{resource}`"
        end = f"no Node that it can run on {has}" if not most else f"the largest Node {has}"
        yield RawFinding(
            written_at(pod, resource),
            f"the pod stays Pending: it requests {shown(resource, requested)}, but {end}",
            note="request less, or divide the work among pods",
            severity=severity,
            confidence=confidence,
            related=_related(fitting),
        )
        return


def _is_bound(pod: Pod) -> bool:
    return bool(wanted_devices(pod) or in_all(pod))


def _certainty(pod: Pod, nodes: tuple[ListedNode, ...]) -> tuple[Severity, Confidence]:
    """Return how loud and how sure: one Node is a sample of a cluster, and a pod that needs no GPU
    and selects no node may run on nodes that are not listed."""
    return ("warning", "likely") if _is_bound(pod) and len(nodes) > 1 else ("info", "possible")


def _related(nodes: list[ListedNode]) -> tuple[RelatedPlace, ...]:
    node = nodes[0].object
    return (RelatedPlace(node.number, node.path("metadata", "name"), "a Node that it selects"),)
