"""Carrying a try out: its files are laid out, the program is run in this process, what is left is taken in.

Only for a process of its own: limits and watchers stay.
"""

import io
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.laying import files, lay_out
from tests.fuzz.tries import Try
from tests.fuzz.watching import Watcher

SECONDS = 10
"""Of the processor's time, a hundred times what a try takes. More is a hang."""
MEMORY = 1 << 30
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
        tempfile.tempdir = None
        self.watcher = Watcher(self.folder)
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
        lay_out(one)
        before = files(self.folder)
        self.watcher.seen.clear()
        outcome = self._call(one)
        os.chdir(self.folder)
        outcome.touched = [*self.watcher.seen]
        after = files(self.folder)
        for path in sorted({*before, *after}):
            if before.get(path) != after.get(path):
                outcome.changed[path.removeprefix("above/work/")] = after.get(path)
        return outcome

    def _call(self, one: Try) -> Outcome:
        from gpuspec.cli import krm
        from gpuspec.startup.process import main

        program = krm.main if one.target.program == "gpuspec-krm" else main
        out, err = io.BytesIO(), io.BytesIO()
        code: int | None = None
        raised = ""
        with self._instead(one, out, err):
            self.watcher.on = True
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                code = program()
            except BaseException:
                raised = traceback.format_exc()
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                self.watcher.on = False
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


def _ring(number: int, frame: object) -> None:
    raise TooLong
