"""The trees of a revision, gone through one after the other: whoever wrote them, they come to an end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gpuspec.manifests import InputError, Problem
from gpuspec.manifests.limits import (
    MAX_BYTES,
    MAX_REVISION_DEPTH,
    MAX_REVISION_ENTRIES,
    mib,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.diff.git import Objects

FOLDER, LINK, MODULE = "40000", "120000", "160000"


class Entry(NamedTuple):
    """What stands in a tree."""

    path: str
    mode: str
    id: str


def entries(objects: Objects, tree: str, asked: str) -> Iterator[Entry]:
    """All that lies below a tree, folders too. What is hidden is passed over, as everywhere.

    Raises `InputError` for trees that git itself does not write, and for those without an end.
    """
    count, waiting = 0, [("", tree, 0)]
    while waiting:
        under, number, depth = waiting.pop()
        for mode, name, inner in _parsed(objects, number, under, asked):
            count += 1
            if count > MAX_REVISION_ENTRIES:
                said = f"{asked}: more than the {MAX_REVISION_ENTRIES:,} files and folders that are read"
                raise InputError([Problem(said, hint="name a folder of it")])
            if name.startswith("."):
                continue
            yield Entry(under + name, mode, inner)
            if mode == FOLDER:
                if depth == MAX_REVISION_DEPTH:
                    said = f"{asked}: folders lie deeper than {MAX_REVISION_DEPTH} levels"
                    raise InputError([Problem(said, hint="name a folder of it")])
                waiting.append((f"{under}{name}/", inner, depth + 1))


def _parsed(
    objects: Objects, number: str, under: str, asked: str
) -> Iterator[tuple[str, str, str]]:
    """Mode, name and object of each entry of one tree."""
    data = content(objects, number, f"{asked}: {under or 'its tree'}")
    length, at = len(number) // 2, 0
    seen: set[bytes] = set()
    while at < len(data):
        space = data.find(b" ", at)
        end = data.find(b"\0", space)
        name = data[space + 1 : end]
        after = end + 1 + length
        if min(space, end) < 0 or after > len(data) or _is_odd(name) or name in seen:
            said = (
                f"{asked}: a tree of it is not as git writes them: it holds {os.fsdecode(name)!r}"
            )
            raise InputError([Problem(said, hint="git fsck says what is wrong")])
        seen.add(name)
        yield (
            data[at:space].decode(errors="replace"),
            os.fsdecode(name),
            data[end + 1 : after].hex(),
        )
        at = after


def content(objects: Objects, number: str, name: str) -> bytes:
    """What an object holds. Raises `InputError` for one that is not here, or is too large."""
    stored = objects.ask(number)
    if stored is None:
        hint = "nothing is fetched: git archive REVISION does in a partial clone; else see git fsck"
        raise InputError([Problem(f"{name}: git does not have it here", hint=hint)])
    if stored.size > MAX_BYTES:
        raise InputError([Problem(f"{name}: more than the {mib(MAX_BYTES)} that are read")])
    return objects.take(stored.size)


def _is_odd(name: bytes) -> bool:
    """Whether git refuses to write an entry of that name, or this system would take it for a path."""
    return name in (b"", b".", b"..") or b"/" in name or os.fsencode(os.sep) in name
