"""Streams: what is data, what is talk, and whether to colour it."""

import os
import shutil
import sys
from typing import TextIO


def color(stream: TextIO) -> bool:
    """Whether to colour: only a terminal, and never with NO_COLOR or a dumb one."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream.isatty()


def width() -> int:
    """Columns of the terminal, 80 where there is none."""
    return max(40, shutil.get_terminal_size((80, 24)).columns) if sys.stdout.isatty() else 80


def data(text: str) -> None:
    """Write data to stdout, as UTF-8 whatever the locale."""
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


def talk(text: str) -> None:
    """Write talk to stderr."""
    sys.stderr.write(text)
    sys.stderr.flush()
