"""The settings of a program on one command line, or in a variable."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from gpuspec.runtimes.options import plain, settings_of

if TYPE_CHECKING:
    from gpuspec.lint.model import Confidence
    from gpuspec.manifests import Path
    from gpuspec.objects.command_line import ArgumentWord
    from gpuspec.runtimes.options import CommandProgram, LineSettings, ParsedOption, Releases
    from gpuspec.settings.severity import Severity


class ProgramLine(msgspec.Struct, frozen=True, dict=True):
    """One program on a container's command line, with its options."""

    program: CommandProgram
    releases: Releases
    words: tuple[ArgumentWord, ...]
    options: tuple[ParsedOption, ...]
    begins: int = 0
    """The index of the object's first own word; earlier words are those of its runtime."""
    carried: str | None = None
    """The variable with these words, if they are not on the command line."""
    variables: dict[str, str | None] = {}
    """The container's variables that the program compares with its options."""
    from_variables: tuple[ParsedOption, ...] = ()
    """The options that the program reads from one variable each; an option of the line counts
    more."""
    variable_words: tuple[ArgumentWord, ...] = ()
    """The words of those options, which follow `words` in indexes."""
    more_variables: bool = False
    """Whether other variables, which are not known, may set options."""
    installs: bool = False
    """Whether the container installs packages first, which may be plugins of the program."""

    @property
    def own(self) -> tuple[ParsedOption, ...]:
        """The options of the object itself."""
        return tuple(option for option in self.options if option.at >= self.begins)

    @property
    def certainty(self) -> tuple[Severity | None, Confidence]:
        """The severity and the confidence of a finding: the image may not contain this release."""
        is_certain = self.releases.known and not self.releases.doubtful
        return (None, "certain") if is_certain else ("warning", "likely")

    @cached_property
    def settings(self) -> LineSettings:
        """The settings of the line, with the variables that the program compares with them."""
        options = (*self.from_variables, *self.options)
        return settings_of(self.program, options, self.variables, complete=self.is_complete)

    def path_of(self, option: ParsedOption) -> Path:
        """Return the path of an option, or of the variable that sets it."""
        return (*self.words, *self.variable_words)[option.at].path

    def in_own_names(self, statement: str) -> str:
        """Return a statement on options with the variables that set them."""
        for option in self.from_variables:
            variable = self.variable_words[option.at - len(self.words)].text
            statement = re.sub(rf"{re.escape(option.name)}(?![\w-])", variable, statement)
        return statement

    @property
    def is_complete(self) -> bool:
        """Whether no file, variable or template may hold other options."""
        names = {plain(self.program, option.name) for option in self.options}
        return (
            self.carried is None
            and not self.more_variables
            and names.isdisjoint(self.program.parsing.file)
            and not any(word.text.startswith(("$", "{{")) for word in self.words)
        )
