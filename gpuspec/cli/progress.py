"""Progress: a bar on a terminal for runs over a second, and a message for runs that Ctrl-C ends."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from gpuspec.cli.terminal import is_terminal, printed, redraw

PATIENCE = 1.0
"""Seconds before the bar shows."""
_LENGTH = 40

T = TypeVar("T")
Tell = Callable[[int, int], None]


class _Work(NamedTuple):
    """The task of a run, and how much of it is done."""

    doing: str = ""
    done: int = 0
    total: int = 0
    stays: bool = False
    """Each finished step is in the user's files."""


class _Shown:
    work = _Work()
    bar = False


def progress(doing: str, *, stays: bool = False) -> Tell:
    """Return a callback for done and total steps, which draws a bar on a terminal.

    `stays`: each finished step persists if a later one fails.
    """
    from time import monotonic

    begun = monotonic()
    is_seen = is_terminal(sys.stderr)
    _Shown.work = _Work(doing, stays=stays)

    def tell(done: int, total: int) -> None:
        _Shown.work = _Work(doing, done, total, stays)
        if done >= total:
            _clear()
        elif is_seen and monotonic() - begun > PATIENCE:
            _Shown.bar = True
            filled = _LENGTH * done // total
            redraw(f"{doing} [{'#' * filled}{'.' * (_LENGTH - filled)}] {done}/{total}")

    return tell


def watched(items: Iterable[T], doing: str) -> Iterator[T]:
    """Yield the items; an item is done when the next one is requested."""
    item_list = list(items)
    tell = progress(doing)
    for done, item in enumerate(item_list):
        tell(done, len(item_list))
        yield item
    tell(1, 1)


def interrupted() -> str:
    """Return the message for a run that Ctrl-C ended: its progress, and what it has written."""
    _clear()
    work = _Shown.work
    if work.stays and work.done:
        return f"interrupted: {work.done} of {work.total} files were written"
    far = ""
    if work.doing and not 0 < work.total <= work.done:
        far = f" while {work.doing}" + (f", {work.done} of {work.total} done" if work.total else "")
    state = "the output is incomplete" if printed() else "nothing was printed or written"
    return f"interrupted{far}: {state}"


def _clear() -> None:
    if _Shown.bar:
        redraw("")
        _Shown.bar = False
