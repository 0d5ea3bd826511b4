"""A key that nothing reads, and one that is close to it."""

from collections.abc import Iterator

from gpuspec.keys import meant, mistaken_for
from gpuspec.lint.analysis.reading.given import all_keys
from gpuspec.lint.analysis.reading.keys import WrittenKey
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Change, Fix, Put, RawFinding, Rename, Rule
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU704",
    "misspelled-key",
    "warning",
    "A label, annotation or variable is misspelt",
    fix="unsafe",
)


def check(one: Object, context: Context) -> Iterator[RawFinding]:
    """Yield labels and annotations of the object and of what it makes; variables of its
    containers."""
    for written in all_keys(one, context.collection):
        right = _mistaken(written) or meant(written.name)
        if right is not None:
            yield RawFinding(
                written.path,
                f"nothing reads `{written.name}`: it has no effect; did you mean `{right}`?",
                key=written.is_key,
                fix=None
                if written.has(right)
                else Fix(f"call it `{right}`", (renamed(written, right),)),
                confidence="likely",
                object=written.object,
            )


def _mistaken(written: WrittenKey) -> str | None:
    """Return what a model server calls that for which its clients have this name."""
    running = None if written.container is None else server_of(written.container)
    return None if running is None else mistaken_for(written.name, running.name)


def renamed(written: WrittenKey, name: str) -> Change:
    """Return another name for a key as it is written."""
    return Rename(written.path, name) if written.is_key else Put(written.path, name)
