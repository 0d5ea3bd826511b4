"""The status server of Dynamo's workers, which answers their probes.

Source: docs.nvidia.com/dynamo/v1.5.0/reference/observability/health-checks (off unless `DYN_SYSTEM_PORT` is set, and
nothing else of a worker speaks HTTP); ai-dynamo/dynamo pull request 14464 (the operator's probes ask port 9090).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.lint.analysis.serving.probes import Kind, handler, http_path, number_of, port_of
from gpuspec.manifests.values import at, mapping
from gpuspec.numbers import read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

_WORKERS = ("dynamo.vllm", "dynamo.sglang", "dynamo.trtllm", "dynamo.mocker")
_VARIABLE = "DYN_SYSTEM_PORT"
_OF_OPERATOR = 9090
_FORMERLY = 8081
"""The default of some releases."""
_PATHS = ("/health", "/live")
_PROBES: tuple[Kind, ...] = ("startup", "readiness", "liveness")


class UnansweredProbe(msgspec.Struct, frozen=True):
    """A probe that a worker does not answer, as a sentence."""

    path: Path
    says: str
    note: str


def unanswered_probes(pod: Pod, container: PodContainer) -> Iterator[UnansweredProbe]:
    """Yield the probes of Dynamo's workers that ask another port than the status server's."""
    if container.words.has(*_WORKERS) is None or "envFrom" in container.value:
        return
    operated = pod.object.kind == "DynamoGraphDeployment"
    service = _service(pod) if operated else {}
    if "envs" in service:
        return
    if _VARIABLE in container.env:
        port = read_whole(container.env_value(_VARIABLE) or "")
        if port is None:
            return
    else:
        port = _OF_OPERATOR if operated else None
    for kind in _PROBES:
        probe = container.probe(kind)
        action = None if probe is None else handler(probe)
        if probe is not None and action is not None and http_path(probe) in _PATHS:
            number = number_of(container, port_of(probe))
            formerly = port is None and number == _FORMERLY
            if number is not None and number != port and not formerly:
                yield _wrong(container.path(f"{kind}Probe", action[0], "port"), kind, number, port)
    if operated and _VARIABLE in container.env and port != _OF_OPERATOR:
        missing = [
            kind
            for kind in _PROBES
            if container.probe(kind) is None and f"{kind}Probe" not in service
        ]
        if missing:
            yield UnansweredProbe(
                (*container.env_path(_VARIABLE), "value"),
                f"`{_VARIABLE}` moves the worker's status server to port {port}, but the probes that "
                f"Dynamo's operator adds ask port {_OF_OPERATOR}: the worker never becomes ready",
                "omit the variable",
            )


def _wrong(path: Path, kind: Kind, number: int, port: int | None) -> UnansweredProbe:
    if port is None:
        return UnansweredProbe(
            path,
            f"`{kind}Probe` asks port {number}, but a Dynamo worker has no status server unless "
            f"`{_VARIABLE}` is set: every probe fails",
            f"set `{_VARIABLE}` to `{number}`",
        )
    return UnansweredProbe(
        path,
        f"`{kind}Probe` asks port {number}, but the status server of a Dynamo worker listens on "
        f"{port}: every probe fails",
        f"ask port {port}",
    )


def _service(pod: Pod) -> dict[str, Any]:
    """Return the service of the first version of a graph that the pod is of."""
    inside = pod.base[len(pod.object.base) :]
    return (
        mapping(at(pod.object.value, inside[: inside.index("services") + 2]))
        if "services" in inside
        else {}
    )
