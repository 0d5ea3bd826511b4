"""Decide which differences of a live object are no drift, because servers and controllers set these
fields.

A field that only the live object has is no drift if it is a server's default or set by a
controller. For pods of built-in kinds all such fields are known, and any other field was added by a
user. Elsewhere only additions to maps and lists that the spec has are reported, which no server
makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.diff.compare import says_origin
from gpuspec.diff.defaults import is_default
from gpuspec.diff.steps import Pick, begins, parsed
from gpuspec.diff.values import ABSENT
from gpuspec.kinds import traits_of
from gpuspec.kinds.owned import KUEUE, QUEUE
from gpuspec.manifests.values import at

if TYPE_CHECKING:
    from gpuspec.diff.fields import Raw
    from gpuspec.diff.steps import Pattern

_SERVED = ("", "apps", "batch")
# What the API server, or a controller of its own, fills in beside the values of `diff`'s table.
_FILLED = {
    *("imagePullPolicy", "pullPolicy", "restartPolicy", "serviceAccount", "apiVersion", "divisor"),
    *("expirationSeconds", "volumeMode", "creationTimestamp", "type"),
}
# What Kueue lays over the pods of what it admits: where the flavor's nodes are, and how to get there.
_ADMITTED = {"nodeSelector", "tolerations", "schedulingGates"}
# Maps in which no server adds an entry.
_OPEN = {"hard", "data", "nodeSelector", "nodeLabels", "matchLabels"}
# Lists of pods in which no operator of a rendered kind adds an item.
_LISTS = {
    *("containers", "initContainers", "env", "envFrom", "volumes", "volumeMounts", "tolerations"),
    *("args", "command", "imagePullSecrets"),
}


class About(msgspec.Struct, frozen=True):
    """An object whose fields are compared."""

    kind: tuple[str, str]
    said: dict[str, Any]
    pods: tuple[tuple[Pattern, ...], ...]
    """Patterns of its pods: specs, and the metadata next to them."""
    is_scaled: bool = False
    """Whether an autoscaler scales the object."""

    @property
    def held(self) -> tuple[str, ...]:
        """Patterns of the fields that controllers set, whatever the spec has."""
        owned = traits_of(*self.kind).owned
        return tuple(
            field.field
            for field in owned
            if field.holds(self.said) or (not field.by and self.is_scaled)
        )

    @property
    def is_queued(self) -> bool:
        """Whether Kueue admits it."""
        return at(self.said, ("metadata", "labels", QUEUE)) is not None or any(
            field.by == KUEUE and field.holds(self.said) for field in traits_of(*self.kind).owned
        )


def is_drift(about: About, raw: Raw) -> bool:
    """Return whether a user changed a differing field; `old` is the expected value, `new` the live
    one."""
    head = raw.steps[0]
    if head in ("apiVersion", "kind", "status") or says_origin(raw):
        return False
    if head == "metadata" and (raw.old is ABSENT or raw.steps[1:2] not in _TOLD):
        return False
    if any(begins(raw.steps, pattern) for pattern in parsed(about.held)):
        return False
    if _is_renamed(about, raw):
        return False
    if raw.new is ABSENT:
        return not (_is_nothing(raw.old) or is_default(about.kind, raw, in_pod=_inside(about, raw)))
    return raw.old is not ABSENT or _is_added(about, raw)


_TOLD = (("labels",), ("annotations",))


def _is_added(about: About, raw: Raw) -> bool:
    """Return whether a user added a field that is not expected."""
    if any(begins(raw.steps, beside) for _, *rest in about.pods for beside in rest):
        # Controllers and people label pods, and annotate them to restart them.
        return False
    inside, name = _inside(about, raw), raw.steps[-1]
    if inside and about.is_queued and not _ADMITTED.isdisjoint(map(str, _names(raw))):
        return False
    if inside and about.kind[0] in _SERVED and about.kind != ("", "Pod"):
        return not (
            _is_nothing(raw.new)
            or name in _FILLED
            or is_default(about.kind, raw, in_pod=True)
            or _is_limit(about, raw)
        )
    holder = raw.steps[-2] if len(raw.steps) > 1 else ""
    if isinstance(name, Pick):
        return (holder in _LISTS) if inside else about.kind != ("", "Pod")
    return holder in _OPEN or (len(raw.steps) == 1 and name == "data")


def _names(raw: Raw) -> list[str]:
    return [step for step in raw.steps if isinstance(step, str)]


def _inside(about: About, raw: Raw) -> bool:
    return any(begins(raw.steps, spec) for spec, *_ in about.pods)


def _is_nothing(value: object) -> bool:
    """Return whether a value equals the absent field: empty values are neither stored nor sent."""
    if isinstance(value, dict):
        return all(map(_is_nothing, value.values()))
    return value in ("", [], False) or (isinstance(value, int) and value == 0)


def _is_limit(about: About, raw: Raw) -> bool:
    """Return whether a request is the default that follows from the limit."""
    names = tuple(_names(raw))
    if "requests" not in names:
        return False
    cut = len(raw.steps) - raw.steps[::-1].index("requests") - 1
    limits = _at(about.said, (*raw.steps[:cut], "limits"))
    changed = raw.new if isinstance(raw.new, dict) else {str(raw.steps[-1]): raw.new}
    return isinstance(limits, dict) and all(
        limits.get(key) == amount for key, amount in changed.items()
    )


def _at(value: Any, steps: tuple[Any, ...]) -> Any:
    """Return the value at steps, with list items by their keys."""
    for step in steps:
        if isinstance(step, Pick):
            name = step.text.partition("=")[2]
            rows = value if isinstance(value, list) else []
            value = next((row for row in rows if at(row, ("name",)) == name), None)
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _is_renamed(about: About, raw: Raw) -> bool:
    """Return whether a webhook stores another spelling of the expected value."""
    rewriter = traits_of(*about.kind).rewriter
    return rewriter is not None and any(
        begins(raw.steps, tuple(map(str, word.path))) and (raw.old, raw.new) in word.words
        for word in rewriter.words
    )
