"""A Service whose selector misses the pods that it is meant for."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Found, Put, Related, Rule
from gpuspec.lint.subjects.reading.names import Names, near
from gpuspec.lint.subjects.serving.selecting import keeps_labels, selector
from gpuspec.objects.collection import Collection, PodFacts, same_namespace
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU806",
    "service-selects-nothing",
    "warning",
    "A Service's selector misses its pods",
    fix="unsafe",
)
_COMMON = {
    "app.kubernetes.io/part-of",
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/version",
    "app.kubernetes.io/instance",
    "app.kubernetes.io/component",
    "helm.sh/chart",
    "environment",
    "env",
    "tier",
    "release",
    "component",
}
"""Labels that pods of different things share."""
_ENOUGH = 8


class _Labels:
    """A few pods by each label, and the values of each key."""

    def __init__(self, collection: Collection) -> None:
        self.by_label: dict[tuple[str, str], list[PodFacts]] = {}
        self.values: dict[str, dict[str, PodFacts]] = {}
        for pod in collection.pods:
            if not keeps_labels(pod):
                continue
            for key, value in pod.labels.items():
                held = self.by_label.setdefault((key, value), [])
                if len(held) < _ENOUGH:
                    held.append(pod)
                self.values.setdefault(key, {}).setdefault(value, pod)
        self._near: dict[str, Names] = {}

    def near(self, key: str, value: str) -> str | None:
        """The value that a key has on some pod and that is most likely meant, or None."""
        if key not in self._near:
            self._near[key] = Names(self.values.get(key, {}))
        return self._near[key].near(value)


def check(collection: Collection, context: Context) -> Iterator[Found]:
    """Services that select no pod, where one comes near. Else the pods may be in another file."""
    labels: _Labels | None = None
    for service in collection.of("", "Service"):
        wanted = selector(service)
        if not wanted or collection.selected(service.namespace, wanted).pods:
            continue
        labels = labels or _Labels(collection)
        # A key with a domain that no pod is written with is a controller's to set.
        if any("/" in key and key not in labels.values for key in wanted):
            continue
        found = _nearly(service, wanted, labels) or _alike(service, wanted, labels)
        if found is not None:
            yield found


def _nearly(service: Object, wanted: dict[str, str], labels: _Labels) -> Found | None:
    """A pod that carries some of the labels, and the others not at all or nearly."""
    for item in wanted.items():
        if item[0] in _COMMON:
            continue
        for pod in labels.by_label.get(item, ()):
            if not same_namespace(service.namespace, pod.namespace):
                continue
            missing = {key: value for key, value in wanted.items() if pod.labels.get(key) != value}
            if all(
                key not in pod.labels or near(value, [pod.labels[key]])
                for key, value in missing.items()
            ):
                return _found(service, pod, missing)
    return None


def _alike(service: Object, wanted: dict[str, str], labels: _Labels) -> Found | None:
    """A pod whose one label is spelled nearly so, or has a prefix."""
    if len(wanted) != 1:
        return None
    ((key, value),) = wanted.items()
    close = None if key in _COMMON else labels.near(key, value)
    if close is None:
        return None
    pod = labels.values[key][close]
    return (
        _found(service, pod, wanted) if same_namespace(service.namespace, pod.namespace) else None
    )


def _found(service: Object, pod: PodFacts, missing: dict[str, str]) -> Found:
    key, value = next(iter(missing.items()))
    has = f"has `{key}: {pod.labels[key]}`" if key in pod.labels else f"has no label `{key}`"
    path = service.path("spec", "selector", key)
    fix = None
    if len(missing) == 1 and key in pod.labels:
        fix = Fix(f"say `{pod.labels[key]}`", (Put(path, pod.labels[key]),))
    return Found(
        path,
        f"the selector `{key}: {value}` selects no pod here, so that requests are refused: "
        f"{pod.kind} `{pod.name}` {has}",
        confidence="likely",
        object=service.number,
        related=(Related(pod.object, (), f"{pod.kind} `{pod.name}`"),),
        fix=fix,
    )
