"""What a program is told on one command line, or by a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from gpuspec.objects.command_line import ArgumentWord
    from gpuspec.runtimes.options import CommandProgram, ParsedOption, Releases


class ProgramLine(msgspec.Struct, frozen=True):
    """One program on a container's command line, and what it is told."""

    program: CommandProgram
    releases: Releases
    words: tuple[ArgumentWord, ...]
    told: tuple[ParsedOption, ...]
    begins: int = 0
    """The first word that the object itself says: those before it are of the runtime that it names."""
    carried: str | None = None
    """The variable that holds these words, where they are not on the command line."""

    @property
    def own(self) -> tuple[ParsedOption, ...]:
        """The options that the object itself says."""
        return tuple(option for option in self.told if option.at >= self.begins)
