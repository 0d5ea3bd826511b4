"""The base types of the tables of servers: a fact with its source, a setting, a variable."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from msgspec import Struct

Confidence = Literal["source", "weak", "assumption"]
"""`source`: read in the server's code or manual. `weak`: third-party, old, or inferred from code.
`assumption`: gpuspec's own figure, on the careful side; the fact's `why` explains it."""

_FIELD = re.compile(r"\{([a-z_]+)\}")


def flag(word: str) -> str:
    """Return the name of an option; vLLM takes `--max_model_len` for `--max-model-len`."""
    return word.partition("=")[0].replace("_", "-")


def value_of(words: Sequence[str], index: int) -> str | None:
    """Return the value of the option at an index of a command line. None if no word follows the
    option."""
    _, equals, value = words[index].partition("=")
    return value if equals else next(iter(words[index + 1 : index + 2]), None)


class Fact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact about a server, with its source."""

    source: str
    """The source: repository, version and path, or the URL of a page."""
    confidence: Confidence = "source"
    why: str = ""
    """Why the fact matters in a pod, or how a figure was computed; one or two sentences for readers
    of the plan."""


class ServerSetting(Fact, frozen=True, kw_only=True, dict=True):
    """One setting of the server, as arguments or environment variables.

    The templates hold named fields in braces, such as `{tensor}`. The field with the setting's own
    value has the setting's name.
    """

    arguments: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    """Environment variables, each as `NAME=template`."""
    joins: bool = False
    """Whether the variable holds the words of several settings, one after the other."""
    also: tuple[str, ...] = ()
    """Further options and variables with the same meaning, which gpuspec does not write."""

    @property
    def fields(self) -> frozenset[str]:
        """Names of the fields that :meth:`fill` needs."""
        return frozenset(
            name for text in (*self.arguments, *self.environment) for name in _FIELD.findall(text)
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables with this meaning, whether gpuspec writes them or not."""
        others = (name for name in self.also if not name.startswith("-"))
        return (*(entry.partition("=")[0] for entry in self.environment), *others)

    def read(self, name: str, value: str) -> str:
        """Return the value of the setting's own field in a variable of :attr:`names`.

        `OLLAMA_HOST=0.0.0.0:{port}` is the template of a port behind an address.
        """
        for entry in self.environment:
            variable, _, template = entry.partition("=")
            before = template.partition("{")[0]
            if variable == name and before:
                return value.rpartition(before[-1])[2]
        return value

    @cached_property
    def flags(self) -> frozenset[str]:
        """Names of the server's options with this meaning, those inside a variable's value
        included."""
        values = (entry.partition("=")[2] for entry in self.environment)
        written = (word for value in values for word in value.split())
        words = (*self.arguments, *written, *self.also)
        return frozenset(flag(word) for word in words if word.startswith("-"))

    def fill(self, **values: str | int | float) -> tuple[tuple[str, ...], dict[str, str]]:
        """Return the arguments, and the environment by name, with these values.

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
    """The GPU vendor that the variable is for; None: every vendor."""
