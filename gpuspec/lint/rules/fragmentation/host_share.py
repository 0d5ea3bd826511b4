"""More CPU or memory for each GPU than its node has: the node's other GPUs are left without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.placement.nodes import NodeKind, nodes, pods, shape
from gpuspec.lint.context import Context
from gpuspec.lint.model import Confidence, RawFinding, Rule
from gpuspec.manifests import Path, Quantity
from gpuspec.objects.objects import Pod
from gpuspec.settings.severity import Severity

if TYPE_CHECKING:
    from gpuspec.fleet import Host

RULE = Rule(
    "GPU401",
    "host-share",
    "warning",
    "A pod takes more than its GPUs' share of CPU or memory and strands the node's other GPUs",
    gives_way=("GPU205",),
)

# Shares of a node's GPUs that are left without host resources. On the published trace of a real
# fleet an eighth is exceeded by half of all demand, which is why it is only information.
_SOME, _MUCH = 0.125, 0.25
# How far above the share: from here on the loss is no rounding, and from here it is heavy.
_ABOVE, _FAR_ABOVE = 1.25, 2.0


class Lost(msgspec.Struct, frozen=True):
    """What one kind of node loses when it is filled with such pods."""

    node: NodeKind
    resource: str
    """`CPU` or `memory`, what runs out first."""
    holds: int
    could: int
    """Pods that its GPUs alone would be enough for."""
    gpus: int
    """Left without."""
    ratio: float
    """Asked for, by the share."""

    @property
    def part(self) -> float:
        """Of the node's GPUs."""
        return self.gpus / self.node.host.gpus


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods that, on the nodes that they fit on, strand GPUs for want of CPU or memory."""
    if pod.gpus < 1 or pod.object.is_a("apps", "DaemonSet"):
        return
    node_kinds = nodes(pod, context)
    if not node_kinds.kinds:
        return
    if not node_kinds.certain and any(node.host.gpus == pod.gpus for node in node_kinds.kinds):
        # Clouds have machines with as many GPUs as it asks for, which leaves none over.
        return
    host = shape(pod)
    if all(_has_enough(node.host, host) for node in node_kinds.kinds):
        return
    lost = [loss for node in node_kinds.kinds if (loss := _lost(node, host)) is not None]
    if not lost:
        return
    # Where several kinds of nodes take the pod, it is on each as often as there are GPUs.
    total = sum(loss.node.weight for loss in lost)
    part = sum(loss.part * loss.node.weight for loss in lost) / total
    if part < _SOME:
        return
    main = max(lost, key=lambda loss: loss.gpus * loss.node.weight / loss.node.host.gpus)
    single = pods(pod, context).most == 1
    severity: Severity = "warning"
    if part < _MUCH or main.ratio < (_FAR_ABOVE if single else _ABOVE):
        severity = "info"
    if not node_kinds.certain:
        least = min(loss.ratio for loss in lost)
        # Clouds have machines of the same GPUs with more CPU than the table's, which fits them.
        if least < _FAR_ABOVE:
            return
        severity = "info"
    yield _found(pod, host, main, severity, "certain" if node_kinds.certain else "possible")


def _has_enough(host: Host, requested: Host) -> bool:
    """Return whether a node has CPU and memory for as many such pods as it has GPUs for."""
    could = host.gpus // requested.gpus
    return could * requested.cpu <= host.cpu and could * requested.memory <= host.memory


def _lost(node: NodeKind, host: Host) -> Lost | None:
    from gpuspec.fleet import bounds

    room = bounds(node.host, host)
    could = room.pop("GPUs")
    room.pop("pod slots", None)
    holds = min(could, *room.values()) if room else could
    if holds == 0:
        return None  # it does not fit there
    binding = min(room, key=lambda name: room[name]) if room else "CPU"
    requested, have = (
        (host.cpu, node.host.cpu) if binding == "CPU" else (host.memory, node.host.memory)
    )
    ratio = requested / host.gpus / (have / node.host.gpus) if have else 0.0
    return Lost(node, binding, holds, could, (could - holds) * host.gpus, ratio)


def _found(
    pod: Pod, requested: Host, lost: Lost, severity: Severity, confidence: Confidence
) -> RawFinding:
    from gpuspec.fleet import share

    host = lost.node.host
    fair = share(host, requested.gpus)
    name = "cpu" if lost.resource == "CPU" else "memory"
    amount = _amount(requested, name)
    gpus = "1 GPU" if requested.gpus == 1 else f"{requested.gpus} GPUs"
    remainder = "1 GPU is" if lost.gpus == 1 else f"{lost.gpus} GPUs are"
    return RawFinding(
        _path(pod, name),
        f"`{name}: {amount}` is too much for {gpus}: {lost.node.words} ({host.gpus} GPUs, "
        f"{_amount(host, name)}{' cores' if name == 'cpu' else ''}) fits only {lost.holds} such "
        f"pods instead of {lost.could}, and {remainder} left without {lost.resource}",
        note=(
            f"request at most the share of {gpus} on such a node: {_amount(fair, 'cpu')} cores "
            f"and {_amount(fair, 'memory')}"
        ),
        severity=severity,
        confidence=confidence,
    )


def _amount(of: Host, name: str) -> str:
    if name == "cpu":
        return f"{of.cpu / 1000:g}"
    return str(Quantity.of_bytes(of.memory)) if of.memory % 2**30 == 0 else f"{of.memory >> 30}Gi"


def _path(pod: Pod, name: str) -> Path:
    """Return the path of its largest request."""
    asking = [container for container in pod.every if container.amount(name) is not None]
    if not asking:
        return pod.path("resources")
    most = max(asking, key=lambda container: container.amount(name).value)  # type: ignore[union-attr]
    field = "requests" if name in most.requests else "limits"
    return most.path(most.resources_at, field, name)
