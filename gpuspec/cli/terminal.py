"""Streams: what is data, what is talk, how wide they are and whether to colour them."""

import os
import sys
from typing import TextIO

from gpuspec.cli.codes import DONE, Stop
from gpuspec.numbers import read_whole

COLORS = ("auto", "always", "never")
"""What `--color` can be."""
WIDTH = 80
WIDEST = 100
"""Longer lines are hard to read, however wide the window."""
NARROWEST = 40
PIECE = 1 << 20
"""Characters that are encoded at a time."""


_sent = [0]
"""Characters of data so far."""


class OutputFailed(Exception):
    """Data that could not be written. Exit code 2."""


def choose_color(choice: str) -> None:
    """Colour everything or nothing from now on, whatever the streams are; `auto` leaves it to them."""
    for name, chosen in (("FORCE_COLOR", "always"), ("NO_COLOR", "never")):
        # Where `color` looks, here and in copies of the process.
        os.environ.pop(name, None)
        if choice == chosen:
            os.environ[name] = "1"


def color(stream: TextIO | None) -> bool:
    """Return whether to colour: a terminal that is not dumb, unless NO_COLOR or FORCE_COLOR says
    otherwise."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and is_terminal(stream)


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a person reads or writes the stream. A closed stream is None."""
    return stream is not None and stream.isatty()


def width(stream: TextIO | None) -> int | None:
    """Return columns of the stream's terminal, as many as read well; None where it is none."""
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
    """Write data to stdout, as UTF-8 whatever the locale.

    Ends the program quietly when the reader has had enough. Raises `OutputFailed` when the text
    cannot be written.
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
    """Say one line on stderr, whatever names stand in it."""
    from gpuspec.escaping.characters import visible

    talk(f"{visible(sentence)}\n")


def talk(text: str) -> None:
    """Write lines to stderr: nothing in them steers a terminal, or is obeyed by a CI."""
    from gpuspec.escaping.lines import guarded

    _speak(guarded(text, color=color(sys.stderr)))


def redraw(line: str) -> None:
    """Write a line of our own to the terminal in the place of the one that stands there."""
    _speak(f"\r\x1b[K{line}")


def _speak(text: str) -> None:
    """Write to stderr. That nobody can hear it is no reason to fail."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, AttributeError):  # a full disk, a closed stream
        pass


def silence() -> None:
    """Send what is left in stdout's buffer nowhere: the interpreter flushes it once more at its end.

    As Python's documentation of SIGPIPE advises.
    """
    if sys.stdout is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
