"""Read local git objects: nothing is fetched, nothing is written, and no program from a
repository's configuration runs."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple, Self

from gpuspec.manifests import InputError, Problem
from gpuspec.numbers import of_digits, read_whole

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable, Iterator, Sequence

_SAFE = ("--no-pager", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_ENVIRONMENT = {
    # Of no transport that there is: promised objects of a partial clone stay where they are.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_NOWHERE = ("dangling", "loop", "notdir", "symlink")
_AT_ONCE = 50
"""Number of objects requested from git before one is read: more would not fit into the smallest
pipe."""
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class GitResult(NamedTuple):
    """The result of a run of git."""

    code: int
    out: bytes
    error: str


class GitObject(NamedTuple):
    """An object."""

    kind: str
    size: int


class Led(NamedTuple):
    """The target of a path after following links."""

    how: str
    """`blob`, `tree`, or why there is no target: `missing`, `dangling`, `loop`, `notdir`, `symlink`
    (outside the repository)."""
    id: str = ""


def run(*words: str, given: bytes = b"") -> GitResult:
    """Run git. The user's words follow `--end-of-options`. Raises `InputError` if git is not
    installed."""
    import subprocess

    try:
        done = subprocess.run(
            _command(words), input=given, capture_output=True, env=_environment(), check=False
        )
    except (OSError, ValueError) as error:
        raise _without_git(error) from None
    return GitResult(done.returncode, done.stdout, done.stderr.decode(errors="replace").strip())


def lines(*words: str) -> list[str]:
    """Return the lines that git prints; none if git fails."""
    return run(*words).out.decode(errors="replace").splitlines()


def verified(name: str) -> str | None:
    """Return the id of the object that the user's word names; None if there is none."""
    object_names = lines("rev-parse", "--verify", "--quiet", "--end-of-options", name)
    # Some versions print the option too, and a `^` before what is left out.
    return object_names[-1] if object_names and _ID.fullmatch(object_names[-1]) else None


def led(root: str, paths: Iterable[str]) -> list[Led]:
    """Return the targets of paths, relative to a tree."""
    # Paths are given in lines.
    plain_paths = ["" if "\n" in path else path for path in paths]
    text = b"".join(os.fsencode(f"{root}:{path}\n") for path in plain_paths)
    out = run("cat-file", "--batch-check", "--follow-symlinks", given=text).out
    targets: list[Led] = []
    for path in plain_paths:
        line, _, out = out.partition(b"\n")
        first, _, rest = line.decode(errors="replace").partition(" ")
        if path and _ID.fullmatch(first):
            targets.append(Led(rest.partition(" ")[0], first))
        elif path and first in _NOWHERE and (length := read_whole(rest)) is not None:
            # The path that it came to, and its length.
            out = out[length + 1 :]
            targets.append(Led(first))
        else:
            targets.append(Led("missing"))
    return targets


class Objects:
    """The objects of a repository, from one process; the size of each is known before it is
    read."""

    def __init__(self) -> None:
        """Find git. Raises `InputError` if there is none."""
        from subprocess import DEVNULL, PIPE, Popen

        try:
            self._git: subprocess.Popen[bytes] = Popen(
                _command(("cat-file", "--batch")),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                env=_environment(),
            )
        except OSError as error:
            raise _without_git(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._git.kill()
        self._git.communicate()

    def ask(self, names: Sequence[str]) -> Iterator[GitObject | None]:
        """Yield kind and size of objects, each of which must be taken before the next; None for one
        that is not local.

        Git may also exit for an object that is elsewhere, or broken.
        """
        assert self._git.stdin is not None
        assert self._git.stdout is not None
        for start in range(0, len(names), _AT_ONCE):
            part = names[start : start + _AT_ONCE]
            try:
                self._git.stdin.write("".join(f"{name}\n" for name in part).encode())
                self._git.stdin.flush()
            except BrokenPipeError:
                pass
            for _ in part:
                about = self._git.stdout.readline().split()
                is_local = len(about) == 3
                yield (
                    GitObject(about[1].decode(), of_digits(about[2].decode())) if is_local else None
                )

    def take(self, size: int) -> bytes:
        """Return the content of the current object."""
        assert self._git.stdout is not None
        content = self._git.stdout.read(size)
        self._git.stdout.read(1)
        return content


def no_repository(name: str, error: str) -> Problem:
    """Return why git finds no repository here, or does not open it."""
    if "dubious ownership" in error:
        at = re.search(r"in repository at '(.*)'", error)
        hint = f"git config --global --add safe.directory {at[1] if at else 'FOLDER'}"
        message = f"{name}: git does not open this repository, which belongs to another user"
        return Problem(message, hint=hint)
    if "not a git repository" in error or not error:
        hint = "run it in the repository, or name files"
        return Problem(f"{name}: no git repository here", hint=hint)
    return Problem(f"{name}: git: {error.splitlines()[0].removeprefix('fatal: ')}")


def _command(words: tuple[str, ...]) -> list[str]:
    return ["git", *_SAFE, *words]


def _environment() -> dict[str, str]:
    return os.environ | _ENVIRONMENT


def _without_git(error: OSError | ValueError) -> InputError:
    reason = error.strerror if isinstance(error, OSError) else error
    hint = "install git, which reads revisions, or name files"
    return InputError([Problem(f"git: {reason}", hint=hint)])
