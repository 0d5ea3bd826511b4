"""Copies of this process, which share all that it has read and do a piece of its work beside it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


class Copy:
    """A copy at work. What it was told to do ends with it, and leaves nothing but what it returns."""

    def __init__(self, work: Callable[[], bytes]) -> None:
        """Start it. Raises `OSError` where the system has no room for one more process."""
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
        """Return what its work returned; None where it came to no end, for whatever reason."""
        with open(self._answer, "rb", closefd=False) as file:
            content = file.read()
        return content if self._wait() == 0 else None

    def end(self) -> None:
        """Let go of it, done or not."""
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
    """The numbers from 0, which copies and original take, each number once."""

    MOST = 256
    """Each is a byte in a pipe."""

    def __init__(self, count: int) -> None:
        """Start as many processes as there are processors, up to `MOST`."""
        self._left, write_end = os.pipe()
        os.write(write_end, bytes(range(count)))
        os.close(write_end)

    def __iter__(self) -> Iterator[int]:
        """Take one after the other, until there are none."""
        while number_byte := os.read(self._left, 1):
            yield number_byte[0]

    def close(self) -> None:
        """Let go of them."""
        os.close(self._left)


def while_wanted(numbers: Iterable[int]) -> Iterator[int]:
    """Yield numbers for as long as the process that wants to be told of them is there."""
    parent = os.getppid()
    for number in numbers:
        if os.getppid() != parent:
            raise SystemExit
        yield number


def can_copy() -> bool:
    """Return whether a copy of this process is sound: a thread that is not copied may hold a
    lock."""
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def processors() -> int:
    """Return how many processes can run at once."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def _work(work: Callable[[], bytes], answer: int) -> None:
    """Do the work of a copy, and end. Nothing that was the original's is flushed or taken apart."""
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
