"""A key without the one that it needs beside it."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.reading.keys import counts_on, written_keys
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU707",
    "key-alone",
    "warning",
    "A label, annotation or variable stands without the one that it needs beside it",
)


def check(one: Object, context: Context) -> Iterator[Found]:
    """Keys at the same place: the same metadata, the same container."""
    for written in written_keys(one):
        for key in written.known():
            need = key.need
            if need is None or not counts_on(key, one) or written.has(*need.any):
                continue
            missing = " or ".join(f"`{name}`" for name in need.any)
            yield Found(
                written.path,
                f"`{key.name}` stands without {missing}: {need.then}",
                key=written.container is None,
                severity="info" if need.soft else None,
                confidence="likely" if need.soft else "certain",
            )
