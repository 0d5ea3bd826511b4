"""One object, one Kubernetes version, one answer."""

from collections import Counter
from dataclasses import replace
from typing import Any

from gpuspec.validation.bundle import Kind, load
from gpuspec.validation.nodes import root
from gpuspec.validation.violation import Violation
from gpuspec.validation.walk import faults

# Importing jsonschema-rs and compiling a kind takes as long as walking some hundreds of objects.
_FEW = 200

_seen: Counter[tuple[str, Kind]] = Counter()


def validate(value: Any, kubernetes: str) -> tuple[Violation, ...]:
    """Check an object against the schema that a Kubernetes version has for its kind.

    Fields that the schema does not know are refused. The verdict is that of `kubeconform -strict`
    over the schemas that the bundles were made from. The items of a `List` are checked one by one.

    Args:
        value: a document as plain data: dict, list, str, int, float, bool, None.
        kubernetes: the version, such as ``1.34``; a patch level or a vendor's suffix is ignored.

    Returns:
        All that is wrong, in the order of the object; nothing if it is valid. A kind without a
        schema is one violation, whose reason is `no-schema` or `not-served`.

    Raises:
        UnsupportedVersionError: there are no schemas for the version.
    """
    bundle = load(kubernetes)
    kind = _kind(value)
    if kind == ("v1", "List"):
        return _items(value, kubernetes)
    if kind is None or kind not in bundle:
        from gpuspec.validation import strangers

        return strangers.unknown(bundle, kind) if kind else strangers.unnamed(value)
    if _certainly_valid(bundle.version, kind, value):
        return ()
    top = root(bundle, kind)
    if not (found := faults(top, value)):
        return ()
    from gpuspec.validation.words import violation

    return tuple(violation(top, fault) for fault in found)


def _kind(value: Any) -> Kind | None:
    """What an object says it is; None if it does not say."""
    if isinstance(value, dict):
        api_version, kind = value.get("apiVersion"), value.get("kind")
        if isinstance(api_version, str) and isinstance(kind, str):
            return api_version, kind
    return None


def _certainly_valid(version: str, kind: Kind, value: object) -> bool:
    """The quick answer for the many objects that are valid, once there are many."""
    _seen[version, kind] += 1
    if _seen[version, kind] <= _FEW:
        return False
    from gpuspec.validation import compiled

    return compiled.is_valid(version, kind, value)


def _items(value: Any, kubernetes: str) -> tuple[Violation, ...]:
    items = value.get("items")
    if not isinstance(items, list):
        return (Violation(("items",), "expected a list of objects", "wrong-type", "a list"),)
    return tuple(
        replace(violation, path=("items", index, *violation.path))
        for index, item in enumerate(items)
        for violation in validate(item, kubernetes)
    )
