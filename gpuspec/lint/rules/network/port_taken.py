"""Two servers of one pod that listen on the same port."""

from collections.abc import Iterator

import msgspec

from gpuspec.lint.analysis.serving.servers import listening, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU837",
    "port-taken",
    "error",
    "Two containers of a pod listen on the same port",
)
# GPUs of the largest usual node.
_USUAL = 8
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class _Port(msgspec.Struct, frozen=True):
    """A port on which a container listens, or declares to listen."""

    container: PodContainer
    number: int
    path: Path
    who: str
    sure: bool
    """Whether a known server listens there; otherwise the container only declares it."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers of a pod with the same port, because they share one network."""
    if not is_whole(pod):
        return
    port_by_number: dict[int, _Port] = {}
    for container in pod.every:
        if container.stage not in ("main", "sidecar"):
            continue
        for port in _ports(container):
            earlier = port_by_number.setdefault(port.number, port)
            if earlier.container is not container:
                yield _found(pod, port, earlier)
    yield from _on_one_node(pod, [port for port in port_by_number.values() if port.sure])


def _on_one_node(pod: Pod, ports: list[_Port]) -> Iterator[RawFinding]:
    """Yield servers in the node's network of which the scheduler may place two on one node."""
    number = (pod.role.count or 1) * (pod.role.groups or 1)
    several = number > 1 and pod.object.kind != "DaemonSet" and 0 < 2 * pod.gpus <= _USUAL
    if pod.spec.get("hostNetwork") is not True or not several or _keeps_apart(pod):
        return
    for port in ports:
        if any(
            container_port.get("containerPort") == port.number
            for container_port in port.container.ports
        ):
            continue
        yield RawFinding(
            port.path,
            f"{port.who} listens on {port.number} of its node (`hostNetwork: true`), but `ports` "
            f"does not list the port: two of the {number} pods may get one node, and the second "
            "fails with `address already in use`",
            note=f"add `containerPort: {port.number}`, which keeps the pods on different nodes",
            severity="warning",
            confidence="likely",
        )


def _keeps_apart(pod: Pod) -> bool:
    """Return whether pods are kept off one another, or spread, by a rule of their own."""
    apart = at(pod.spec, ("affinity", "podAntiAffinity", _REQUIRED))
    return bool(apart) or bool(pod.spec.get("topologySpreadConstraints"))


def _found(pod: Pod, port: _Port, earlier: _Port) -> RawFinding:
    sure = port.sure and earlier.sure
    return RawFinding(
        port.path,
        f"{port.who} and {earlier.who} both listen on {port.number}: containers of a pod share one "
        "network, and the second to start fails with `address already in use`",
        note="give one of the two another port",
        severity=None if sure else "warning",
        confidence="certain" if sure else "likely",
        related=(RelatedPlace(pod.object.number, earlier.path, "uses the same port"),),
    )


def _ports(container: PodContainer) -> list[_Port]:
    """Return the ports of a container: from its server's settings, or else from `ports`."""
    server = server_of(container)
    where = None if server is None else listening(container, server)
    name = f"container `{container.name}`"
    if server is not None and where is not None:
        path = where.path or container.path("name")
        return [_Port(container, where.port, path, f"{server.title} in {name}", sure=True)]
    return [
        _Port(container, number, container.path("ports", index, "containerPort"), name, sure=False)
        for index, entry in enumerate(container.ports)
        if isinstance(number := entry.get("containerPort"), int)
        and entry.get("protocol", "TCP") == "TCP"
    ]
