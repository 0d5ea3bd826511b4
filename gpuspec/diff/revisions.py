"""Files of a git revision, `main:k8s/`, read from git's objects without touching the work tree.

`git archive` would leave out files marked `export-ignore`; the objects have all.
"""

from __future__ import annotations

import os
import posixpath
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from gpuspec.diff import git
from gpuspec.diff.trees import LINK, MODULE, TreeEntry, contents, entries
from gpuspec.manifests import InputError, Problem
from gpuspec.manifests.files import ENDINGS
from gpuspec.manifests.limits import MAX_REVISION_BYTES, mib
from gpuspec.manifests.writing import RECORD

if TYPE_CHECKING:
    from collections.abc import Iterable

_KUSTOMIZATION = "Kustomization"
"""A name without an extension that Kustomize recognises."""
_COMPARED = 10_000
"""Number of names that a misspelt one is compared with."""


class Checkout(msgspec.Struct, frozen=True):
    """A folder or file of a revision, written to a folder of gpuspec's own."""

    name: str
    """The user's word: `main:k8s`."""
    folder: str
    path: str
    """The path on disk: inside the folder, or the folder itself."""
    notes: tuple[str, ...] = ()
    """Files that could not be written, with reasons."""

    def shown(self, file: str) -> str:
        """Return the git name of a written file: `main:k8s/chat.yaml`."""
        inside = os.path.relpath(file, self.path).replace(os.sep, "/")
        if inside == ".":
            return self.name
        gap = "" if self.name.endswith(("/", ":")) else "/"
        return f"{self.name}{gap}{inside}"

    def told(self, text: str) -> str:
        """Return a sentence with the git names of written files."""
        return text.replace(f"{self.path}{os.sep}", self.shown("x")[:-1]).replace(
            self.path, self.name
        )


def is_revision(path: str) -> bool:
    """Return whether a path names a revision's: it has a colon, and no such file exists."""
    return ":" in path and not os.path.exists(path)


def checkout(name: str, folder: str) -> Checkout:
    """Write the YAML and JSON files of `REVISION:PATH` to an empty folder.

    A path is relative to the repository's root; with `./` before it, to the current folder, as in
    git. Links within the repository are followed, as on disk.

    Raises:
        InputError: no git, no repository, no such revision or path, or a limit is exceeded.
    """
    revision, _, path = name.partition(":")
    if not revision:
        hint = "write a revision before it, such as HEAD:k8s"
        raise InputError([Problem(f"{name}: no revision before the `:`", hint=hint)])
    root = _root(name, revision)
    at = _from_root(path.rstrip("/"))
    how, number = git.led(root, [at])[0] if at else git.Led("tree", root)
    with git.Objects() as objects:
        if how == "blob":
            place = os.path.join(folder, posixpath.basename(at))
            (text,) = contents(objects, [(number, name)])
            _write(place, text, name)
            return Checkout(name, folder, place)
        if how != "tree":
            raise InputError([_no_path(name, how, entries(objects, root, name))])
        laid_out = Checkout(name, folder, folder)
        notes = _lay_out(laid_out, sorted(entries(objects, number, name)), objects, f"{root}:{at}")
    return msgspec.structs.replace(laid_out, notes=tuple(notes))


def _lay_out(
    target: Checkout, tree_entries: list[TreeEntry], objects: git.Objects, tree: str
) -> list[str]:
    """Write the files of a tree, and return those that could not be written."""
    notes = [
        f"skipped: {target.shown(_placed(target, tree_entry))}: a submodule"
        for tree_entry in tree_entries
        if tree_entry.mode == MODULE
    ]
    wanted_entries = [
        tree_entry
        for tree_entry in tree_entries
        if _is_wanted(tree_entry.path) and tree_entry.mode.startswith(("100", LINK))
    ]
    links = [entry for entry in wanted_entries if entry.mode == LINK]
    root, _, at = tree.partition(":")
    led = dict(
        zip(links, git.led(root, [posixpath.join(at, link.path) for link in links]), strict=True)
    )
    files: dict[str, str] = {}
    """The git object by path."""
    for entry in wanted_entries:
        place = _placed(target, entry)
        how, number = led.get(entry, git.Led("blob", entry.id))
        if how == "loop":
            raise InputError([Problem(f"{target.shown(place)}: its links lead in a circle")])
        if how == "symlink":
            notes.append(f"skipped: {target.shown(place)}: a link that leads out of the repository")
        if how == "blob":
            files[place] = number
    total = 0
    blob_names = [(number, target.shown(place)) for place, number in files.items()]
    for place, text in zip(files, contents(objects, blob_names), strict=True):
        total += len(text)
        if total > MAX_REVISION_BYTES:
            most = mib(MAX_REVISION_BYTES)
            message = f"{target.name}: larger than {most}, the limit for a revision"
            raise InputError([Problem(message, hint="name a folder in it")])
        _write(place, text, target.shown(place))
    return notes


def _placed(target: Checkout, tree_entry: TreeEntry) -> str:
    return os.path.join(target.folder, *tree_entry.path.split("/"))


def _root(name: str, revision: str) -> str:
    """Return the tree of a revision."""
    if (answer := git.run("rev-parse", "--git-dir")).code:
        raise InputError([git.no_repository(name, answer.error)])
    tree_name = git.verified(f"{revision}^{{tree}}")
    if tree_name is None:
        lines = git.lines("for-each-ref", f"--count={_COMPARED}", "--format=%(refname:short)")
        nearest = _nearest(revision, lines)
        advice = f"did you mean `{nearest}`?" if nearest else None
        if git.lines("rev-parse", "--is-shallow-repository") == ["true"]:
            advice = f"this clone is shallow: git fetch origin {revision}"
        raise InputError(
            [Problem(f"{name}: git does not know the revision `{revision}`", hint=advice)]
        )
    return tree_name


def _from_root(path: str) -> str:
    """Return a path relative to the repository's root; empty for the root itself."""
    if path not in (".", "..") and not path.startswith(("./", "../")):
        return path
    prefix = "".join(git.lines("rev-parse", "--show-prefix"))
    full_path = posixpath.normpath(posixpath.join(prefix, path))
    return "" if full_path == "." else full_path


def _no_path(name: str, how: str, tree_entries: Iterable[TreeEntry]) -> Problem:
    """Return why a path of a revision cannot be written."""
    revision, _, path = name.partition(":")
    if how in ("loop", "symlink"):
        where = "in a circle" if how == "loop" else "out of the repository"
        return Problem(f"{name}: its links lead {where}")
    near = _nearest(
        path.rstrip("/"), (tree_entry.path for tree_entry in islice(tree_entries, _COMPARED))
    )
    advice = (
        f"did you mean `{revision}:{near}`?" if near else "to compare with nothing, write /dev/null"
    )
    return Problem(f"{name}: no such file or folder there", hint=advice)


def _is_wanted(at: str) -> bool:
    """Return whether a file can contain objects, or states the cluster of others."""
    name = posixpath.basename(at)
    return name.endswith(ENDINGS) or name in (_KUSTOMIZATION, RECORD)


def _write(place: str, text: bytes, shown: str) -> None:
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(text)
    except OSError as error:  # a name that is too long here, a full disk
        raise InputError([Problem(f"{shown}: cannot be written: {error.strerror}")]) from None


def _nearest(word: str, candidates: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(candidates), n=1)), None)
