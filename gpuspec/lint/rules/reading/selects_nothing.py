"""A selector that misses its target, or a port that the selected pods do not have."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gpuspec.enumeration import choice_of
from gpuspec.kinds import kind_of, mappings_at
from gpuspec.kinds.model import Selects
from gpuspec.lint.analysis.reading import missed
from gpuspec.lint.analysis.reading.labels import plain_labels
from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.analysis.serving.selecting import keeps_labels
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.collection import Collection, SelectedPods
from gpuspec.objects.lazy import kept
from gpuspec.objects.namespaced import NamespacedIndex
from gpuspec.objects.objects import Object
from gpuspec.objects.selectors import labels_of

RULE = Rule(
    "GPU023",
    "selects-nothing",
    "warning",
    "A selector matches nothing, or its pods lack the port",
    fix="unsafe",
)
_THEN = {
    "PodDisruptionBudget": "a drain evicts all its pods at once",
    "NetworkPolicy": "it applies to no pod",
    "InferencePool": "requests find no server",
    "ServiceMonitor": "nothing is scraped",
    "PodMonitor": "nothing is scraped",
}
"""The consequence of a selector that selects nothing; objects of other kinds have no effect."""

_MONITORING = "monitoring.coreos.com"


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield selectors of objects without pods; GPU806 speaks of Services' own."""
    for group, kind in sorted(collection.kinds):
        object_kind = kind_of(group, kind)
        if object_kind is None or (group, kind) == ("", "Service"):
            continue
        for row in object_kind.selects:
            for obj in collection.of(group, kind):
                yield from _judge(obj, row, collection)


class _Selection(msgspec.Struct, frozen=True):
    """The pods that a selector selects."""

    first: str
    """What one of them is, in words."""
    number: int
    """Its object's."""
    ports: set[str]
    """The port names that all of them have; empty if unknown."""


def _judge(obj: Object, row: Selects, collection: Collection) -> Iterator[RawFinding]:
    path = tuple(row.path.split("."))
    labels = at(obj.value, path)
    selected_labels = labels_of(labels)
    if (
        not selected_labels
        or obj.spec.get("namespaceSelector")
        or any(map(placeholder, selected_labels.values()))
    ):
        return
    chosen = _CHOOSE[row.what](obj.namespace, selected_labels, collection)
    if chosen is not None:
        yield from _ports(obj, row, chosen)
        return
    if obj.group == _MONITORING and (selected := _elsewhere(obj, row, selected_labels, collection)):
        yield selected
        return
    near_selector = missed.missed(obj, selected_labels, row.what, collection)
    if near_selector is None or near_selector.thing.name in _pickers(obj):
        return
    inside = ("matchLabels",) if "matchLabels" in mapping(labels) else ()
    then = _THEN.get(obj.kind, "it has no effect")
    yield missed.found(obj, obj.path(*path, *inside), row.what, then, near_selector)


def _elsewhere(
    obj: Object, row: Selects, labels: dict[str, str], collection: Collection
) -> RawFinding | None:
    """Return the selector of a monitor whose pods or Services are all in other namespaces: without
    `namespaceSelector` it looks in its own."""
    if not obj.namespace or "namespaceSelector" in obj.spec:
        return None
    matches: list[tuple[str, str, int]] = (
        [
            (facts.namespace, f"{facts.kind} `{facts.name}`", facts.object)
            for facts in collection.pods
            if labels.items() <= facts.labels.items()
        ]
        if row.what == "Pod"
        else [
            (service.namespace, f"Service `{service.name}`", service.number)
            for service in collection.of("", "Service")
            if labels.items() <= plain_labels(service).items()
        ]
    )
    namespaces = sorted({namespace for namespace, _, _ in matches})
    if not namespaces or not all(namespaces) or any(map(placeholder, namespaces)):
        return None
    _, title, number = matches[0]
    path = obj.path("spec", "namespaceSelector")
    return RawFinding(
        obj.path(*row.path.split(".")),
        f"{obj.kind} `{obj.name}` has no `namespaceSelector` and looks only in `{obj.namespace}`, but "
        f"{title} is in `{matches[0][0]}`: nothing is scraped",
        note=f"write `namespaceSelector: {{matchNames: [{', '.join(namespaces)}]}}`",
        confidence="likely",
        object=obj.number,
        related=(RelatedPlace(number, (), title),),
        fix=set_field(path, {"matchNames": namespaces}),
    )


def _pickers(obj: Object) -> set[str]:
    """Return the Services that choose among the servers of an InferencePool, and their pods as a
    rule."""
    fields = ("endpointPickerRef", "extensionRef")
    return {text(mapping(obj.spec.get(field)).get("name")) for field in fields}


def _ports(obj: Object, row: Selects, chosen: _Selection) -> Iterator[RawFinding]:
    """Yield names of ports that the selected pods do not have."""
    if not chosen.ports:
        return
    for pattern in row.ports:
        outer, _, field = pattern.rpartition(".")
        for path, holder in mappings_at(obj.value, (outer,)):
            port = holder.get(field)
            if not isinstance(port, str) or placeholder(port) or port in chosen.ports:
                continue
            place, close = obj.path(*path, field), near(port, sorted(chosen.ports))
            yield RawFinding(
                place,
                f"no port of {chosen.first} is named `{port}`, so "
                f"{_THEN.get(obj.kind, 'it has no effect')}",
                note=f"write {choice_of(sorted(chosen.ports))}",
                confidence="likely",
                object=obj.number,
                related=(RelatedPlace(chosen.number, (), chosen.first),),
                fix=Fix(f"write `{close}`", (Put(place, close),)) if close else None,
            )


def _chosen_pods(
    namespace: str, labels: dict[str, str], collection: Collection
) -> _Selection | None:
    return _pods_of(collection.selected(namespace, labels))


@kept
def _pods_of(selection: SelectedPods) -> _Selection | None:
    if not selection.pods:
        return None
    pod = selection.pods[0]
    # Operators add containers, and ports with them.
    is_plain = all(map(keeps_labels, selection.pods))
    ports = {name for facts in selection.pods for name, _ in facts.ports if name and is_plain}
    return _Selection(f"{pod.kind} `{pod.name}`", pod.object, ports)


def _chosen_services(
    namespace: str, selected_labels: dict[str, str], collection: Collection
) -> _Selection | None:
    chosen_by_labels = collection.once(_known_services)
    key = namespace, frozenset(selected_labels.items())
    if key not in chosen_by_labels:
        some = collection.once(_by_label).at(next(iter(selected_labels.items())), namespace)
        chosen_by_labels[key] = _services_of(
            [obj for obj in some if selected_labels.items() <= plain_labels(obj).items()]
        )
    return chosen_by_labels[key]


def _services_of(objects: list[Object]) -> _Selection | None:
    if not objects:
        return None
    ports = {
        name
        for obj in objects
        for port in items(obj.spec.get("ports"))
        if (name := text(mapping(port).get("name")))
    }
    return _Selection(f"Service `{objects[0].name}`", objects[0].number, ports)


def _known_services(
    collection: Collection,
) -> dict[tuple[str, frozenset[tuple[str, str]]], _Selection | None]:
    """Return a cache of selections, because many selectors have the same labels."""
    return {}


def _by_label(collection: Collection) -> NamespacedIndex[Object]:
    return NamespacedIndex(
        (item, obj.namespace, obj)
        for obj in collection.of("", "Service")
        for item in plain_labels(obj).items()
    )


_CHOOSE = {"Pod": _chosen_pods, "Service": _chosen_services}
