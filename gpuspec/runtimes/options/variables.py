"""Environment variables of a container that contain options of a program."""

from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.fact import Fact
from gpuspec.runtimes.load import named
from gpuspec.runtimes.options.load import DATA


class LineVariable(Fact, frozen=True, kw_only=True):
    """A variable with a part of a program's command line."""

    variable: str
    program: str
    images: tuple[str, ...] = ()
    """Repositories whose images read the variable: the last parts of their paths."""
    without: tuple[str, ...] = ()
    """Parts of repository names of images that start another program."""
    kinds: tuple[str, ...] = ()
    """`group/Kind` of the objects whose containers read the variable if they have no command."""
    unless: tuple[str, ...] = ()
    """Variables that pass the value to another program, if one of them is set."""


class Each(Fact, frozen=True, kw_only=True):
    """A program that reads one variable for each of its options."""

    program: str
    begins: str = ""
    """The prefix of the variables; the option's name follows in capitals."""
    switches: tuple[str, ...] = ()
    """Options without a value whose variable is read as a whole number."""
    choices: bool = True
    """Whether the program checks a value against the option's choices."""
    forms: bool = True
    """Whether the program rejects a text that is no number."""
    names: dict[str, str] = {}
    """The variable of each option; empty if all are named for their options."""

    def variable(self, option: str) -> str:
        """Return the variable of an option; empty if it has none."""
        if self.names:
            return self.names.get(option, "")
        return self.begins + option.lstrip("-").replace("-", "_").upper()


class Variables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All known variables."""

    lines: tuple[LineVariable, ...]
    each: tuple[Each, ...]


@cache
def variables() -> Variables:
    """Return the known variables."""
    row = table(DATA, "variables")
    facts = {key: value for key, value in row.items() if key != "sources"}
    return msgspec.convert(named(facts, row["sources"]), Variables)
