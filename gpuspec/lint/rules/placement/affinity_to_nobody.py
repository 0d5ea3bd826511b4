"""Pods with GPUs whose required affinity selects no pods, or only pods that wait for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading.labels import may_be_unknown, pods
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.collection import Collection, PodFacts
from gpuspec.objects.selectors import labels_of

if TYPE_CHECKING:
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU787",
    "affinity-to-nobody",
    "warning",
    "GPU pods require the neighbourhood of pods that do not exist, or that wait for them",
    fix="unsafe",
)
_WHERE = ("affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
_FURTHER = ("namespaces", "namespaceSelector", "matchLabelKeys", "mismatchLabelKeys")


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield required affinity to pods of the same namespace that no pod here matches, although
    one must be meant."""
    for pod in collection.pods:
        for path, labels in _terms(pod):
            finding = _nobody(pod, path, labels, collection)
            if finding is not None:
                yield finding
                break
    yield from _in_circles(collection)


def _in_circles(collection: Collection) -> Iterator[RawFinding]:
    """Yield pods that require each other's neighbourhood, so that none is placed first.

    Source: Kubernetes, plugins/interpodaffinity: only a pod that its own term selects may come
    first.
    """
    terms = [
        (pod, pod_terms)
        for pod in collection.pods
        if pod.scheduling and (pod_terms := list(_terms(pod)))
    ]
    waiting = {id(pod) for pod, _ in terms} if len(terms) > 1 else set()
    while startable := {
        id(pod)
        for pod, pod_terms in terms
        if id(pod) in waiting and _unmet(pod, pod_terms, waiting, collection) is None
    }:
        waiting -= startable
    for pod, pod_terms in terms:
        unmet = _unmet(pod, pod_terms, waiting, collection) if id(pod) in waiting else None
        if unmet is None:
            continue
        path, neighbour = unmet
        yield RawFinding(
            path,
            f"the pod stays Pending: it must run next to pods of {neighbour.kind} `{neighbour.name}`, which "
            "wait for their neighbours in turn, so that none is placed first",
            note="require the affinity of one side only, or prefer it "
            "(`preferredDuringSchedulingIgnoredDuringExecution`)",
            confidence="likely",
            object=pod.object,
            related=(RelatedPlace(neighbour.object, (), f"{neighbour.kind} `{neighbour.name}`"),),
        )


def _unmet(
    pod: PodFacts,
    pod_terms: list[tuple[Path, dict[str, str]]],
    waiting: set[int],
    collection: Collection,
) -> tuple[Path, PodFacts] | None:
    """Return the first term whose pods all wait, with one of them; a term of its own pods is met."""
    for path, labels in pod_terms:
        others = collection.selected(pod.namespace, labels).pods
        if others and all(
            neighbour is not pod and id(neighbour) in waiting for neighbour in others
        ):
            return path, others[0]
    return None


def _terms(facts: PodFacts) -> Iterator[tuple[Path, dict[str, str]]]:
    rows = mapping(mapping(facts.scheduling.get("affinity")).get(_WHERE[1])).get(_WHERE[2])
    for index, row in enumerate(map(mapping, items(rows))):
        selector = mapping(row.get("labelSelector"))
        if any(row.get(field) for field in _FURTHER) or selector.get("matchExpressions"):
            continue
        labels = labels_of(selector)
        if labels and not any(map(placeholder, labels.values())):
            yield (*facts.path, *_WHERE, index, "labelSelector", "matchLabels"), labels


def _nobody(
    facts: PodFacts, path: Path, labels: dict[str, str], collection: Collection
) -> RawFinding | None:
    """Return a finding that no pod here has the labels, with the nearest ones; its own pods may
    be meant too."""
    if collection.selected(facts.namespace, labels).pods or may_be_unknown(
        labels, facts.file, collection
    ):
        return None
    near = collection.once(pods).meant(labels, facts.namespace)
    if near is None:
        return None
    key, value = near.first
    place = (*path, key)
    return RawFinding(
        place,
        f"the pod stays Pending: it must run on a node with a pod labelled `{key}: {value}`, but "
        f"no pod in these files has that label: {near}",
        confidence="likely",
        object=facts.object,
        related=(RelatedPlace(near.thing.object, (), f"{near.thing.kind} `{near.thing.name}`"),),
        fix=near.fix(place),
    )
