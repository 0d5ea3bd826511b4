"""Forked copies of this process, which share what it has read and do a part of its work."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


class Copy:
    """A running copy. Its work has no effect except the returned result."""

    def __init__(self, work: Callable[[], bytes]) -> None:
        """Start the copy. Raises `OSError` if the system cannot start another process."""
        original = os.getpid()
        self._answer, answer = os.pipe()
        try:
            self._process = os.fork()
        except OSError:
            os.close(self._answer)
            os.close(answer)
            raise
        if self._process == 0:
            _work(work, answer)
        self._original = original
        os.close(answer)

    def result(self) -> bytes | None:
        """Return the result of its work; None if it did not finish, for any reason."""
        with open(self._answer, "rb", closefd=False) as file:
            content = file.read()
        return content if self._wait() == 0 else None

    def end(self) -> None:
        """End the copy, finished or not."""
        os.close(self._answer)
        if self._process:
            from signal import SIGKILL

            os.kill(self._process, SIGKILL)
            self._wait()

    def _wait(self) -> int:
        process, self._process = self._process, 0
        try:
            return os.waitpid(process, 0)[1]
        except ChildProcessError:  # the host program waits for all its processes itself
            return 1


class Numbers:
    """The numbers from 0, of which the copies and the original take each once."""

    MOST = 256
    """The most numbers; each is a byte in a pipe."""

    def __init__(self, count: int) -> None:
        """Open a pipe with `count` numbers, at most `MOST`."""
        self._left, write_end = os.pipe()
        os.write(write_end, bytes(range(count)))
        os.close(write_end)

    def __iter__(self) -> Iterator[int]:
        """Take one number after the other, until none is left."""
        while number_byte := os.read(self._left, 1):
            yield number_byte[0]

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._left)


def while_wanted(numbers: Iterable[int]) -> Iterator[int]:
    """Yield numbers as long as the process that waits for the results exists."""
    parent = os.getppid()
    for number in numbers:
        if os.getppid() != parent:
            raise SystemExit
        yield number


def can_copy() -> bool:
    """Return whether this process can be forked safely: another thread may hold a lock."""
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def processors() -> int:
    """Return the number of processes that can run at once."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def _work(work: Callable[[], bytes], answer: int) -> None:
    """Do the work of a copy, and exit without flushing or finalising anything of the original."""
    code = 1
    try:
        import gc

        # What is shared stays so as long as nobody writes to it, and a collector would.
        gc.freeze()
        with open(answer, "wb") as file:
            file.write(work())
        code = 0
    except BaseException:  # the original finds out for itself
        pass
    finally:
        os._exit(code)
