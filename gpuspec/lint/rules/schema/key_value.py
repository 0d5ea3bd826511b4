"""A value that the reader of a key does not take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.keys import Key
from gpuspec.lint.analysis.reading.given import all_keys
from gpuspec.lint.analysis.reading.keys import WrittenKey
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from gpuspec.keys.forms import ValueForm

RULE = Rule(
    "GPU706",
    "key-value",
    "error",
    "A label, annotation or variable has an invalid value",
    gives_way=("GPU017", "GPU720"),
    fix="unsafe",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield values that are written; those that come from elsewhere are not known."""
    if obj.traits.shared and not obj.pods:
        return
    for written_key in all_keys(obj, context.collection):
        if written_key.value is None and not written_key.is_empty:
            continue
        for key in written_key.known():
            # Nobody but a webhook tells what is empty from what is not there.
            if key.value is None or (written_key.is_empty and not key.refused):
                continue
            if not key.value.takes(written_key.value or "") and written_key.is_read(key, obj):
                yield _found(key, key.value, written_key)


def _found(key: Key, form: ValueForm, written_key: WrittenKey) -> RawFinding:
    value = written_key.value or ""
    right_value = form.meant(value)
    return RawFinding(
        written_key.value_path,
        f"`{key.name}` does not accept {_shown(value)}: {key.then}",
        note=f"write {form.says()}",
        fix=None
        if right_value is None
        else Fix(f"write `{right_value}`", (Put(written_key.value_path, right_value),)),
        severity=None if key.refused else "warning",
        object=written_key.object,
    )


def _shown(value: str) -> str:
    if not value:
        return "an empty text"
    return f"`{value}`" if len(value) <= 60 else f"`{value[:50]}…`"
