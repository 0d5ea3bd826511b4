"""Files of a git revision, `main:k8s/`: read from git's objects, the work tree left alone.

`git archive` would leave out what is marked `export-ignore`; the objects hold all.
"""

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gpuspec.manifests import InputError, Problem
from gpuspec.manifests.files import ENDINGS
from gpuspec.numbers import of_digits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_KUSTOMIZATION = "Kustomization"
"""A name without an ending that Kustomize knows."""
_LINK = "120000"


class Checkout(msgspec.Struct, frozen=True):
    """A folder or file of a revision, laid out in a folder of ours."""

    name: str
    """As it was asked for: `main:k8s`."""
    folder: str
    path: str
    """What stands for it: in the folder, or the folder itself."""

    def shown(self, file: str) -> str:
        """The name of a file that was laid out, as git knows it: `main:k8s/chat.yaml`."""
        inside = os.path.relpath(file, self.path).replace(os.sep, "/")
        if inside == ".":
            return self.name
        gap = "" if self.name.endswith(("/", ":")) else "/"
        return f"{self.name}{gap}{inside}"

    def told(self, text: str) -> str:
        """A sentence in which files that were laid out have their own names."""
        return text.replace(f"{self.path}{os.sep}", self.shown("x")[:-1]).replace(
            self.path, self.name
        )


def is_revision(path: str) -> bool:
    """Whether a path names a revision's: it has a colon, and there is no such file."""
    return ":" in path and not os.path.exists(path)  # noqa: PTH110


def checkout(asked: str, folder: str) -> Checkout:
    """Lay out the YAML and JSON files of `REVISION:PATH` in an empty folder.

    A path is seen from the repository's root, with `./` before it from the folder at hand, as git
    has it. Raises `InputError`: no git, no repository, no such revision or path.
    """
    revision, _, path = asked.partition(":")
    if not revision:
        hint = "write a revision before it, such as HEAD:k8s"
        raise InputError([Problem(f"{asked}: no revision before the `:`", hint=hint)])
    # Git knows the folder at hand as `./` alone.
    bare = path.rstrip("/")
    tree = _object(asked, revision, f"{bare}/" if bare.endswith(".") else bare)
    if _git("cat-file", "-t", tree).strip() == b"blob":
        name = posixpath.basename(path.rstrip("/"))
        place = os.path.join(folder, name)  # noqa: PTH118
        _write(place, _contents([tree])[tree])
        return Checkout(asked, folder, place)
    entries = _entries(tree)
    wanted = {at: one for at, one in entries.items() if _is_wanted(at)}
    contents = _contents(one.id for one in wanted.values())
    for at, one in wanted.items():
        text = contents[one.id]
        if one.mode == _LINK:
            behind = _target(at, text, entries)
            if behind is None:
                continue
            text = _contents([behind])[behind]
        _write(os.path.join(folder, *at.split("/")), text)  # noqa: PTH118
    return Checkout(asked, folder, folder)


class _Entry(NamedTuple):
    mode: str
    id: str


def _object(asked: str, revision: str, path: str) -> str:
    """The object that a revision has at a path."""
    if _try("rev-parse", "--git-dir") is None:
        hint = "run it in the repository, or name files"
        raise InputError([Problem(f"{asked}: no git repository here", hint=hint)])
    if not any(_verify(f"{revision}^{{{kind}}}") for kind in ("commit", "tree")):
        known = _lines(_git("for-each-ref", "--format=%(refname:short)"))
        meant = _nearest(revision, known)
        advice = f"did you mean `{meant}`?" if meant else None
        if (_try("rev-parse", "--is-shallow-repository") or b"").strip() == b"true":
            advice = f"this clone holds few revisions: git fetch origin {revision}"
        raise InputError([Problem(f"{asked}: git knows no revision `{revision}`", hint=advice)])
    found = _verify(f"{revision}:{path}")
    if found is None:
        paths = _lines(_git("ls-tree", "-r", "-t", "--name-only", "--full-tree", revision))
        near = _nearest(path, paths)
        advice = f"did you mean `{revision}:{near}`?" if near else None
        advice = advice or "to compare with nothing: /dev/null"
        raise InputError([Problem(f"{asked}: no such file or folder there", hint=advice)])
    return found


def _entries(tree: str) -> dict[str, _Entry]:
    """All files below a tree, by path."""
    found: dict[str, _Entry] = {}
    for line in _git("ls-tree", "-r", "-z", "--full-tree", tree).split(b"\0"):
        about, tab, name = line.partition(b"\t")
        if tab:
            mode, kind, number = about.decode().split()
            if kind == "blob":
                found[os.fsdecode(name)] = _Entry(mode, number)
    return found


def _is_wanted(at: str) -> bool:
    """Whether a file can hold objects; hidden ones are passed over, as everywhere."""
    *folders, name = at.split("/")
    if any(part.startswith(".") or not part for part in (*folders, name)):
        return False
    return name.endswith(ENDINGS) or name == _KUSTOMIZATION


def _target(at: str, text: bytes, entries: Mapping[str, _Entry]) -> str | None:
    """The object of the file that a link leads to; None where that is not in the tree."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(at), os.fsdecode(text)))
    found = entries.get(path)
    return found.id if found is not None and found.mode != _LINK else None


def _contents(ids: Iterable[str]) -> dict[str, bytes]:
    """Objects' contents, all from one process."""
    wanted = list(dict.fromkeys(ids))
    out = _git("cat-file", "--batch", given="".join(f"{one}\n" for one in wanted).encode())
    found: dict[str, bytes] = {}
    at = 0
    for one in wanted:
        end = out.index(b"\n", at)
        size = of_digits(out[at:end].split()[2].decode())
        found[one] = out[end + 1 : end + 1 + size]
        at = end + size + 2
    return found


def _write(place: str, text: bytes) -> None:
    os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120
    with open(place, "wb") as file:  # noqa: PTH123
        file.write(text)


def _verify(name: str) -> str | None:
    found = _try("rev-parse", "--verify", "--quiet", "--end-of-options", name)
    return found.decode().split()[-1] if found and found.strip() else None


def _try(*words: str) -> bytes | None:
    """What git says; None where it says no."""
    code, out, _ = _run(words, b"")
    return out if code == 0 else None


def _git(*words: str, given: bytes = b"") -> bytes:
    code, out, error = _run(words, given)
    if code != 0:
        said = error.decode(errors="replace").strip().splitlines() or [f"exit code {code}"]
        raise InputError([Problem(f"git {words[0]}: {said[-1]}")])
    return out


def _run(words: tuple[str, ...], given: bytes) -> tuple[int, bytes, bytes]:
    import subprocess

    # No question is asked, and nothing is written: not even git's index.
    environment = os.environ | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    try:
        done = subprocess.run(
            ["git", *words], input=given, capture_output=True, env=environment, check=False
        )
    except OSError as error:
        hint = "revisions are read by git: install it, or name files"
        raise InputError([Problem(f"git: {error.strerror}", hint=hint)]) from None
    return done.returncode, done.stdout, done.stderr


def _lines(text: bytes) -> list[str]:
    return text.decode(errors="replace").splitlines()


def _nearest(word: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), n=1)), None)
