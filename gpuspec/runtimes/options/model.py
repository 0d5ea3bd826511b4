"""The types of a table of options: a program, its releases, its options."""

import bisect
import itertools
from functools import cached_property
from typing import Literal

from msgspec import Struct, field

from gpuspec.runtimes.fact import Fact

Takes = Literal["nothing", "one", "several", "optional", "joined"]
"""How many words after an option are its values. `joined`: no word, and the option is on; another
value stands behind `=` in the same word, as Go programs read booleans."""

Words = Literal["none", "one"]
"""The largest number of words that belong to no option."""

Form = Literal["text", "whole", "decimal", "boolean", "json"]
"""The form of a value. `text`: any text, or one of the choices. `boolean`: true or false, of a member
of JSON. `json`: any JSON."""


class Option(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An option as some consecutive releases have it; another row has it for other releases."""

    names: tuple[str, ...]
    takes: Takes = "one"
    form: Form = "text"
    choices: tuple[str, ...] = ()
    """The only accepted values; empty if other values are accepted."""
    least: float | None = None
    most: float | None = None
    above: float | None = None
    """The exclusive lower bound."""
    below: float | None = None
    """The exclusive upper bound."""
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

    def has_in_range(self, number: float) -> bool:
        """Return whether a number is within the bounds."""
        return not (
            (self.least is not None and number < self.least)
            or (self.most is not None and number > self.most)
            or (self.above is not None and number <= self.above)
            or (self.below is not None and number >= self.below)
        )


class OptionPair(Fact, frozen=True, kw_only=True):
    """Options that an option needs or excludes; otherwise the program exits."""

    option: str
    needs: tuple[str, ...] = ()
    """One of these is required: `--name`, or `--name=value`."""
    bars: tuple[str, ...] = ()
    """None of these is allowed."""
    since: str | None = None
    """The first release that checks. None: the first covered release."""


class SettingCondition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A condition on one setting of a program. An absent setting without a default, or one with an
    unknown value, meets none, except `present: false`."""

    at: str
    """An option, a member of an option's JSON (`--kv-transfer-config.kv_role`), a variable
    (`$NAME`), or a product of options (`--a * --b`)."""
    is_: tuple[str, ...] = field(default=(), name="is")
    """The values, in lower case; an option without a value is `true` or `false`."""
    isnt: tuple[str, ...] = ()
    """None of these values."""
    like: str = ""
    """A text that the value contains."""
    present: bool | None = None
    """Whether the setting is written."""
    above: str | None = None
    """Another such expression, or a number: the setting is larger."""
    least: str | None = None
    """The setting is as large, or larger."""
    below: str | None = None
    no_multiple_of: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The settings that it is about."""
        parts = (self.at, self.above, self.least, self.below, self.no_multiple_of)
        names = " * ".join(part for part in parts if part is not None).split(" * ")
        return tuple(name for name in names if name.startswith(("-", "$")))


class SettingsRow(Fact, frozen=True, kw_only=True, dict=True):
    """Settings that a program takes amiss."""

    when: tuple[SettingCondition, ...]
    """All conditions must be met. A finding stands at the first setting that is written, or at the
    first option of the line if all of them are absent."""
    says: str
    """The fault as a statement; `{0}` is the value in the first condition."""
    note: str | None = None
    since: str | None = None
    """The first release of this row. None: the first covered release."""
    until: str | None = None
    """The last release of this row. None: the last covered release, and later ones."""
    serve: bool = False
    """Whether only the server checks them, and no program that starts its engine itself."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The settings that it is about."""
        return tuple(name for condition in self.when for name in condition.names)


class SettingsRefusal(SettingsRow, frozen=True, kw_only=True):
    """Settings with which the program exits at startup."""


class IgnoredSetting(SettingsRow, frozen=True, kw_only=True):
    """Settings with which the program starts, but ignores one of them or a feature; `says` contains
    the consequence."""

    level: Literal["warning", "info"] = "warning"


class KnownValues(Fact, frozen=True, kw_only=True):
    """The values of a setting by release; the program exits with another one."""

    at: str
    """The setting, as in :class:`SettingCondition`."""
    when: tuple[SettingCondition, ...] = ()
    """The program checks the value only then."""
    since: str
    """The first release that exits."""
    fold: bool = False
    """Whether capitals and small letters are the same; the table has small ones."""
    values: dict[str, tuple[str, ...]]
    """The first and last release of each value, as far as they are known. Empty: the first covered
    release."""
    serve: bool = False
    """Whether only the server checks it, and no program that starts the engine itself."""


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
    refusals: tuple[SettingsRefusal, ...] = ()
    ignored: tuple[IgnoredSetting, ...] = ()
    names_by_release: tuple[KnownValues, ...] = ()
    defaults: dict[str, str] = {}
    """The values of absent settings that conditions compare."""
    members: tuple[Option, ...] = ()
    """The members of options whose value is JSON, named `--option.member`."""
    closed: dict[str, str] = {}
    """Options, and members, whose JSON accepts only the members of the table, each with the first
    such release."""
    carriers: tuple[Carrier, ...] = ()
    wraps: Wraps | None = None

    @cached_property
    def by_name(self) -> dict[str, tuple[Option, ...]]:
        """The rows of each option name."""
        return _by_name(self.options)

    @cached_property
    def _sorted_names(self) -> list[tuple[str, int]]:
        """The names of all rows, each with the index of its row."""
        return sorted((name, at) for at, row in enumerate(self.options) for name in row.names)

    def begun(self, start: str) -> list[Option]:
        """Return the rows with a name that begins so, in their order."""
        names = self._sorted_names
        matches = itertools.takewhile(
            lambda entry: entry[0].startswith(start),
            itertools.islice(names, bisect.bisect_left(names, (start, 0)), None),
        )
        return [self.options[at] for at in sorted({at for _, at in matches})]

    @cached_property
    def compared_variables(self) -> frozenset[str]:
        """The variables in conditions, as `$NAME`."""
        rows: tuple[SettingsRow | KnownValues, ...] = (
            *self.refusals,
            *self.ignored,
            *self.names_by_release,
        )
        conditions = [condition for row in rows for condition in row.when]
        return frozenset(
            name for condition in conditions for name in condition.names if name[0] == "$"
        )

    @cached_property
    def members_by_name(self) -> dict[str, tuple[Option, ...]]:
        """The rows of each member."""
        return _by_name(self.members)


def _by_name(options: tuple[Option, ...]) -> dict[str, tuple[Option, ...]]:
    rows_by_name: dict[str, list[Option]] = {}
    for option in options:
        for name in option.names:
            rows_by_name.setdefault(name, []).append(option)
    return {name: tuple(rows) for name, rows in rows_by_name.items()}
