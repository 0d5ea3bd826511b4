"""A value that the reader of a key does not take."""

from collections.abc import Iterator

from gpuspec.keys import Key
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Found, Put, Rule
from gpuspec.lint.subjects.reading.keys import Written, counts_on, written_keys
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU706",
    "key-value",
    "error",
    "A label, annotation or variable has a value that its reader does not take",
    gives_way=("GPU017", "GPU720"),
    fix="unsafe",
)


def check(one: Object, context: Context) -> Iterator[Found]:
    """Values that are written; those that come from elsewhere are not known."""
    if one.traits.shared and not one.pods:
        return
    for written in written_keys(one):
        if written.value is None:
            continue
        for key in written.known():
            if key.value is None or key.value.takes(written.value) or not counts_on(key, one):
                continue
            yield _found(one, key, written)


def _found(one: Object, key: Key, written: Written) -> Found:
    assert key.value is not None
    assert written.value is not None
    meant = key.value.meant(written.value)
    return Found(
        written.value_path,
        f"`{key.name}` takes {key.value.says()}, not `{_shown(written.value)}`: {key.then}",
        fix=None if meant is None else Fix(f"write `{meant}`", (Put(written.value_path, meant),)),
        severity=None if key.refused else "warning",
    )


def _shown(value: str) -> str:
    return value if len(value) <= 60 else f"{value[:50]}…"
