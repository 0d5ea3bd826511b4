"""Files without objects to compare: patches, templates, values, and unreadable files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.diff.amount_text import few
from gpuspec.manifests import InputError
from gpuspec.manifests.files import STDIN, content

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Files = Mapping[str, str]
    """Paths on disk, by where they lie in the folder that was given."""


def differing(old: Files, new: Files) -> list[str]:
    """List the files whose bytes differ, or that only one side has."""
    places = sorted({*old, *new})
    return [place for place in places if not is_same(old.get(place), new.get(place))]


def is_same(old: str | None, new: str | None) -> bool:
    """Return whether two files have the same bytes. An unreadable file counts as missing."""
    if old is None or new is None or STDIN in (old, new):
        return False
    try:
        return content(old) == content(new)
    except InputError:
        return False


def notes(files: Sequence[str]) -> Iterator[str]:
    """Return notes on files that differ and are not compared."""
    if files:
        verb = "differs and is" if len(files) == 1 else "differ and are"
        yield (
            f"{few(files)} {verb} not compared: patches, templates and Helm values take "
            "effect in the built objects; compare the output of `kustomize build` or `helm "
            "template`"
        )


def ignored(files: Sequence[str], folder: str) -> Iterator[str]:
    """Return notes on files of a folder that are compared although no revision contains them."""
    if files:
        count = "1 file" if len(files) == 1 else f"{len(files)} files"
        yield (
            f"{count} of {folder} that Git ignores ({few(files)}) are compared too, although "
            "no revision holds them; name a folder without them"
        )
