"""A number of GPUs that does not divide the node's: the rest fits no such pod."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.nodes import NodeKind, nodes, whole_device
from gpuspec.lint.context import Context
from gpuspec.lint.model import Confidence, RawFinding, Rule
from gpuspec.objects.devices import DeviceRequest
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU402",
    "count-does-not-tile",
    "info",
    "The GPUs per pod do not divide the GPUs per node",
    gives_way=("GPU101", "GPU205"),
)

# GPUs of the nodes that clouds and makers offer.
_USUAL = (1, 2, 4, 8, 16)
# Of a node's GPUs. What it costs depends on who else is there, and one manifest does not tell: on a
# published trace nothing, with nothing smaller beside it the whole rest (docs/fragmentation.md).
_SOME = 0.125


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Counts that leave a rest on every kind of node."""
    device = whole_device(pod)
    gpus = pod.gpus
    if device is None or gpus < 2 or device.what.name == "google.com/tpu":
        return
    node_kinds = nodes(pod, context)
    fitting = [node for node in node_kinds.kinds if node.host.gpus >= gpus]
    if not fitting:
        if (
            not node_kinds.certain
            and not node_kinds.kinds
            and gpus not in _USUAL
            and gpus < max(_USUAL)
        ):
            total = 8 if gpus < 8 else max(_USUAL)
            yield RawFinding(
                device.path,
                f"pods of {gpus} GPUs do not fill a common node of 1, 2, 4, 8 or 16 GPUs: "
                f"{_rest(total, gpus)} of {total} GPUs are left over",
                note=(
                    "let smaller pods use the rest, or name a profile (`-c`) to compare with your "
                    "own nodes"
                ),
                confidence="possible",
            )
        return
    weight = sum(node.weight for node in fitting)
    part = (
        sum(_rest(node.host.gpus, gpus) / node.host.gpus * node.weight for node in fitting) / weight
    )
    main = max(fitting, key=lambda node: _rest(node.host.gpus, gpus) * node.weight)
    if part < _SOME or (
        not node_kinds.certain and any(not _rest(n.host.gpus, gpus) for n in fitting)
    ):
        return
    yield _found(device, gpus, main, "likely" if node_kinds.certain else "possible")


def _found(device: DeviceRequest, gpus: int, node: NodeKind, confidence: Confidence) -> RawFinding:
    total = node.host.gpus
    rest = _rest(total, gpus)
    better = [str(number) for number in range(1, total + 1) if total % number == 0]
    remainder = "1 GPU is" if rest == 1 else f"{rest} GPUs are"
    return RawFinding(
        device.path,
        f"{gpus} GPUs per pod do not divide the {total} GPUs of {node.words}: {remainder} left over "
        "on each node, usable only by smaller pods",
        note=f"request {', '.join(better[:-1])} or {better[-1]} GPUs per pod to use all of them",
        confidence=confidence,
    )


def _rest(total: int, gpus: int) -> int:
    return total % gpus
