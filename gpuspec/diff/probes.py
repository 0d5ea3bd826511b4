"""Compare probes: their requests, and their times.

Defaults are Kubernetes' own: every 10 seconds, three failures, no delay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.diff import amount_text
from gpuspec.diff.model import ChangeRemark

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROBES = ("startup", "readiness", "liveness")
_HANDLERS = ("httpGet", "exec", "tcpSocket", "grpc")
_DEFAULTS = {"periodSeconds": 10, "failureThreshold": 3, "initialDelaySeconds": 0}


def remarks(name: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[ChangeRemark]:
    """Yield the changes of a container's probes."""
    for kind in _PROBES:
        before, after = (_probe(container, kind) for container in (old, new))
        if before is None and after is None:
            continue
        if before is None:
            yield ChangeRemark("probes", f"{kind} probe of {name} added")
        elif after is None:
            yield ChangeRemark(
                "probes", f"{kind} probe of {name} removed", alarm=kind != "liveness"
            )
        else:
            yield from _changed(f"{kind} probe of {name}", kind, before, after)


def _changed(
    head: str, kind: str, before: dict[str, Any], after: dict[str, Any]
) -> Iterator[ChangeRemark]:
    if any(before.get(handler) != after.get(handler) for handler in _HANDLERS):
        yield ChangeRemark("probes", f"{head} uses another handler")
    old, new = _budget(before), _budget(after)
    if old is not None and new is not None and old != new:
        verb = {
            "startup": "gives up after",
            "readiness": "marks it unready after",
            "liveness": "restarts it after",
        }
        remark_text = f"{head} {verb[kind]} {amount_text.seconds(old)} → {amount_text.seconds(new)}"
        yield ChangeRemark("probes", remark_text, alarm=new < old and kind != "readiness")


def _probe(container: dict[str, Any], kind: str) -> dict[str, Any] | None:
    probe = container.get(f"{kind}Probe")
    return probe if isinstance(probe, dict) else None


def _budget(probe: dict[str, Any]) -> int | None:
    """Return the seconds until a probe acts on a container that never answers; None if the values
    are no numbers."""
    figures: list[int] = []
    for name, default in _DEFAULTS.items():
        figure = probe.get(name, default)
        if not isinstance(figure, int) or not 0 <= figure < 10**6:
            return None
        figures.append(figure)
    period, failures, delay = figures
    return delay + period * failures
