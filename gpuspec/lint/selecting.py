"""Objects without pods that select pods by labels: Services, disruption budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.lint.collection import same_namespace
from gpuspec.lint.objects import mapping

if TYPE_CHECKING:
    from gpuspec.lint.collection import Collection
    from gpuspec.lint.objects import Object
    from gpuspec.lint.pods import Pod

_Index = dict[tuple[str, str], list["Object"]]


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


def _services(collection: Collection) -> _Index:
    return _index(collection.of("", "Service"))


def _budgets(collection: Collection) -> _Index:
    return _index(collection.of("policy", "PodDisruptionBudget"))


def _index(objects: list[Object]) -> _Index:
    """Objects by the first label that they select by."""
    made: _Index = {}
    for one in objects:
        wanted = selector(one)
        if wanted:
            made.setdefault(min(wanted.items()), []).append(one)
    return made


def _selecting(pod: Pod, index: _Index) -> list[Object]:
    if not index:
        return []
    labels: dict[str, Any] = {str(key): str(value) for key, value in pod.labels.items()}
    return [
        one
        for item in labels.items()
        for one in index.get(item, ())
        if same_namespace(one.namespace, pod.object.namespace)
        and selector(one).items() <= labels.items()
    ]
