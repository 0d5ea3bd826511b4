"""Pods with GPUs that keep off pods of other workloads, which then find no node, or take one of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.nodes import node_bounds
from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.analysis.serving.selecting import keeps_labels
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.collection import Collection, PodFacts

if TYPE_CHECKING:
    from gpuspec.fleet.scheduler.selectors import Selector
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU414",
    "keeps-off-neighbours",
    "warning",
    "The anti-affinity of GPU pods also excludes nodes of other workloads",
)
_HOST = "kubernetes.io/hostname"
_WHERE = ("affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield required anti-affinity between nodes that matches the pod's own kind and other pods
    too."""
    for pod in collection.pods:
        if not pod.gpus or "affinity" not in pod.scheduling or not keeps_labels(pod):
            continue
        for path, selector in _terms(pod):
            others = [fact for fact in _meant(selector, pod, collection) if _is_other(pod, fact)]
            helpers = [facts for facts in others if not facts.gpus]
            if helpers and selector.met(pod.labels):
                yield _found(pod, path, others, helpers, context)
                break


def _terms(facts: PodFacts) -> Iterator[tuple[Path, Selector]]:
    """Yield the terms over nodes, of the pod's own namespace, that no further label narrows
    down."""
    from gpuspec.fleet.scheduler.selectors import label_selector

    rows = mapping(mapping(facts.scheduling["affinity"]).get(_WHERE[1])).get(_WHERE[2])
    for index, row in enumerate(map(mapping, items(rows))):
        further = ("namespaces", "namespaceSelector", "matchLabelKeys", "mismatchLabelKeys")
        if row.get("topologyKey") == _HOST and not any(row.get(field) for field in further):
            path = (*facts.path, *_WHERE, index, "labelSelector")
            yield path, label_selector(row.get("labelSelector"))


def _meant(selector: Selector, facts: PodFacts, collection: Collection) -> Iterator[PodFacts]:
    equal = {
        condition.key: next(iter(condition.values))
        for condition in selector.conditions
        if condition.operator == "In" and len(condition.values) == 1
    }
    some = collection.selected(facts.namespace, equal).pods if equal else collection.pods
    for pod in some:
        is_selected = pod.namespace == facts.namespace and selector.met(pod.labels)
        if is_selected and keeps_labels(pod) and pod.life != "finite":
            yield pod


def _is_other(other_facts: PodFacts, facts: PodFacts) -> bool:
    return (facts.kind, facts.name, facts.role) != (
        other_facts.kind,
        other_facts.name,
        other_facts.role,
    )


def _found(
    facts: PodFacts,
    path: Path,
    others: list[PodFacts],
    helpers: list[PodFacts],
    context: Context,
) -> RawFinding:
    called = names([f"{helper.kind} {helper.name}" for helper in helpers])
    apart = [facts, *(neighbour for neighbour in others if neighbour.gpus)]
    needed = sum((neighbour.count or 1) * (neighbour.groups or 0) for neighbour in apart)
    nodes = _nodes(context)
    full = nodes is not None and needed >= nodes
    end = (
        f"{needed} pods occupy all {nodes} GPU nodes, and {called} finds no free node"
        if full
        else "their pods never share a node"
    )
    return RawFinding(
        path,
        f"the pod anti-affinity of `{facts.name}` also matches the pods of {called}: {end}",
        note="match a label that only the GPU pods have, such as a component label",
        severity=None if full else "info",
        confidence="likely" if full else "possible",
        object=facts.object,
        related=tuple(
            RelatedPlace(helper.object, helper.path, "excluded by the anti-affinity")
            for helper in helpers[:3]
        ),
    )


def _nodes(context: Context) -> int | None:
    """Return the maximum number of nodes in all pools; None if unknown."""
    if context.cluster is None or not context.cluster.pools:
        return None
    counts = [node_bounds(pool)[1] for pool in context.cluster.pools]
    return None if None in counts else sum(count or 0 for count in counts)
