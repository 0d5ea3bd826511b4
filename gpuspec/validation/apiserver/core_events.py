"""Events, as the core group writes them.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/core/validation/events.go, `legacyValidateEvent`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests import label_key
from gpuspec.validation.apiserver.events import where
from gpuspec.validation.apiserver.reading import refused, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_LONGEST = {"reportingInstance": 128, "action": 128, "reason": 128, "message": 1024}


def event(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that an event with a time names its reporter, and is in its object's namespace."""
    if value.get("eventTime") is not None:
        yield from _timed(value)
    yield from where(value, "involvedObject")


def _timed(value: Map) -> Iterator[SchemaViolation]:
    reporter = value.get("reportingComponent")
    if not reporter:
        yield refused(("reportingComponent",), "it is missing, but `eventTime` needs it")
    elif problem := label_key(reporter):
        yield refused(("reportingComponent",), f"it {problem}")
    for field, most in _LONGEST.items():
        text = value.get(field)
        if not text and field != "message":
            yield refused((field,), "it is missing, but `eventTime` needs it")
        elif text and (length := size([text])) > most:
            yield refused((field,), f"expected at most {most} characters, not {length}")


RELATIONS: dict[str, tuple[Relation, ...]] = {"core.v1.Event": (event,)}
