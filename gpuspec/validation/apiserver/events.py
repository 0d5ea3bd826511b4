"""Events, as their own group writes them: their namespaces.

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
"""The namespaces of events about cluster-scoped objects: of events with a time, and without."""


def event(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that an event is in its object's namespace."""
    yield from where(value, "regarding")


def where(value: Map, field: str) -> Iterator[SchemaViolation]:
    """Check the namespace of the object that an event is about."""
    home = inner(value, "metadata").get("namespace")
    if not home:
        return
    about, timed = inner(value, field).get("namespace"), value.get("eventTime") is not None
    if not about and home not in _WIDE[timed]:
        message = f"it is missing: the event is in `{home}`, so its object must be too"
        yield refused((field, "namespace"), message)
    elif about and about != home and not timed:
        yield refused(
            (field, "namespace"), f"expected the event's namespace, `{home}`, not `{about}`"
        )


RELATIONS: dict[str, tuple[Relation, ...]] = {"events.v1.Event": (event,)}
