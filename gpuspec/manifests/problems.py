"""Problems with input: what is wrong, its place, and what to write instead."""

from collections.abc import Iterable

import msgspec

NO_MEANING = "means nothing to Kubernetes"
NO_NUMBER = "is not a JSON number, and Kubernetes accepts no other"
"""The problem with an unknown tag; the text is YAML nevertheless, and may be for another program.
"""


class Place(msgspec.Struct, frozen=True, order=True):
    """A position in a file. Line and column count from 1; a column is a character, not a byte."""

    file: str
    """The path as the user gave it, or ``<stdin>``."""
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Problem(msgspec.Struct, frozen=True):
    """One problem with the input.

    As a string: ``file:line:column: message``, and the hint on a line of its own.
    """

    message: str
    place: Place | None = None
    hint: str | None = None

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        return f"{text}\n  {self.hint}" if self.hint else text


class InputError(Exception):
    """Unusable input, with all its problems in the order of the input.

    The command line answers with exit code 2.
    """

    problems: tuple[Problem, ...]

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)
