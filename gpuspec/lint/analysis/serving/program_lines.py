"""The settings of a program on one command line, or in a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.runtimes.options import plain, settings_of

if TYPE_CHECKING:
    from gpuspec.objects.command_line import ArgumentWord
    from gpuspec.runtimes.options import CommandProgram, LineSettings, ParsedOption, Releases


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
    variables: dict[str, str | None] = {}
    """The container's variables that the program compares with its options."""
    installs: bool = False
    """Whether the container installs packages first, which may be plugins of the program."""

    @property
    def own(self) -> tuple[ParsedOption, ...]:
        """The options of the object itself."""
        return tuple(option for option in self.told if option.at >= self.begins)

    @property
    def settings(self) -> LineSettings:
        """The settings of the line, with the variables that the program compares with them."""
        return settings_of(self.program, self.told, self.variables, complete=self.is_complete)

    @property
    def is_complete(self) -> bool:
        """Whether no file, variable or template may hold other options."""
        names = {plain(self.program, option.name) for option in self.told}
        return (
            self.carried is None
            and names.isdisjoint(self.program.parsing.file)
            and not any(word.text.startswith(("$", "{{")) for word in self.words)
        )
