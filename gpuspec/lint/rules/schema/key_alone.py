"""A key without another one that it needs, or together with one that it excludes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.reading.keys import WrittenKey, written_keys
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from gpuspec.keys.model import RelatedKeys
    from gpuspec.settings.severity import Severity

RULE = Rule(
    "GPU707",
    "key-alone",
    "error",
    "A label, annotation or variable lacks its counterpart, or conflicts with another",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield keys at the same place: the same metadata, the same container."""
    for written_key in written_keys(obj):
        for key in written_key.known():
            if key.need is None and key.bar is None:
                continue
            if not written_key.is_read(key, obj):
                continue
            if key.need is not None and not written_key.has(*key.need.any):
                missing = choice_of(key.need.any)
                yield _found(
                    written_key,
                    key.need,
                    f"`{key.name}` is set without {missing}",
                    f"add {missing}, or remove `{key.name}`",
                )
            if key.bar is not None:
                for name in filter(written_key.has, key.bar.any):
                    yield _found(
                        written_key,
                        key.bar,
                        f"`{key.name}` and `{name}` cannot be set together",
                        f"remove `{key.name}` or `{name}`",
                    )


def _found(written_key: WrittenKey, beside: RelatedKeys, fault: str, advice: str) -> RawFinding:
    softer: Severity = "info" if beside.soft else "warning"
    return RawFinding(
        written_key.path,
        f"{fault}: {beside.then}",
        note=advice,
        key=written_key.container is None,
        severity=None if beside.refused else softer,
        confidence="likely" if beside.soft else "certain",
    )
