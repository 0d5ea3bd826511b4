"""A value that the reader of a key does not take."""

from collections.abc import Iterator

from gpuspec.keys import Key
from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.reading.keys import Written, counts_on, written_keys
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU706",
    "key-value",
    "error",
    "A label, annotation or variable has a value that its reader does not take",
    gives_way=("GPU017", "GPU720"),
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
    return Found(
        written.value_path,
        f"`{key.name}` is {key.value.says()}, not `{written.value}`: {key.then}",
        severity=None if key.refused and one.group in key.groups else "warning",
    )
