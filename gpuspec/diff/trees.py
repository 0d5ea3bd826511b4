"""Walk the trees of a revision, with limits that hold for any content."""

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
    from collections.abc import Iterable, Iterator

    from gpuspec.diff.git import Objects

FOLDER, LINK, MODULE = "40000", "120000", "160000"


class TreeEntry(NamedTuple):
    """An entry of a tree."""

    path: str
    mode: str
    id: str


def entries(objects: Objects, tree: str, name_asked: str) -> Iterator[TreeEntry]:
    """Yield all entries below a tree, folders too, without hidden ones.

    Raises `InputError` for trees that git itself does not write, and for trees beyond the limits.
    """
    count, level = 0, [("", tree)]
    for _ in range(MAX_REVISION_DEPTH):
        # Of many trees that are the same, one is read.
        unique = {number: f"{name_asked}: {under or 'its tree'}" for under, number in level}
        by_tree = {
            number: _parsed(data, len(number) // 2, name_asked)
            for number, data in zip(unique, contents(objects, unique.items()), strict=True)
        }
        below: list[tuple[str, str]] = []
        for under, number in level:
            for mode, name, inner in by_tree[number]:
                count += 1
                if count > MAX_REVISION_ENTRIES:
                    most = f"{MAX_REVISION_ENTRIES:,} files and folders"
                    raise InputError(
                        [_endless(f"{name_asked}: more than {most}, the limit for a revision")]
                    )
                if not name.startswith("."):
                    yield TreeEntry(under + name, mode, inner)
                    if mode == FOLDER:
                        below.append((f"{under}{name}/", inner))
        if not below:
            return
        level = below
    raise InputError(
        [_endless(f"{name_asked}: folders lie deeper than {MAX_REVISION_DEPTH} levels")]
    )


def contents(objects: Objects, requests: Iterable[tuple[str, str]]) -> Iterator[bytes]:
    """Yield the contents of objects, each with its name in errors.

    Raises `InputError` for an object that is not local, or too large.
    """
    named_objects = [*requests]
    stored_objects = objects.ask([number for number, _ in named_objects])
    for (_, name), stored in zip(named_objects, stored_objects, strict=True):
        if stored is None:
            hint = (
                "gpuspec fetches nothing: run git archive REVISION in a partial clone, "
                "else see git fsck"
            )
            raise InputError([Problem(f"{name}: git does not have the object here", hint=hint)])
        if stored.size > MAX_BYTES:
            raise InputError(
                [Problem(f"{name}: larger than {mib(MAX_BYTES)}, the limit for a file")]
            )
        yield objects.take(stored.size)


def _parsed(data: bytes, length: int, tree_name: str) -> list[tuple[str, str, str]]:
    """Return mode, name and object id of each entry of one tree; an id has `length` bytes."""
    at, parsed_entries = 0, []
    seen_names: set[bytes] = set()
    while at < len(data):
        space = data.find(b" ", at)
        end = data.find(b"\0", space)
        name = data[space + 1 : end]
        after = end + 1 + length
        if min(space, end) < 0 or after > len(data) or _is_odd(name) or name in seen_names:
            message = f"{tree_name}: git writes no tree with the entry {os.fsdecode(name)!r}"
            raise InputError([Problem(message, hint="run git fsck to see what is wrong")])
        seen_names.add(name)
        mode = data[at:space].decode(errors="replace")
        parsed_entries.append((mode, os.fsdecode(name), data[end + 1 : after].hex()))
        at = after
    return parsed_entries


def _endless(message: str) -> Problem:
    return Problem(message, hint="name a folder in it")


def _is_odd(name: bytes) -> bool:
    """Return whether git refuses to write an entry of that name, or this system would read it as a
    path."""
    return name in (b"", b".", b"..") or b"/" in name or os.fsencode(os.sep) in name
