"""The pieces that every fact of the table is made of: its source, settings, variables."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from msgspec import Struct

Confidence = Literal["source", "weak", "assumption"]
"""`source`: read in the server's own code or manual. `weak`: third-party, old, or inferred from
code. `assumption`: our own figure, chosen on the careful side; the fact's `why` says how."""

_FIELD = re.compile(r"\{([a-z_]+)\}")


def flag(word: str) -> str:
    """Return the name of an option; vLLM takes `--max_model_len` for `--max-model-len`."""
    return word.partition("=")[0].replace("_", "-")


def value_of(words: Sequence[str], index: int) -> str | None:
    """Return the value of the option at an index of a command line; None where nothing follows
    it."""
    _, equals, value = words[index].partition("=")
    return value if equals else next(iter(words[index + 1 : index + 2]), None)


class Fact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something known of a server, and how it is known."""

    source: str
    """Where it was read: repository, version and path, or the address of a page."""
    confidence: Confidence = "source"
    why: str = ""
    """Why it matters in a pod, or how a figure was arrived at; one or two sentences for people."""


class ServerSetting(Fact, frozen=True, kw_only=True, dict=True):
    """One thing to tell the server, as arguments or as environment variables.

    The templates hold named fields in braces, like `{tensor}`; the field of a setting's own value
    is called as the setting is.
    """

    arguments: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    """`NAME=template` each."""
    joins: bool = False
    """Its variable holds the words of several settings, one behind the other."""
    also: tuple[str, ...] = ()
    """Names of options and variables that say the same and that we do not write."""

    @property
    def fields(self) -> frozenset[str]:
        """Names of the fields that :meth:`fill` needs."""
        return frozenset(
            name for text in (*self.arguments, *self.environment) for name in _FIELD.findall(text)
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables that say it, written by us or not."""
        others = (name for name in self.also if not name.startswith("-"))
        return (*(entry.partition("=")[0] for entry in self.environment), *others)

    def read(self, name: str, value: str) -> str:
        """Return the value of this setting's own field in a variable of :attr:`names`.

        `OLLAMA_HOST=0.0.0.0:{port}` is the template of a port that stands behind an address.
        """
        for entry in self.environment:
            variable, _, template = entry.partition("=")
            before = template.partition("{")[0]
            if variable == name and before:
                return value.rpartition(before[-1])[2]
        return value

    @cached_property
    def flags(self) -> frozenset[str]:
        """Names of the server's options that say it, those that are written in a variable too."""
        values = (entry.partition("=")[2] for entry in self.environment)
        written = (word for value in values for word in value.split())
        words = (*self.arguments, *written, *self.also)
        return frozenset(flag(word) for word in words if word.startswith("-"))

    def fill(self, **values: str | int | float) -> tuple[tuple[str, ...], dict[str, str]]:
        """Return the arguments, and the environment by name, for these values.

        Raises:
            KeyError: a field of the templates has no value.
        """

        def filled(template: str) -> str:
            return _FIELD.sub(lambda field: str(values[field[1]]), template)

        pairs = (entry.partition("=") for entry in self.environment)
        return (
            tuple(map(filled, self.arguments)),
            {name: filled(template) for name, _, template in pairs},
        )


class Variable(Fact, frozen=True, kw_only=True):
    """An environment variable to set."""

    name: str
    value: str
    vendor: str | None = None
    """Whose devices it is for; None for any."""
