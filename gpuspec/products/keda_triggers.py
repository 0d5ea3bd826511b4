"""What KEDA's scalers accept as the fields of a trigger."""

from functools import cache

import msgspec
from msgspec import Struct

from gpuspec.manifests.tables import table
from gpuspec.products.load import DATA


class TriggerFields(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of one type of triggers."""

    needed: dict[str, str] = {}
    """The fields that it must have, by name, other names after `|`; where each may stand, of
    `metadata`, `env` and `authentication`."""
    values: dict[str, tuple[str, ...]] = {}
    """The words that a field accepts."""
    whole: tuple[str, ...] = ()
    """Fields with a whole number."""
    number: tuple[str, ...] = ()
    """Fields with any number."""
    positive: tuple[str, ...] = ()
    """Fields with a number above 0."""
    differ: tuple[tuple[str, str], ...] = ()
    """Fields whose values must differ."""
    zones: tuple[str, ...] = ()
    """Fields with the name of a time zone."""
    modes: bool = False
    """Whether it has `authModes`."""


class KedaTriggers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table of all types."""

    source: str
    modes: dict[str, tuple[str, ...]]
    """What each of `authModes` needs of the authentication; other names after `|`."""
    single: tuple[str, ...]
    """Modes of which a trigger has one at most."""
    triggers: dict[str, TriggerFields]


@cache
def keda_triggers() -> KedaTriggers:
    """Return the table."""
    return msgspec.convert(table(DATA, "keda-triggers"), KedaTriggers)
