"""Objects without pods that select pods by labels: Services, disruption budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.view.collection import same_namespace
from gpuspec.lint.view.objects import kept, mapping

if TYPE_CHECKING:
    from gpuspec.lint.view.collection import Collection, PodFacts
    from gpuspec.lint.view.objects import Object
    from gpuspec.lint.view.pods import Pod

_Index = dict[tuple[str, str], list[tuple["Object", dict[str, str]]]]


def services_of(pod: Pod, collection: Collection) -> list[Object]:
    """The Services that select a pod."""
    return _selecting(pod, collection.once(_services))


def budgets_of(pod: Pod, collection: Collection) -> list[Object]:
    """The PodDisruptionBudgets that select a pod."""
    return _selecting(pod, collection.once(_budgets))


def selector(one: Object) -> dict[str, str]:
    """The labels that an object selects pods by; empty where it has none, or says it otherwise."""
    found = mapping(one.spec.get("selector"))
    if one.is_a("policy", "PodDisruptionBudget"):
        if found.get("matchExpressions"):
            return {}
        found = mapping(found.get("matchLabels"))
    return {str(key): str(value) for key, value in found.items()}


def keeps_labels(pod: PodFacts) -> bool:
    """Whether a pod has the labels that are written, and no others of an operator's."""
    return pod.traits.as_written or pod.kind == "DaemonSet"


def _services(collection: Collection) -> _Index:
    return _index(collection.of("", "Service"))


def _budgets(collection: Collection) -> _Index:
    return _index(collection.of("policy", "PodDisruptionBudget"))


def _index(objects: list[Object]) -> _Index:
    """Objects, each with all labels that it selects by, by the first of these."""
    made: _Index = {}
    for one in objects:
        wanted = selector(one)
        if wanted:
            made.setdefault(min(wanted.items()), []).append((one, wanted))
    return made


def _selecting(pod: Pod, index: _Index) -> list[Object]:
    if not index:
        return []
    labels = _labels(pod)
    return [
        one
        for item in labels.items()
        for one, wanted in index.get(item, ())
        if same_namespace(one.namespace, pod.object.namespace) and wanted.items() <= labels.items()
    ]


@kept
def _labels(pod: Pod) -> dict[str, str]:
    """A pod's labels as a selector sees them."""
    return {str(key): str(value) for key, value in pod.labels.items()}
