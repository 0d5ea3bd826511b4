"""Objects without pods that select pods by labels: Services, disruption budgets."""

from __future__ import annotations

from collections import Counter
from os.path import dirname
from typing import TYPE_CHECKING, Any

from gpuspec.manifests.values import items, mapping, text
from gpuspec.numbers import read_whole
from gpuspec.objects.lazy import kept
from gpuspec.objects.namespaced import NamespacedIndex
from gpuspec.objects.objects import meet
from gpuspec.objects.selectors import labels_of

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection, PodFacts
    from gpuspec.objects.objects import Object, Pod

_MEETING = frozenset(
    ("c10d", "rdzv", "rendezvous", "ssh", "sshd", "torchrun", "pytorchjob-port", 22, 23456, 29500)
)
"""Rendezvous ports, by name and number: those of sshd, torchrun and the training operator."""
POOL_GROUPS = ("inference.networking.k8s.io", "inference.networking.x-k8s.io")
"""The groups of InferencePools, the newer first."""


def services_of(pod: Pod, collection: Collection) -> list[Object]:
    """Return the Services that certainly select a pod. Callers must not change the list."""
    return _of_kind("", "Service", collection).surely_of(pod.object, _labels(pod))


def asking(pod: Pod, collection: Collection) -> Object | None:
    """Return the first Service that sends requests to a pod; a rendezvous Service sends none."""
    return next((obj for obj in services_of(pod, collection) if not _for_ranks(obj)), None)


def budgets_of(pod: Pod, collection: Collection) -> list[Object]:
    """Return the PodDisruptionBudgets that may select a pod; the namespace may be set at the
    apply."""
    budgets = _of_kind("policy", "PodDisruptionBudget", collection)
    return budgets.of(pod.object.namespace, _labels(pod))


def selecting(
    group: str, kind: str, namespace: str, labels: dict[str, str], collection: Collection
) -> list[Object]:
    """Return the objects of a kind that select these labels. Callers must not change the list."""
    return _of_kind(group, kind, collection).of(namespace, labels)


def selector(obj: Object) -> dict[str, str]:
    """Return the labels in an object's selector; empty if it has none, or another form."""
    return labels_of(obj.spec.get("selector"))


def keeps_labels(pod: PodFacts) -> bool:
    """Return whether a pod keeps its written labels, without labels of an operator."""
    return pod.traits.as_written or pod.kind == "DaemonSet"


def _for_ranks(service: Object) -> bool:
    """Return whether each port is for rendezvous or login, so that no client calls it."""
    ports = [mapping(port) for port in items(service.spec.get("ports"))]
    return bool(ports) and all(
        text(port.get("name")) in _MEETING or target_number(port) in _MEETING for port in ports
    )


def target_number(port: dict[str, Any]) -> int | None:
    """Return the number of a Service's target port; None for a name, or an invalid number."""
    target = port.get("targetPort")
    if target is None or target == 0:
        target = port.get("port")
    if isinstance(target, str):
        return read_whole(target)
    return target if isinstance(target, int) and not isinstance(target, bool) else None


class _Selecting:
    """Objects that select pods, each by the rarest of its labels, since many have a label in
    common."""

    def __init__(self, objects: list[Object]) -> None:
        selectors = [(obj, labels) for obj in objects if (labels := selector(obj))]
        times = Counter(item for _, labels in selectors for item in labels.items())
        self._index = NamespacedIndex(
            (
                min(labels.items(), key=lambda item: (times[item], item)),
                obj.namespace,
                (obj, labels),
            )
            for obj, labels in selectors
        )
        self._known: dict[tuple[str, frozenset[tuple[str, str]]], list[Object]] = {}
        self._sure: dict[tuple[str, str, frozenset[tuple[str, str]]], list[Object]] = {}

    def of(self, namespace: str, labels: dict[str, str]) -> list[Object]:
        """Return those that select these labels, in their order. Callers must not change the
        list."""
        key = namespace, frozenset(labels.items())
        objects = self._known.get(key)
        if objects is None:
            some = (
                obj
                for item in labels.items()
                for obj, selected_labels in self._index.at(item, namespace)
                if selected_labels.items() <= labels.items()
            )
            objects = self._known[key] = sorted(some, key=lambda obj: obj.number)
        return objects

    def surely_of(self, obj: Object, labels: dict[str, str]) -> list[Object]:
        """Return those that select these labels and are certainly applied with another object."""
        # Who meets whom is a matter of namespaces and folders alone.
        key = obj.namespace, dirname(obj.file), frozenset(labels.items())
        objects = self._sure.get(key)
        if objects is None:
            some = self.of(obj.namespace, labels)
            objects = self._sure[key] = [selecting for selecting in some if meet(selecting, obj)]
        return objects


def _of_kind(group: str, kind: str, collection: Collection) -> _Selecting:
    selecting_by_kind = collection.once(_known)
    if (group, kind) not in selecting_by_kind:
        selecting_by_kind[group, kind] = _Selecting(collection.of(group, kind))
    return selecting_by_kind[group, kind]


def _known(collection: Collection) -> dict[tuple[str, str], _Selecting]:
    return {}


@kept
def _labels(pod: Pod) -> dict[str, str]:
    """Return a pod's labels as a selector sees them."""
    return {str(key): str(value) for key, value in pod.labels.items()}
