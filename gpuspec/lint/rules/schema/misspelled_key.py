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


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Check labels and annotations of the object and its templates, and variables of its
    containers."""
    for key in all_keys(obj, context.collection):
        right = _mistaken(key) or meant(key.name)
        if right is not None:
            yield RawFinding(
                key.path,
                f"no program reads `{key.name}`: it has no effect; did you mean `{right}`?",
                key=key.is_key,
                fix=None
                if key.has(right)
                else Fix(f"rename it to `{right}`", (renamed(key, right),)),
                confidence="likely",
                object=key.object,
            )


def _mistaken(written_key: WrittenKey) -> str | None:
    """Return the server's variable for a variable of its clients."""
    running = None if written_key.container is None else server_of(written_key.container)
    return None if running is None else mistaken_for(written_key.name, running.name)


def renamed(written_key: WrittenKey, name: str) -> Change:
    """Return a fix that renames a written key."""
    return Rename(written_key.path, name) if written_key.is_key else Put(written_key.path, name)
