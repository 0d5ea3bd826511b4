"""Carrying a try out: its files are laid out, the program is run in this process, what is left is taken in.

Only for a process of its own: limits and watchers stay.
"""

import io
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.tries import Try

SECONDS = 10
"""Of the processor's time, a hundred times what a try takes. More is a hang."""
MEMORY = 3 << 29
"""Bytes that a try may take beside what the program has already."""

_KEPT = ("PATH", "HOME", "LANG")


class TooLong(BaseException):
    """The try has used up its time. Not an `Exception`, which the program would word."""


@dataclass
class Outcome:
    """What a try came to."""

    code: int | None
    out: bytes
    err: bytes
    changed: dict[str, bytes | None] = field(default_factory=dict)
    """Files that are not as they were, and what they hold; None for those that are gone."""
    raised: str = ""
    """The traceback of what came out of the program."""
    touched: list[str] = field(default_factory=list)
    """What was written to, deleted or asked for outside of the try's folder."""


class _Stream(io.TextIOWrapper):
    """A stream in memory, which may say that it is a terminal."""

    terminal = False

    def isatty(self) -> bool:
        return self.terminal


class World:
    """A folder that tries are carried out in, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.work = self.folder / "above" / "work"
        self._touched: list[str] = []
        self._watching = False
        tempfile.tempdir = None
        sys.addaudithook(self._saw)
        signal.signal(signal.SIGPROF, _ring)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def run(self, one: Try) -> Outcome:
        """Carry a try out."""
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "tmp").mkdir(parents=True)
        self.work.mkdir(parents=True)
        os.chdir(self.work)
        _lay_out(one)
        before = _files(self.folder)
        self._touched.clear()
        outcome = self._call(one)
        os.chdir(self.folder)
        outcome.touched = [*self._touched]
        after = _files(self.folder)
        for path in sorted({*before, *after}):
            if before.get(path) != after.get(path):
                outcome.changed[path.removeprefix("above/work/")] = after.get(path)
        return outcome

    def _call(self, one: Try) -> Outcome:
        from gpuspec.cli import krm, main

        program = krm.main if one.target.program == "gpuspec-krm" else main
        out, err = io.BytesIO(), io.BytesIO()
        code: int | None = None
        raised = ""
        with self._instead(one, out, err):
            self._watching = True
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                code = program()
            except BaseException:
                raised = traceback.format_exc()
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                self._watching = False
                sys.stderr.flush()
        return Outcome(code, out.getvalue(), err.getvalue(), raised=raised)

    @contextmanager
    def _instead(self, one: Try, out: io.BytesIO, err: io.BytesIO) -> Iterator[None]:
        """The process's own streams, words and variables are the try's."""
        kept = sys.argv, sys.stdin, sys.stdout, sys.stderr, dict(os.environ)
        given = {name: os.environ[name] for name in _KEPT if name in os.environ}
        streams = [_Stream(file, "utf-8", errors="backslashreplace") for file in (out, err)]
        for stream in streams:
            stream.terminal = one.terminal
        sys.argv = [one.target.program, *one.words]
        sys.stdin = _Stream(io.BytesIO(one.stdin), "utf-8")
        sys.stdout, sys.stderr = streams
        os.environ.clear()
        # Where an internal error comes from is told with GPUSPEC_DEBUG.
        os.environ.update(
            given,
            GPUSPEC_DEBUG="1",
            TERM="xterm",
            TMPDIR=str(self.folder / "tmp"),
            **one.environment,
        )
        try:
            yield
        finally:
            for stream in streams:
                stream.flush()
                stream.detach()
            sys.argv, sys.stdin, sys.stdout, sys.stderr, environ = kept
            os.environ.clear()
            os.environ.update(environ)

    def _saw(self, event: str, arguments: tuple[object, ...]) -> None:
        """Note what a try does to the rest of the world."""
        if not self._watching:
            return
        if event == "open":
            path, mode, flags = arguments
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if writes and isinstance(path, (str, bytes)):
                self._outside(event, path)
        elif event in (
            "os.remove",
            "os.rename",
            "os.mkdir",
            "os.rmdir",
            "os.truncate",
            "os.symlink",
            "os.link",
            "os.chmod",
        ):
            for path in arguments:
                if isinstance(path, (str, bytes)):
                    self._outside(event, path)
        elif event in ("socket.connect", "socket.getaddrinfo", "os.system", "os.exec"):
            self._touched.append(f"{event} {arguments!r}")
        elif event == "subprocess.Popen":
            if arguments[0] != "git":
                self._touched.append(f"{event} {arguments[:2]!r}")

    def _outside(self, event: str, path: str | bytes) -> None:
        real = os.path.realpath(os.fsdecode(path))
        if not real.startswith(f"{self.folder}/") and real != os.devnull:
            self._touched.append(f"{event} {real}")


def _ring(number: int, frame: object) -> None:
    raise TooLong


def _lay_out(one: Try) -> None:
    """Write the files of a try to the folder at hand."""
    for name, data in one.files.items():
        path = Path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError:  # another of its files is in the way
            continue
    if one.target.git:
        _commit()
    for name, kind in one.odd.items():
        path = Path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _ODD[kind](path)
        except OSError:
            continue


def _commit() -> None:
    settings = (
        "-c",
        "user.name=x",
        "-c",
        "user.email=x",
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "gc.auto=0",
    )
    for words in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        ("commit", "-qm", "x", "--allow-empty"),
    ):
        subprocess.run(["git", *settings, *words], check=True, capture_output=True)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _deep(path: Path) -> None:
    """Folders in folders, as far as a path can name them."""
    inner = path / "/".join(["d"] * 900)
    inner.mkdir(parents=True)
    (inner / "x.yaml").write_text("a: 1\n")


_ODD = {
    "fifo": os.mkfifo,
    "folder": Path.mkdir,
    "loop": lambda path: path.symlink_to(path.name),
    "dangling": lambda path: path.symlink_to("nowhere"),
    "socket": _socket,
    "zero": lambda path: path.symlink_to("/dev/zero"),
    "null": lambda path: path.symlink_to("/dev/null"),
    "up": lambda path: path.symlink_to(".."),
    "deep": _deep,
}


def _files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder; links and the like by what they are, git's own left out."""
    found: dict[str, bytes] = {}
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in [
            *names,
            *(each for each in folders if os.path.islink(os.path.join(where, each))),
        ]:  # noqa: PTH114, PTH118
            path = os.path.join(where, name)  # noqa: PTH118
            key = os.path.relpath(path, folder)
            if os.path.islink(path):  # noqa: PTH114
                found[key] = b"-> " + os.fsencode(os.readlink(path))  # noqa: PTH115
            elif os.path.isfile(path):  # noqa: PTH113
                found[key] = Path(path).read_bytes()
            else:
                found[key] = b"special"
    return found
