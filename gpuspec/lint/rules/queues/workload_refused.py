"""Labels and annotations by which a workload is queued, and for which Kueue refuses it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests import Path, dns_subdomain, label_key
from gpuspec.manifests.values import at, mapping
from gpuspec.numbers import INT32, read_signed
from gpuspec.objects.objects import Object
from gpuspec.objects.references import labels_at

RULE = Rule(
    "GPU730",
    "workload-refused",
    "error",
    "Kueue refuses a workload for its labels or annotations",
)

_DOMAIN = "kueue.x-k8s.io/"
_REQUIRED, _PREFERRED, _ANY, _SLICE = (
    f"{_DOMAIN}podset-{name}-topology"
    for name in ("required", "preferred", "unconstrained", "slice-required")
)
_SIZE, _GROUP = f"{_DOMAIN}podset-slice-size", f"{_DOMAIN}podset-group-name"
_BOOLEANS = ("1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False")
"""What Go reads as a boolean."""


def check(one: Object, context: Context) -> Iterator[Found]:
    """What its webhooks read on the workload and on its pods."""
    inside = labels_at(one)
    yield from _forms(mapping(at(one.value, inside)), one.path(*inside), _LABELS)
    for pod in one.pods:
        if pod.metadata_path is not None:
            path = (*pod.metadata_path, "annotations")
            yield from _forms(pod.annotations, path, _ANNOTATIONS)
            yield from _relations(pod.annotations, path)


def _forms(written: dict[str, Any], path: Path, forms: dict[str, _Form]) -> Iterator[Found]:
    for key in forms.keys() & written.keys():
        value = written[key]
        if not isinstance(value, str) or placeholder(value):
            continue
        wrong = forms[key](value)
        if wrong is not None:
            yield _refused((*path, key), f"`{key}: {value}`: {wrong}")


def _relations(written: dict[str, Any], path: Path) -> Iterator[Found]:
    asked = [key for key in (_REQUIRED, _PREFERRED, _ANY) if key in written]
    if len(asked) > 1:
        names = " and ".join(f"`{key}`" for key in asked)
        yield _refused((*path, asked[1]), f"only one of {names} may be set")
    for key, needed in ((_SLICE, _SIZE), (_SIZE, _SLICE)):
        if key in written and needed not in written:
            yield _refused((*path, key), f"`{key}` needs `{needed}` beside it")
    if _GROUP not in written:
        return
    for key in (_SIZE, _SLICE):
        if key in written:
            yield _refused((*path, _GROUP), f"`{_GROUP}` may not stand beside `{key}`")
    if _REQUIRED not in written and _PREFERRED not in written:
        yield _refused(
            (*path, _GROUP), f"`{_GROUP}` needs `{_REQUIRED}` or `{_PREFERRED}` beside it"
        )


def _refused(path: Path, message: str) -> Found:
    return Found(path, f"{message}: refused by Kueue's webhook", key=True)


def _name(value: str) -> str | None:
    return dns_subdomain(value)


def _seconds(value: str) -> str | None:
    number = read_signed(value)
    return None if number is not None and number > 0 else "expected whole seconds above 0"


def _pods(value: str) -> str | None:
    number = read_signed(value)
    return None if number is not None and 1 <= number <= INT32 else "expected a number of pods"


def _boolean(value: str) -> str | None:
    return None if value in _BOOLEANS else "expected `true` or `false`"


def _no_number(value: str) -> str | None:
    digits = value.isascii() and read_signed(value) is not None and value[:1] not in "+-"
    return "expected a name that is no number" if digits else None


_Form = Callable[[str], str | None]
_LABELS: dict[str, _Form] = {
    f"{_DOMAIN}queue-name": _name,
    f"{_DOMAIN}max-exec-time-seconds": _seconds,
}
_ANNOTATIONS: dict[str, _Form] = {
    _REQUIRED: label_key,
    _PREFERRED: label_key,
    _SLICE: label_key,
    _ANY: _boolean,
    _SIZE: _pods,
    _GROUP: _no_number,
}
