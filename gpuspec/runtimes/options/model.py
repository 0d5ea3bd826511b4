"""The types of a table of options: a program, its releases, its options."""

from functools import cached_property
from typing import Literal

from msgspec import Struct

from gpuspec.runtimes.fact import Fact

Takes = Literal["nothing", "one", "several", "optional", "joined"]
"""How many words after an option are its values. `joined`: no word, and the option is on; another
value stands behind `=` in the same word, as Go programs read booleans."""

Words = Literal["none", "one"]
"""The largest number of words that belong to no option."""

Form = Literal["text", "whole", "decimal", "json"]
"""The form of a value. `text`: any text, or one of the choices."""


class Option(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An option as some consecutive releases have it; another row has it for other releases."""

    names: tuple[str, ...]
    takes: Takes = "one"
    form: Form = "text"
    choices: tuple[str, ...] = ()
    """The only accepted values; empty if other values are accepted."""
    since: str | None = None
    """The first release of this row. None: the first covered release."""
    until: str | None = None
    """The last release of this row. None: the last covered release."""
    first_build: int | None = None
    """The first build of this row, for a program whose tags count builds. It decides if the tag has
    a build."""
    last_build: int | None = None
    """The last build of this row. If it is not known exactly, rows overlap."""

    @property
    def by_build(self) -> bool:
        """Whether builds limit the row."""
        return self.first_build is not None or self.last_build is not None


class OptionPair(Fact, frozen=True, kw_only=True):
    """Options that an option needs or excludes; otherwise the program exits."""

    option: str
    needs: tuple[str, ...] = ()
    """One of these is required: `--name`, or `--name=value`."""
    bars: tuple[str, ...] = ()
    """None of these is allowed."""
    since: str | None = None
    """The first release that checks. None: the first covered release."""


class RefusedValues(Fact, frozen=True, kw_only=True):
    """Values that an option accepted in older releases, and rejects now."""

    option: str
    member: str
    """A member of the option's JSON."""
    values: tuple[str, ...]
    since: str
    """The first release that rejects the values."""
    unless: str
    """The member that makes every value valid."""
    instead: dict[str, str] = {}
    """The value to write instead, by rejected value."""


class Wraps(Fact, frozen=True, kw_only=True):
    """Another program whose options the program accepts and passes on."""

    program: str
    releases: dict[str, str]
    """The release of the other program, by the first own release that contains it."""
    without: tuple[str, ...] = ()
    """Options of the other program that are not accepted."""


class Carrier(Fact, frozen=True, kw_only=True):
    """Images of another publisher that contain the program, with tags of their own."""

    images: tuple[str, ...]
    since: str
    """The first tag whose contents are known."""
    least: str
    """The release of the program in that tag; later tags contain this release or a later one."""


class Parsing(Fact, frozen=True, kw_only=True):
    """How the program parses its command line."""

    prefixes: bool = False
    """Whether an option may be abbreviated, as long as the abbreviation is unique."""
    prefixes_until: str | None = None
    """The last release, older than every covered one, in which an option may be abbreviated."""
    dashes_since: str | None = None
    """The first release that accepts `--max-model-len` for its own `--max_model_len`. None: all
    releases do, or none does."""
    single: str | None = None
    """The last release that accepted `-option` for `--option`. None: no release did."""
    underscores: bool = False
    """Whether `--max_model_len` means `--max-model-len`."""
    joined: bool = True
    """Whether `--name=value` is an option with its value; otherwise the whole word is the name."""
    dotted: bool = False
    """Whether `--option.key value` sets a key of an option's JSON."""
    file: tuple[str, ...] = ()
    """Options that name a file with more options."""
    file_keys: bool = False
    """Whether the keys of that YAML file are options without their dashes."""
    file_apart: bool = False
    """Whether the file's name must be a word of its own, which ends in `.yaml` or `.yml`; behind
    `=` it is not read."""
    elsewhere: tuple[str, ...] = ()
    """Options or commands that start another mode, to which these options do not apply."""
    stops: bool = False
    """Whether the first word that is no option begins another program's command line."""
    words: Words | None = None
    """The largest number of words besides options; the program exits if there are more. None if not
    known."""


class CommandProgram(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """The command line of one program."""

    name: str
    title: str
    images: tuple[str, ...] = ()
    """Repositories whose tags are the program's releases: the last parts of their paths."""
    releases: tuple[str, ...]
    """The releases whose options were read, in order."""
    builds: tuple[tuple[int, int], ...] = ()
    """The two builds between which each release lies, for a program whose tags count builds
    (`server-cuda-b9592`)."""
    parsing: Parsing
    options: tuple[Option, ...]
    replaced: dict[str, str] = {}
    """The replacement of each removed option."""
    pairs: tuple[OptionPair, ...] = ()
    refused: tuple[RefusedValues, ...] = ()
    carriers: tuple[Carrier, ...] = ()
    wraps: Wraps | None = None

    @cached_property
    def by_name(self) -> dict[str, tuple[Option, ...]]:
        """The rows of each option name."""
        rows_by_name: dict[str, list[Option]] = {}
        for option in self.options:
            for name in option.names:
                rows_by_name.setdefault(name, []).append(option)
        return {name: tuple(rows) for name, rows in rows_by_name.items()}
