"""Events, as the core group writes them and as their own does.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/core/validation/events.go, `legacyValidateEvent`. What
the group of their own asks beside it stands in `schemas/apiserver/events.yaml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests import label_key
from gpuspec.validation.apiserver.reading import inner, refused, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import Violation

_LONGEST = {"reportingInstance": 128, "action": 128, "reason": 128, "message": 1024}
_WIDE = {"": ("", "default"), "timed": ("default", "kube-system")}
"""The namespaces of events about what is in none: of those without a time, and with one."""


def event(value: Map, version: str) -> Iterator[Violation]:
    """An event that has a time says who reports what; and it is where its object is."""
    if value.get("eventTime") is not None:
        yield from _timed(value)
    yield from _placed(value, "involvedObject")


def newer_event(value: Map, version: str) -> Iterator[Violation]:
    """An event is where its object is."""
    yield from _placed(value, "regarding")


def _timed(value: Map) -> Iterator[Violation]:
    reporter = value.get("reportingComponent")
    if not reporter:
        yield refused(("reportingComponent",), "it is missing, which `eventTime` needs")
    elif problem := label_key(reporter):
        yield refused(("reportingComponent",), f"it {problem}")
    for field, most in _LONGEST.items():
        text = value.get(field)
        if not text and field != "message":
            yield refused((field,), "it is missing, which `eventTime` needs")
        elif text and (found := size([text])) > most:
            yield refused((field,), f"expected at most {most} characters, not {found}")


def _placed(value: Map, field: str) -> Iterator[Violation]:
    home = inner(value, "metadata").get("namespace")
    if not home:
        return
    about, timed = inner(value, field).get("namespace") or "", value.get("eventTime") is not None
    if about == "" and home not in _WIDE["timed" if timed else ""]:
        said = f"it is missing: the event is in `{home}`, and so is what it is about"
        yield refused((field, "namespace"), said)
    elif about not in ("", home) and not timed:
        yield refused((field, "namespace"), f"expected `{home}`, where the event is, not `{about}`")


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "core.v1.Event": (event,),
    "events.v1.Event": (newer_event,),
}
