"""Streams: which one is data, which one is messages, how wide they are and whether they are
coloured.
"""

import os
import sys
from typing import TextIO

from gpuspec.cli.codes import DONE, Stop
from gpuspec.numbers import read_whole

COLORS = ("auto", "always", "never")
"""The values of `--color`."""
WIDTH = 80
WIDEST = 100
"""The widest line: longer ones are hard to read in any window."""
NARROWEST = 40
PIECE = 1 << 20
"""Characters that are encoded at a time."""


_sent = [0]
"""Characters of data printed so far."""


class OutputFailed(Exception):
    """Data that could not be written. Exit code 2."""


def choose_color(choice: str) -> None:
    """Turn colour on or off for all streams; `auto` decides for each stream."""
    for name, chosen in (("FORCE_COLOR", "always"), ("NO_COLOR", "never")):
        # Where `color` looks, here and in copies of the process.
        os.environ.pop(name, None)
        if choice == chosen:
            os.environ[name] = "1"


def color(stream: TextIO | None) -> bool:
    """Return whether to colour: a terminal that is not dumb, unless NO_COLOR or FORCE_COLOR
    overrides it.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and is_terminal(stream)


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether the stream is a terminal. A closed stream is None."""
    return stream is not None and stream.isatty()


def width(stream: TextIO | None) -> int | None:
    """Return the columns of the stream's terminal, up to a readable width; None for other streams."""
    if stream is None or not is_terminal(stream):
        return None
    columns = read_whole(os.environ.get("COLUMNS")) or _columns(stream)
    return min(max(columns or WIDTH, NARROWEST), WIDEST)


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 0


def data(text: str) -> None:
    """Write data to stdout, as UTF-8 in every locale.

    Ends the program quietly if the reader closes the pipe. Raises `OutputFailed` if the text cannot
    be written.
    """
    if sys.stdout is None:
        raise OutputFailed("standard output is closed")
    try:
        # File names may hold bytes that are no UTF-8; they are shown escaped.
        for start in range(0, len(text), PIECE):  # a report may be the most that a run has
            piece = text[start : start + PIECE]
            _sent[0] += len(piece)
            sys.stdout.buffer.write(piece.encode(errors="backslashreplace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        silence()
        raise Stop(DONE) from None
    except OSError as error:
        silence()
        raise OutputFailed(f"standard output: {error.strerror}") from None


def printed() -> bool:
    """Return whether any data was written to stdout."""
    return _sent[0] > 0


def say(sentence: str) -> None:
    """Print one line to stderr, with unsafe characters of names escaped."""
    from gpuspec.escaping.characters import visible

    talk(f"{visible(sentence)}\n")


def talk(text: str) -> None:
    """Write lines to stderr, without control sequences for a terminal or commands for a CI."""
    from gpuspec.escaping.lines import guarded

    _speak(guarded(text, color=color(sys.stderr)))


def redraw(line: str) -> None:
    """Write one of gpuspec's own lines to the terminal in place of the current one."""
    _speak(f"\r\x1b[K{line}")


def _speak(text: str) -> None:
    """Write to stderr. A stream that fails is ignored."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, AttributeError):  # a full disk, a closed stream
        pass


def silence() -> None:
    """Send the rest of stdout's buffer nowhere: the interpreter flushes it again at exit.

    Python's documentation of SIGPIPE advises this.
    """
    if sys.stdout is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
