"""Events, as their own group writes them: where they are.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/core/validation/events.go, `legacyValidateEvent`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import inner, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_WIDE = {True: ("default", "kube-system"), False: ("default",)}
"""The namespaces of events about what is in none: of those with a time, and without."""


def event(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that an event is where its object is."""
    yield from where(value, "regarding")


def where(value: Map, field: str) -> Iterator[SchemaViolation]:
    """Yield what is wrong with the namespace of what an event is about."""
    home = inner(value, "metadata").get("namespace")
    if not home:
        return
    about, timed = inner(value, field).get("namespace"), value.get("eventTime") is not None
    if not about and home not in _WIDE[timed]:
        message = f"it is missing: the event is in `{home}`, and so is what it is about"
        yield refused((field, "namespace"), message)
    elif about and about != home and not timed:
        yield refused((field, "namespace"), f"expected `{home}`, where the event is, not `{about}`")


RELATIONS: dict[str, tuple[Relation, ...]] = {"events.v1.Event": (event,)}
