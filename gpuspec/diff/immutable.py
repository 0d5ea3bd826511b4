"""Immutable fields: the API server rejects an apply that changes one.

The table of kinds has the fields. Built-in kinds: tested one by one against a real API server in
tests/control_plane/test_immutable.py. Others: validation rules (`self == oldSelf`) and webhooks of
their projects. Fields that depend on a controller's feature gate, or on the state of the cluster,
are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.diff.steps import Pattern, begins, parsed, touches, written
from gpuspec.diff.values import ABSENT, quantity
from gpuspec.kinds import traits_of
from gpuspec.manifests.values import at

if TYPE_CHECKING:
    from gpuspec.diff.fields import Raw


_DATA: tuple[Pattern, ...] = (("data",), ("stringData",), ("binaryData",), ("immutable",))
_STORAGE: Pattern = ("spec", "resources", "requests", "storage")


def way(kind: tuple[str, str]) -> str:
    """Return what to do if the API server rejects the apply."""
    immutable_fields = traits_of(*kind).kept
    return (immutable_fields and immutable_fields.way) or "delete it first, or give it another name"


def kept_field(kind: tuple[str, str], raw: Raw) -> str:
    """Return the immutable field that contains this field: `spec.template` of a Job."""
    immutable_fields = traits_of(*kind).kept
    for text in immutable_fields.fixed if immutable_fields else ():
        pattern = tuple(text.split("."))
        if len(pattern) > 1 and touches(raw.steps, pattern):
            return text
    return written(raw.steps[:2] if raw.steps[0] == "spec" else raw.steps[:1])


def is_refused(kind: tuple[str, str], raw: Raw, old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Return whether the API server rejects an apply for a field. `kind` is group and kind; the
    objects are whole."""
    steps = raw.steps
    is_data = any(touches(steps, pattern) for pattern in _DATA)
    if kind in (("", "ConfigMap"), ("", "Secret")) and old.get("immutable") is True and is_data:
        return True
    if kind == ("", "PersistentVolumeClaim") and begins(steps, _STORAGE):
        return _shrinks(raw)
    if kind == ("", "Service") and steps[:1] == ("spec",) and not _keeps_address(raw, old, new):
        return False
    immutable_fields = traits_of(*kind).kept
    if immutable_fields is None or not any(
        touches(steps, prefix) for prefix in parsed(immutable_fields.fixed)
    ):
        return False
    free = immutable_fields.but
    if _is_suspended(kind, old) and _is_suspended(kind, new):
        free += immutable_fields.suspended
    if any(begins(steps, prefix) for prefix in parsed(free)):
        return False
    if kind == ("", "Pod"):
        # A pod takes more tolerations, and keeps those that it has.
        return not (begins(steps, ("spec", "tolerations")) and raw.old is ABSENT)
    if kind == ("kueue.x-k8s.io", "Topology"):
        return not (_ends_at_hosts(old) and _ends_at_hosts(new))
    if kind == ("batch", "Job") and steps == ("spec", "completions"):
        return not (_elastic(old, new) or _completions(old) == _completions(new))
    return True


def _ends_at_hosts(obj: dict[str, Any]) -> bool:
    levels = _spec(obj).get("levels")
    return isinstance(levels, list) and levels[-1:] == [{"nodeLabel": "kubernetes.io/hostname"}]


def _keeps_address(raw: Raw, old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Return whether a field of a Service is immutable: it may be left out, or set for the first
    time."""
    if raw.new is ABSENT or _spec(new).get("type") == "ExternalName":
        return False
    # Without an address of its own the server chose one, which is not the new one.
    return _spec(old).get("type") != "ExternalName"


def _is_suspended(kind: tuple[str, str], obj: dict[str, Any]) -> bool:
    queueing = traits_of(*kind).queueing
    return queueing is not None and at(obj, queueing.suspend) is True


def _elastic(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Return whether an indexed Job changes its completions together with its parallelism."""
    spec = _spec(new)
    return (
        spec.get("completionMode") == _spec(old).get("completionMode") == "Indexed"
        and spec.get("parallelism") == spec.get("completions")
        and _spec(old).get("parallelism") == _spec(old).get("completions")
    )


def _completions(obj: dict[str, Any]) -> Any:
    """Return a Job's completions: 1 if it sets neither completions nor parallelism."""
    spec = _spec(obj)
    return spec.get("completions", None if spec.get("parallelism") is not None else 1)


def _shrinks(raw: Raw) -> bool:
    old, new = (
        quantity(value) if isinstance(value, str | int | float) else None
        for value in (raw.old, raw.new)
    )
    return old is not None and (new is None or new < old)


def _spec(obj: dict[str, Any]) -> dict[str, Any]:
    spec = obj.get("spec")
    return spec if isinstance(spec, dict) else {}
