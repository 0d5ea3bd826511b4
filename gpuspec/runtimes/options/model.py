"""The typed form of a table of options: one program, its releases, every option of them."""

from functools import cached_property
from typing import Literal

from msgspec import Struct

from gpuspec.runtimes.fact import Fact

Takes = Literal["nothing", "one", "several", "optional", "joined"]
"""How many words behind an option are its values. `joined`: none, and it is on; another value stands
in the same word behind `=`, as Go's programs read their booleans."""

Words = Literal["none", "one"]
"""How many words that belong to no option are taken, at most."""

Form = Literal["text", "whole", "decimal", "json"]
"""What a value has to be. `text`: anything, or one of the choices."""


class Option(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One option as it was in some releases in a row; another row says what it was in others."""

    names: tuple[str, ...]
    takes: Takes = "one"
    form: Form = "text"
    choices: tuple[str, ...] = ()
    """The only values that are taken; empty where there are others."""
    since: str | None = None
    """The first release of this row. None: the first that is covered."""
    until: str | None = None
    """The last release of this row. None: the last that is covered."""
    first_build: int | None = None
    """The first build of this row, of a program whose tags count builds: it decides where one is told."""
    last_build: int | None = None
    """The last build of this row. Where it is not known exactly, rows overlap."""

    @property
    def by_build(self) -> bool:
        """Whether builds tell when it was so."""
        return self.first_build is not None or self.last_build is not None


class OptionPair(Fact, frozen=True, kw_only=True):
    """What an option needs beside it, or excludes; the program ends otherwise."""

    option: str
    needs: tuple[str, ...] = ()
    """One of these: `--name`, or `--name=value`."""
    bars: tuple[str, ...] = ()
    """None of these."""
    since: str | None = None
    """The first release that looks. None: the first that is covered."""


class RefusedValues(Fact, frozen=True, kw_only=True):
    """Values that an option took once, and which the program ends at now."""

    option: str
    member: str
    """Of the option's JSON."""
    values: tuple[str, ...]
    since: str
    """The first release that refuses them."""
    unless: str
    """The member that makes any value right."""
    instead: dict[str, str] = {}
    """What to write in the place of a value."""


class Wraps(Fact, frozen=True, kw_only=True):
    """Another program whose options are taken too, and handed on to it."""

    program: str
    releases: dict[str, str]
    """By own release, from it to the next that is written: which release of the other it holds."""
    without: tuple[str, ...] = ()
    """Options of the other that are not taken."""


class Carrier(Fact, frozen=True, kw_only=True):
    """Images of others that hold the program, and whose tags are their own."""

    images: tuple[str, ...]
    since: str
    """The first of their tags of which it is known."""
    least: str
    """The release of the program that it holds; later ones hold this or a later one."""


class Parsing(Fact, frozen=True, kw_only=True):
    """How the program takes its line apart."""

    prefixes: bool = False
    """An option may be cut short, while no other begins so."""
    prefixes_until: str | None = None
    """The last release, older than all that are covered, in which one might be."""
    dashes_since: str | None = None
    """The first release that takes `--max-model-len` for its own `--max_model_len`. None: all do, or none."""
    single: str | None = None
    """The last release that took `-option` for `--option`. None: none did."""
    underscores: bool = False
    """`--max_model_len` is `--max-model-len`."""
    joined: bool = True
    """`--name=value` is an option and its value; else the whole word is taken for a name."""
    dotted: bool = False
    """`--option.key value` is a part of an option's JSON."""
    file: tuple[str, ...] = ()
    """Options that name a file with more options."""
    file_keys: bool = False
    """The keys of that file are options without their dashes, and it is read as YAML."""
    file_apart: bool = False
    """It is looked for as a word of its own: behind `=` it is not read. It ends in `.yaml` or `.yml`."""
    elsewhere: tuple[str, ...] = ()
    """Words that make another program of it, whose options are not these: options, or commands."""
    stops: bool = False
    """The first word that is no option begins another program's line."""
    words: Words | None = None
    """How many words it takes besides its options; it ends at one more. None: not known."""


class CommandProgram(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """One program's command line."""

    name: str
    title: str
    images: tuple[str, ...] = ()
    """Repositories whose tags are its releases, the last parts of their paths."""
    releases: tuple[str, ...]
    """Those whose options were read, in order."""
    builds: tuple[tuple[int, int], ...] = ()
    """Of a program whose tags count builds (`server-cuda-b9592`): between which two each of the releases
    lies."""
    parsing: Parsing
    options: tuple[Option, ...]
    replaced: dict[str, str] = {}
    """What to write in place of an option that is gone."""
    pairs: tuple[OptionPair, ...] = ()
    refused: tuple[RefusedValues, ...] = ()
    carriers: tuple[Carrier, ...] = ()
    wraps: Wraps | None = None

    @cached_property
    def by_name(self) -> dict[str, tuple[Option, ...]]:
        """The rows of each name."""
        found: dict[str, list[Option]] = {}
        for option in self.options:
            for name in option.names:
                found.setdefault(name, []).append(option)
        return {name: tuple(rows) for name, rows in found.items()}
