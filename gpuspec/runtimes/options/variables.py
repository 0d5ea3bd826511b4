"""Variables of a container that carry options of a program."""

from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.fact import Fact
from gpuspec.runtimes.load import named
from gpuspec.runtimes.options.load import DATA


class LineVariable(Fact, frozen=True, kw_only=True):
    """A variable that holds a part of a program's line."""

    variable: str
    program: str
    images: tuple[str, ...] = ()
    """Repositories whose images read it, the last parts of their paths."""
    without: tuple[str, ...] = ()
    """What the repository of an image says that starts another program."""
    kinds: tuple[str, ...] = ()
    """`group/Kind` of objects whose containers read it, while they have no command of their own."""
    unless: tuple[str, ...] = ()
    """With one of these set, it goes to another program."""


class Each(Fact, frozen=True, kw_only=True):
    """A program that reads a variable for each of its options."""

    program: str
    begins: str = ""
    """How the variables begin; behind it stands the option's name, in capitals."""
    switches: tuple[str, ...] = ()
    """Options without a value whose variable is read as a whole number."""
    choices: bool = True
    """Whether a value is held to the option's choices."""

    def variable(self, option: str) -> str:
        """Return the variable of an option."""
        return self.begins + option.lstrip("-").replace("-", "_").upper()


class Variables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of them."""

    lines: tuple[LineVariable, ...]
    each: tuple[Each, ...]


@cache
def variables() -> Variables:
    """Return the variables that are known."""
    row = table(DATA, "variables")
    facts = {key: value for key, value in row.items() if key != "sources"}
    return msgspec.convert(named(facts, row["sources"]), Variables)
