"""The settings of a program on one command line, or in a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from gpuspec.objects.command_line import ArgumentWord
    from gpuspec.runtimes.options import CommandProgram, ParsedOption, Releases


class ProgramLine(msgspec.Struct, frozen=True):
    """One program on a container's command line, with its options."""

    program: CommandProgram
    releases: Releases
    words: tuple[ArgumentWord, ...]
    told: tuple[ParsedOption, ...]
    begins: int = 0
    """The index of the object's first own word; earlier words are those of its runtime."""
    carried: str | None = None
    """The variable with these words, if they are not on the command line."""

    @property
    def own(self) -> tuple[ParsedOption, ...]:
        """The options of the object itself."""
        return tuple(option for option in self.told if option.at >= self.begins)
