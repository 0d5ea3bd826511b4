"""A selector that takes the pods of another workload too, which serve something else."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gpuspec.lint.analysis.serving.selecting import (
    POOL_GROUPS,
    keeps_labels,
    selector,
    target_number,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.collection import Collection, PodFacts, SelectedPods
from gpuspec.objects.lazy import kept
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU026",
    "selects-others",
    "warning",
    "A selector also matches the pods of another workload",
)


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Check objects that send requests to pods, then those that create them."""
    for service in collection.of("", "Service"):
        # Nobody sends to a headless one: its clients choose a pod by name.
        if service.spec.get("clusterIP") != "None":
            yield from _sender(service, _targets(service), collection)
    for group in POOL_GROUPS:
        for pool in collection.of(group, "InferencePool"):
            yield from _sender(pool, _pool_targets(pool), collection)
    yield from _controllers(collection)


class _Targets(msgspec.Struct, frozen=True):
    """The ports that requests are sent to."""

    numbers: frozenset[int]
    names: frozenset[str] = frozenset()

    def lists(self, pod: PodFacts) -> bool:
        """Return whether a pod lists one of them."""
        return any(name in self.names or number in self.numbers for name, number in pod.ports)


def _targets(service: Object) -> _Targets:
    ports = [mapping(port) for port in items(service.spec.get("ports"))]
    numbers = [(port, target_number(port)) for port in ports]
    names = (text(port.get("targetPort")) for port, number in numbers if number is None)
    return _Targets(
        frozenset(number for _, number in numbers if number is not None),
        frozenset(filter(None, names)),
    )


def _pool_targets(pool: Object) -> _Targets:
    written_numbers = [
        mapping(target_port).get("number") for target_port in items(pool.spec.get("targetPorts"))
    ]
    numbers = (*written_numbers, pool.spec.get("targetPortNumber"))
    return _Targets(frozenset(number for number in numbers if isinstance(number, int)))


def _sender(obj: Object, targets: _Targets, collection: Collection) -> Iterator[RawFinding]:
    """Yield the first two workloads that an object sends to, and that do not answer the same
    requests."""
    labels = selector(obj)
    if not labels or any(map(placeholder, (*labels.values(), *targets.names))):
        return
    # What stands in other files may be there instead, not beside it.
    pods = [
        pod
        for pod in _sorts(collection.selected(obj.namespace, labels))
        if (pod.file, pod.namespace) == (obj.file, obj.namespace)
    ]
    pod_pair = _refusing(pods, targets) or _of_another_model(pods)
    if pod_pair is None:
        return
    first, second, then = pod_pair
    yield RawFinding(
        obj.path("spec", "selector"),
        f"the selector matches the pods of both {_called(first)} and {_called(second)}, {then}",
        note=_apart(first, second),
        confidence="likely",
        object=obj.number,
        related=tuple(RelatedPlace(pod.object, (), _called(pod)) for pod in (first, second)),
    )


def _refusing(pods: list[PodFacts], targets: _Targets) -> tuple[PodFacts, PodFacts, str] | None:
    """Return a pod that lists a port which requests are sent to, and one that lists others
    alone."""
    # A pod without a port of that name is no endpoint, and nothing is sent to it.
    first = next((pod for pod in pods if any(n in targets.numbers for _, n in pod.ports)), None)
    for pod in pods:
        if first is None or pod.object == first.object or not pod.ports:
            continue
        # 0 is what is no number yet: a placeholder, say.
        numbers = {number for _, number in pod.ports}
        if keeps_labels(pod) and 0 not in numbers and not targets.lists(pod):
            port = next(number for _, number in first.ports if number in targets.numbers)
            listed = " and ".join(map(str, sorted(numbers)))
            return (
                first,
                pod,
                (
                    f"but {_called(pod)} lists port {listed}, not {port}: its pods refuse "
                    f"requests, unless a server listens on {port} anyway"
                ),
            )
    return None


def _of_another_model(pods: list[PodFacts]) -> tuple[PodFacts, PodFacts, str] | None:
    """Return two pods whose servers have no model name in common."""
    # A variable may hold any name.
    serving = [pod for pod in pods if pod.served and "$" not in "".join(pod.served)]
    for pod in serving[1:]:
        first = serving[0]
        if pod.object != first.object and not pod.served & first.served:
            mine, others = (min(facts.served) for facts in (first, pod))
            return (
                first,
                pod,
                (
                    f"which serve `{mine}` and `{others}`: some requests for each model reach "
                    "the other model's servers"
                ),
            )
    return None


@kept
def _sorts(selection: SelectedPods) -> list[PodFacts]:
    """Return one pod of each sort that is selected: a large set has few sorts."""
    pods_by_sort: dict[tuple[object, ...], PodFacts] = {}
    for pod in selection.pods:
        lives = pod.life == "service" or (pod.api_version, pod.kind) == ("v1", "Pod")
        if lives and 0 not in (pod.count, pod.groups):
            pods_by_sort.setdefault((pod.file, pod.namespace, pod.ports, pod.served), pod)
    return list(pods_by_sort.values())


def _controllers(collection: Collection) -> Iterator[RawFinding]:
    """Yield workloads that select their pods by the same labels as one before them in the file."""
    pods_by_labels: dict[tuple[object, ...], PodFacts] = {}
    for pod in collection.pods:
        if not pod.own or any(map(placeholder, pod.own.values())):
            continue
        first = pods_by_labels.setdefault(
            (pod.file, pod.namespace, frozenset(pod.own.items())), pod
        )
        if (first.kind, first.name) == (pod.kind, pod.name):
            continue
        # The object's path: the pod's is `spec.template.spec` below it.
        yield RawFinding(
            (*pod.path[:-3], "spec", "selector", "matchLabels"),
            f"{_called(first)} has the same selector: an autoscaler, a disruption budget, a Service "
            "or `kubectl logs` that uses these labels treats the pods of both workloads as one",
            note="give the pods of each workload a label of their own, and add it to the selector",
            object=pod.object,
            related=(RelatedPlace(first.object, (), _called(first)),),
        )


def _called(pod: PodFacts) -> str:
    return f"{pod.kind} `{pod.name}`"


def _apart(first: PodFacts, facts: PodFacts) -> str:
    """Return how to select the one and not the other."""
    for key, value in first.labels.items():
        if facts.labels.get(key) != value and not placeholder(value):
            return f"`{key}: {value}` selects only the pods of {_called(first)}"
    return "give the pods of each workload a distinct label, and select by that label"
