"""Which fields of a live object differ from what is said, and are no drift: servers and controllers set them.

Of what only the live object has, a server's own defaults and what controllers lay over an object are as they
should be. In pods of built-in kinds all that servers fill in is known, and what else is there somebody
put there; elsewhere only what no server adds is told: entries of maps and items of lists that are said.
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
    """An object of which fields are compared."""

    kind: tuple[str, str]
    said: dict[str, Any]
    pods: tuple[tuple[Pattern, ...], ...]
    """What of it is in its pods: specs, and the metadata beside them."""
    is_scaled: bool = False
    """An autoscaler moves it."""

    @property
    def held(self) -> tuple[str, ...]:
        """Patterns of the fields that controllers set, whatever is said of them."""
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
    """Return whether a field that differs was changed by somebody; `old` is what is said, `new`
    what is there."""
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
    """Return whether somebody put there what is not said."""
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
    """Return whether a value is what its field has without it: what is empty is not stored, and not
    sent."""
    if isinstance(value, dict):
        return all(map(_is_nothing, value.values()))
    return value in ("", [], False) or (isinstance(value, int) and value == 0)


def _is_limit(about: About, raw: Raw) -> bool:
    """Return whether a request is what the limit beside it makes it."""
    names = tuple(_names(raw))
    if "requests" not in names:
        return False
    cut = len(raw.steps) - raw.steps[::-1].index("requests") - 1
    limits = _at(about.said, (*raw.steps[:cut], "limits"))
    asked = raw.new if isinstance(raw.new, dict) else {str(raw.steps[-1]): raw.new}
    return isinstance(limits, dict) and all(limits.get(key) == one for key, one in asked.items())


def _at(value: Any, steps: tuple[Any, ...]) -> Any:
    """Return what stands at steps, items of lists by what they are called."""
    for step in steps:
        if isinstance(step, Pick):
            name = step.text.partition("=")[2]
            rows = value if isinstance(value, list) else []
            value = next((row for row in rows if at(row, ("name",)) == name), None)
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _is_renamed(about: About, raw: Raw) -> bool:
    """Return whether a webhook stores another word for the one that is said."""
    rewriter = traits_of(*about.kind).rewriter
    return rewriter is not None and any(
        begins(raw.steps, tuple(map(str, word.path))) and (raw.old, raw.new) in word.words
        for word in rewriter.words
    )
