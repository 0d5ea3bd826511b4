"""A bar on stderr for what takes over a second; only on a terminal, and gone when it is done."""

import sys
from collections.abc import Callable

from gpuspec.cli.terminal import is_terminal, redraw

PATIENCE = 1.0
"""Seconds before it shows."""
_LENGTH = 40


def progress(doing: str) -> Callable[[int, int], None] | None:
    """Shows how much of how many is done; None where nobody watches."""
    if not is_terminal(sys.stderr):
        return None
    from time import monotonic

    begun, shown = monotonic(), False

    def tell(done: int, total: int) -> None:
        nonlocal shown
        if done >= total:
            if shown:
                redraw("")
                shown = False
        elif monotonic() - begun > PATIENCE:
            shown = True
            filled = _LENGTH * done // total
            redraw(f"{doing} [{'#' * filled}{'.' * (_LENGTH - filled)}] {done}/{total}")

    return tell
