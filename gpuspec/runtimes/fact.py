"""The pieces that every fact of the table is made of: its source, settings, variables."""

import re
from functools import cached_property
from typing import Literal

from msgspec import Struct

Confidence = Literal["source", "weak", "assumption"]
"""`source`: read in the server's own code or manual. `weak`: third-party, old, or inferred from
code. `assumption`: our own figure, chosen on the careful side; the fact's `why` says how."""

_FIELD = re.compile(r"\{([a-z_]+)\}")


def flag(word: str) -> str:
    """The name of an option; vLLM takes `--max_model_len` for `--max-model-len`."""
    return word.partition("=")[0].replace("_", "-")


class Fact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something known of a server, and how it is known."""

    source: str
    """Where it was read: repository, version and path, or the address of a page."""
    confidence: Confidence = "source"
    why: str = ""
    """Why it matters in a pod, or how a figure was arrived at; one or two sentences for people."""


class Setting(Fact, frozen=True, kw_only=True, dict=True):
    """One thing to tell the server, as arguments or as environment variables.

    The templates hold named fields in braces, like `{tensor}`; the field of a setting's own value
    is called as the setting is.
    """

    arguments: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    """`NAME=template` each."""

    @property
    def fields(self) -> frozenset[str]:
        """Names of the fields that :meth:`fill` needs."""
        return frozenset(
            name for text in (*self.arguments, *self.environment) for name in _FIELD.findall(text)
        )

    @cached_property
    def flags(self) -> frozenset[str]:
        """Names of the server's options that are written, in a variable too."""
        values = (entry.partition("=")[2] for entry in self.environment)
        words = (*self.arguments, *(word for value in values for word in value.split()))
        return frozenset(flag(word) for word in words if word.startswith("-"))

    def fill(self, **values: str | int | float) -> tuple[tuple[str, ...], dict[str, str]]:
        """The arguments, and the environment by name, for these values.

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
