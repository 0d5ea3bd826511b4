"""A key that went out of use."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.keys import Old, old_named
from gpuspec.lint.analysis.reading.given import all_keys
from gpuspec.lint.analysis.reading.keys import WrittenKey
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, RawFinding, Rule
from gpuspec.lint.rules.schema.misspelled_key import renamed
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU708",
    "old-key",
    "warning",
    "A label, annotation or variable is retired",
    fix="unsafe",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield keys that are no longer read, or soon will not be."""
    for key in all_keys(obj, context.collection):
        old = old_named(key.name)
        if old is None or key.field not in old.fields or _is_kept(old, key):
            continue
        if _is_gone(old, key) is not False:
            yield _found(old, key)


def _is_kept(old: Old, written_key: WrittenKey) -> bool:
    """Return whether the program that runs goes on reading it."""
    if not old.kept or written_key.container is None:
        return False
    running = server_of(written_key.container)
    names = (
        written_key.container.image
        if running is None
        else f"{written_key.container.image} {running.title}"
    )
    return any(name in names.lower().replace(" ", "-") for name in old.kept)


def _is_gone(old: Old, written_key: WrittenKey) -> bool | None:
    """Return whether the running version has removed it; None if the version is unknown."""
    if written_key.container is None or old.since is None:
        return True
    if old.server is None:
        # A library's version is the image's own.
        return None
    running = server_of(written_key.container)
    if running is None or running.name != old.server:
        return False
    image = written_key.container.image
    # The newest there is, whenever it was pulled; another tag that says nothing may be any build.
    moves = image.endswith(":latest") or ":" not in image.rpartition("/")[2]
    return None if moves else runtimes.at_least(image, old.since) or False


def _advice(old: Old, new: str | None, *, moved: bool) -> str:
    """Return what to write where no key replaces the old one by itself."""
    if new is None:
        return f"remove `{old.name}`"
    return f"remove `{old.name}`: {new} is set too" if moved else f"use {new} instead"


def _found(old: Old, written_key: WrittenKey) -> RawFinding:
    # One that is there as well is what counts: nothing is lost.
    moved = old.by is not None and written_key.has(old.by)
    gone = None if old.read else _is_gone(old, written_key)
    is_default = old.always is not None and written_key.value == old.always
    since = f"{old.title} {old.since}" if old.server else old.since
    if old.read:
        message = f"`{old.name}` is deprecated"
    elif not gone:
        message = f"`{old.name}` is ignored by {since} and newer"
    elif since:
        then = "the program does the same without it" if is_default else "it has no effect"
        message = f"`{old.name}` is ignored since {since}: {then}"
    else:
        message = f"no program reads `{old.name}` any more: it has no effect"
    new = f"`{old.by}`" if old.by else old.instead
    fix = (
        Fix(f"rename it to `{old.by}`", (renamed(written_key, old.by),))
        if old.by and old.same
        else None
    )
    return RawFinding(
        written_key.path,
        message + (f"; use {new} instead" if new and fix and not moved else ""),
        note=None if fix and not moved else _advice(old, new, moved=moved),
        key=written_key.is_key,
        fix=None if moved else fix,
        severity=None if gone and not moved and not is_default else "info",
        object=written_key.object,
    )
