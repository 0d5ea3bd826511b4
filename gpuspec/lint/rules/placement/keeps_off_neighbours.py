"""Pods with GPUs that keep off pods of other workloads, which then find no node, or take one of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.nodes import node_bounds
from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.analysis.serving.selecting import keeps_labels
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Related, Rule
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
    for one in collection.pods:
        if not one.gpus or "affinity" not in one.scheduling or not keeps_labels(one):
            continue
        for path, selector in _terms(one):
            others = [each for each in _meant(selector, one, collection) if _is_other(one, each)]
            helpers = [each for each in others if not each.gpus]
            if helpers and selector.met(one.labels):
                yield _found(one, path, others, helpers, context)
                break


def _terms(one: PodFacts) -> Iterator[tuple[Path, Selector]]:
    """Yield the terms over nodes, of the pod's own namespace, that no further label narrows
    down."""
    from gpuspec.fleet.scheduler.selectors import label_selector

    rows = mapping(mapping(one.scheduling["affinity"]).get(_WHERE[1])).get(_WHERE[2])
    for index, row in enumerate(map(mapping, items(rows))):
        further = ("namespaces", "namespaceSelector", "matchLabelKeys", "mismatchLabelKeys")
        if row.get("topologyKey") == _HOST and not any(row.get(each) for each in further):
            path = (*one.path, *_WHERE, index, "labelSelector")
            yield path, label_selector(row.get("labelSelector"))


def _meant(selector: Selector, one: PodFacts, collection: Collection) -> Iterator[PodFacts]:
    equal = {
        each.key: next(iter(each.values))
        for each in selector.conditions
        if each.operator == "In" and len(each.values) == 1
    }
    some = collection.selected(one.namespace, equal).pods if equal else collection.pods
    for each in some:
        there = each.namespace == one.namespace and selector.met(each.labels)
        if there and keeps_labels(each) and each.life != "finite":
            yield each


def _is_other(one: PodFacts, each: PodFacts) -> bool:
    return (each.kind, each.name, each.role) != (one.kind, one.name, one.role)


def _found(
    one: PodFacts,
    path: Path,
    others: list[PodFacts],
    helpers: list[PodFacts],
    context: Context,
) -> RawFinding:
    called = names([f"{each.kind} {each.name}" for each in helpers])
    apart = [one, *(each for each in others if each.gpus)]
    needed = sum((each.count or 1) * (each.groups or 0) for each in apart)
    there = _nodes(context)
    full = there is not None and needed >= there
    end = (
        f"{needed} pods take all {there} GPU nodes, and {called} finds none of them free"
        if full
        else "a node with a pod of one never gets a pod of the other"
    )
    return RawFinding(
        path,
        f"`{one.name}` avoids its own pods, but also those of {called}: {end}",
        note="select a label that only the GPU pods have, such as a component label",
        severity=None if full else "info",
        confidence="likely" if full else "possible",
        object=one.object,
        related=tuple(Related(each.object, each.path, "kept off") for each in helpers[:3]),
    )


def _nodes(context: Context) -> int | None:
    """Return the most nodes that the profile's pools have, all together; None where it does not
    say."""
    if context.cluster is None or not context.cluster.pools:
        return None
    counts = [node_bounds(pool)[1] for pool in context.cluster.pools]
    return None if None in counts else sum(count or 0 for count in counts)
