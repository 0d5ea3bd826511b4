"""Probes, container ports and the server's own port that do not agree."""

from collections.abc import Iterator
from typing import Any

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.serving.probes import Kind, handler, number_of, port_of, probes
from gpuspec.lint.analysis.serving.selecting import selector, target_number
from gpuspec.lint.analysis.serving.servers import Listening, gpu_workers, listening, server_of
from gpuspec.lint.analysis.serving.status_servers import unanswered_probes
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.collection import Collection
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.scheduling import is_whole
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU506",
    "probe-port-differs",
    "error",
    "A probe uses a port that the server does not listen on",
    fix="unsafe",
)
# What a service takes its containers from, with their ports.
_RUNTIMES = ("ClusterServingRuntime", "ServingRuntime")
_TO_CONTAINER_PORT = ("serving.knative.dev", "serving.kserve.io")
"""Groups whose controllers send requests to the port that a container lists."""
_BETWEEN = frozenset("&;|\n")
"""The separators between the programs of a script."""
_HARM = {
    "startup": "the kubelet kills the container repeatedly",
    "readiness": "the pod never becomes ready",
    "liveness": "the kubelet kills the container repeatedly",
}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield names that no port of any container has; for pods with GPUs also numbers of another
    program's port, and ports that nothing listens on."""
    workers = gpu_workers(pod)
    if is_whole(pod) or pod.object.is_a("serving.kserve.io", *_RUNTIMES):
        for container in pod.every:
            if container not in workers and container.stage in ("main", "sidecar"):
                yield from _unnamed(container)
    for container in pod.containers:
        for unanswered in unanswered_probes(pod, container):
            yield RawFinding(
                unanswered.path, unanswered.says, note=unanswered.note, confidence="likely"
            )
    for container in workers:
        server = server_of(container)
        where = None if server is None else listening(container, server)
        wrong = None if where is None else _declared(pod, container, where, context)
        if wrong is not None:
            yield wrong
        for kind, probe in probes(container):
            port = port_of(probe)
            if port is None:
                continue
            if isinstance(port, str):
                if number_of(container, port) is None and not placeholder(port):
                    yield _nameless(container, kind, probe, port)
            elif server is not None and where is not None and wrong is None:
                yield from _number(pod, container, server, where, kind, probe, port)


def _unnamed(container: PodContainer) -> Iterator[RawFinding]:
    for kind, probe in probes(container):
        port = port_of(probe)
        names = [declared.get("name") for declared in container.ports]
        if isinstance(port, str) and port not in names and not placeholder(port):
            yield _nameless(container, kind, probe, port)


def _declared(
    pod: Pod, container: PodContainer, where: Listening, context: Context
) -> RawFinding | None:
    """Return the container's ports against the port that its command line names, or the server's
    default."""
    numbers = [port.get("containerPort") for port in container.ports]
    if len(numbers) != 1 or where.port in numbers or not isinstance(numbers[0], int):
        return None
    if where.path is None:
        return _of_default(pod, container, where.port, numbers[0], context)
    at = container.path("ports", 0, "containerPort")
    asks = any(number_of(container, port_of(probe)) == numbers[0] for _, probe in probes(container))
    harm = (
        f"the probes use port {numbers[0]}, and fail"
        if asks
        else f"clients that use port {numbers[0]} cannot connect"
    )
    return RawFinding(
        at,
        f"`containerPort` is {numbers[0]}, but the server listens on {where.port}: {harm}",
        severity=None if asks else "warning",
        confidence="certain" if _is_alone(pod, container) else "likely",
        fix=set_field(at, where.port),
    )


def _of_default(
    pod: Pod, container: PodContainer, default: int, number: int, context: Context
) -> RawFinding | None:
    """Return a port to which requests are sent although the server listens on its default."""
    if not _is_alone(pod, container):
        return None
    if pod.object.group in _TO_CONTAINER_PORT:
        sender = "KServe" if pod.object.group == "serving.kserve.io" else "Knative"
    elif service := _service_to(pod, container, number, context.collection):
        sender = f"Service `{service.name}`"
    else:
        return None
    return RawFinding(
        container.path("ports", 0, "containerPort"),
        f"{sender} sends requests to `containerPort` {number}, but the server listens on "
        f"{default}, its default: the requests are refused",
        note=f"give the server the port {number}, or list {default}",
        severity="warning",
        confidence="likely",
    )


def _service_to(
    pod: Pod, container: PodContainer, number: int, collection: Collection
) -> Object | None:
    """Return a Service that selects the pod and sends to a port of a container."""
    name = container.ports[0].get("name")
    for service in collection.within("", "Service", pod.object.namespace):
        labels = selector(service)
        if labels and labels.items() <= pod.labels.items():
            for port in map(mapping, items(service.spec.get("ports"))):
                if target_number(port) == number or port.get("targetPort") == name:
                    return service
    return None


def _nameless(container: PodContainer, kind: Kind, probe: dict[str, Any], port: str) -> RawFinding:
    names = [
        container_port["name"]
        for container_port in container.ports
        if isinstance(container_port.get("name"), str)
    ]
    numbers = [container_port.get("containerPort") for container_port in container.ports]
    handler_entry = handler(probe)
    assert handler_entry is not None
    at = container.path(f"{kind}Probe", handler_entry[0], "port")
    right_port = (
        names[0] if len(numbers) == len(names) == 1 else numbers[0] if len(numbers) == 1 else None
    )
    return RawFinding(
        at,
        f"no port of the container is named `{port}`, so every probe fails: {_HARM[kind]}",
        note=f"write {choice_of(names)}"
        if names
        else "name the port: the container's ports have no names",
        fix=None if right_port is None else set_field(at, right_port),
    )


def _number(
    pod: Pod,
    container: PodContainer,
    server: Runtime,
    where: Listening,
    kind: Kind,
    probe: dict[str, Any],
    port: int,
) -> Iterator[RawFinding]:
    handler_entry = handler(probe)
    if handler_entry is None or port == where.port or handler_entry[0] == "exec":
        return
    if where.path is None and any(
        port == container_port.get("containerPort") for container_port in container.ports
    ):
        # Both say so: something that is not seen here moves the server.
        return
    if any(port in (server_port.number, server_port.default) for server_port in server.ports[1:]):
        return
    at = container.path(f"{kind}Probe", handler_entry[0], "port")
    fix = set_field(at, where.port)
    name = next(
        (
            sibling.name
            for sibling in pod.every
            if sibling is not container
            and any(sibling_port.get("containerPort") == port for sibling_port in sibling.ports)
        ),
        None,
    )
    if name is not None:
        if kind == "liveness" or handler_entry[0] == "tcpSocket":
            yield RawFinding(
                at,
                f"`{kind}Probe` uses port {port} of `{name}`: a failure of `{name}` counts as a "
                f"failure of `{container.name}`",
                severity="warning",
                confidence="likely",
                fix=fix,
            )
        return
    says = "is set to listen" if where.path else "listens"
    yield RawFinding(
        at,
        f"`{kind}Probe` uses port {port}, but {server.title} {says} on {where.port}: {_HARM[kind]}",
        confidence="certain" if where.path and _is_alone(pod, container) else "likely",
        fix=fix,
    )


def _is_alone(pod: Pod, container: PodContainer) -> bool:
    """Return whether no other program of the pod can listen: no container, and no script that
    starts any."""
    words = (*items(container.value.get("command")), *items(container.value.get("args")))
    is_script = any(isinstance(word, str) and _BETWEEN & set(word) for word in words)
    return len(pod.every) == 1 and not is_script
