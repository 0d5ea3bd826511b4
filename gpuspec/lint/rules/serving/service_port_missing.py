"""A Service, or a pool, that sends to a port which its pods do not have."""

from collections.abc import Iterator
from typing import Any

from gpuspec.enumeration import choice_of, listed
from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.analysis.serving.selecting import (
    POOL_GROUPS,
    keeps_labels,
    selector,
    target_number,
)
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import at, items, mapping
from gpuspec.numbers import is_digits
from gpuspec.objects.collection import Collection, PodFacts, SelectedPods
from gpuspec.objects.lazy import kept
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU807",
    "service-port-missing",
    "error",
    "A Service or pool targets a port that its pods do not have",
    fix="unsafe",
)


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Check target ports by name, which must exist, and by number if pods declare their ports."""
    for group in POOL_GROUPS:
        for pool in collection.of(group, "InferencePool"):
            yield from _pool(pool, collection)
    for service in collection.of("", "Service"):
        labels = selector(service)
        if not labels:
            continue
        selection = collection.selected(service.namespace, labels)
        if not _is_plain(selection):
            continue
        pods, (port_names, numbers) = selection.pods, _ports(selection)
        ports = [mapping(port) for port in items(service.spec.get("ports"))]
        for index, port in enumerate(ports):
            target = port.get("targetPort")
            if not isinstance(target, str) or is_digits(target) or placeholder(target):
                continue
            if target not in port_names:
                yield _nameless(service, index, target, pods[0], port_names, numbers)
        # Nothing goes through the ports of a headless one.
        if service.spec.get("clusterIP") != "None" and not _is_open(selection):
            yield from _unlisted(service, ports, pods, numbers, _given(selection))


def _pool(pool: Object, collection: Collection) -> Iterator[RawFinding]:
    """Yield ports of an InferencePool, which are numbers."""
    labels = selector(pool)
    selection = collection.selected(pool.namespace, labels) if labels else None
    if selection is None or not _is_plain(selection) or _is_open(selection):
        return
    known_ports = _ports(selection)[1]
    places: list[tuple[str | int, ...]] = [("targetPortNumber",)]
    places += [
        ("targetPorts", index, "number")
        for index, _ in enumerate(items(pool.spec.get("targetPorts")))
    ]
    for place in places:
        number = at(pool.spec, place)
        if number in _given(selection):
            continue
        if isinstance(number, int) and known_ports and number not in known_ports:
            pod, port_list = selection.pods[0], listed(map(str, sorted(known_ports)))
            path = pool.path("spec", *place)
            yield RawFinding(
                path,
                f"the pool sends to port {number}, but {pod.kind} `{pod.name}` lists only "
                f"{port_list}: requests are refused, unless a server listens on {number} anyway",
                severity="warning",
                confidence="likely",
                object=pool.number,
                fix=set_field(path, next(iter(known_ports))) if len(known_ports) == 1 else None,
            )


@kept
def _is_plain(selection: SelectedPods) -> bool:
    """Return whether pods have the ports that are written, and no others."""
    # Operators add containers, and ports with them; patches do so to controllers and gateways.
    pods = selection.pods
    return bool(pods) and all(keeps_labels(pod) and pod.gpus for pod in pods)


@kept
def _ports(selection: SelectedPods) -> tuple[set[str], set[int]]:
    """Return names and numbers of the ports of pods."""
    ports = [port for pod in selection.pods for port in pod.ports]
    return {name for name, _ in ports if name}, {number for _, number in ports if number}


@kept
def _is_open(selection: SelectedPods) -> bool:
    """Return whether a server of the pods may listen at a port that no list and no command line has."""
    return any(pod.is_open for pod in selection.pods)


@kept
def _given(selection: SelectedPods) -> set[int]:
    """Return the ports that command lines give to containers which list none."""
    return {number for pod in selection.pods for number in pod.listens}


def _nameless(
    service: Object,
    index: int,
    target: str,
    pod: PodFacts,
    port_names: set[str],
    numbers: set[int],
) -> RawFinding:
    path = service.path("spec", "ports", index, "targetPort")
    right_port: str | int | None = near(target, port_names)
    if right_port is None and len(numbers) == 1:
        right_port = next(iter(port_names)) if len(port_names) == 1 else next(iter(numbers))
    return RawFinding(
        path,
        f"no port of {pod.kind} `{pod.name}` is named `{target}`: the Service has no "
        "endpoint, and requests are refused",
        note=f"write {choice_of(sorted(port_names))}"
        if port_names
        else "name the port: the ports have no names",
        object=service.number,
        fix=None
        if right_port is None
        else Fix(f"send to `{right_port}`", (Put(path, right_port),)),
    )


def _unlisted(
    service: Object,
    ports: list[dict[str, Any]],
    pods: list[PodFacts],
    numbers: set[int],
    started: set[int],
) -> Iterator[RawFinding]:
    """Yield ports that are not among those which the pods list: one may listen there all the
    same."""
    targets = [target_number(port) for port in ports]
    if not numbers:
        return
    port_list = listed(map(str, sorted(numbers)))
    open_ports = {None, *numbers, *started}
    none = open_ports.isdisjoint(targets)
    for index, target in enumerate(targets[:1] if none else targets):
        if target in open_ports:
            continue
        path = service.path("spec", "ports", index, "targetPort")
        single = none and len(numbers) == 1
        yield RawFinding(
            path if "targetPort" in ports[index] else service.path("spec", "ports", index, "port"),
            f"the Service sends to port {target}, but {pods[0].kind} `{pods[0].name}` lists only "
            f"{port_list}: requests are refused, unless a server listens on {target} anyway",
            severity="warning" if none else "info",
            confidence="likely" if none else "possible",
            note=f"set `targetPort` to {choice_of(map(str, sorted(numbers)))}",
            object=service.number,
            fix=set_field(path, next(iter(numbers))) if single else None,
        )
