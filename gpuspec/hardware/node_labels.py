"""Node label keys: what sets them, and the replacements of old ones."""

from __future__ import annotations

from functools import cache

import msgspec

from gpuspec.hardware.names import labellers
from gpuspec.hardware.tables import table


class LabelDomain(msgspec.Struct, frozen=True):
    """A domain of label keys that software sets.

    `providers`: the only providers that set them; empty if any cluster may have them.
    """

    name: str
    providers: tuple[str, ...]


class ReplacedLabel(msgspec.Struct, frozen=True):
    """A deprecated key and its replacement with the same values.

    `gone`: whether nothing sets the old key any more. `only`: the only value with this meaning, or
    None.
    """

    key: str
    by: str
    gone: bool
    only: str | None
    source: str


class CloudLabel(msgspec.Struct, frozen=True):
    """A label that a cloud or its node autoscaler sets."""

    key: str
    title: str
    """What sets it."""
    values: tuple[str, ...]
    """All possible values; empty if any value is possible."""
    whole: bool
    """Whether all labels of its domain are known."""
    source: str


def label_domain(key: str) -> LabelDomain | None:
    """Return the software behind a label key; None for a key that users set, with or without a
    domain."""
    domain = key.rpartition("/")[0]
    label_domains = _domains()
    while domain:
        if domain in label_domains:
            return label_domains[domain]
        domain = domain.partition(".")[2]
    return None


def is_label_key(key: str) -> bool:
    """Return whether a known labeller sets this key."""
    return key in label_keys() or key.startswith(_prefixes()) or key in replaced_labels()


@cache
def label_keys() -> frozenset[str]:
    """Return the keys that labellers are known to set, without patterns."""
    keys = {key for labeller in labellers().values() for key in labeller.keys.values()}
    return frozenset(keys.union(word for word in _words() if not word.endswith("*")))


@cache
def cloud_labels() -> dict[str, CloudLabel]:
    """Return the labels of clouds, by key."""
    whole = table("node-labels")
    return {
        key: CloudLabel(
            key,
            row["title"],
            tuple(words.split()),
            key.partition("/")[0] == row.get("whole"),
            whole["sources"][row["source"]],
        )
        for row in whole["clouds"]
        for key, words in row["keys"].items()
    }


@cache
def replaced_labels() -> dict[str, ReplacedLabel]:
    """Return the deprecated keys."""
    whole = table("node-labels")
    return {
        key: ReplacedLabel(
            key, row["by"], row.get("gone", False), row.get("only"), whole["sources"][row["source"]]
        )
        for key, row in whole["replaced"].items()
    }


@cache
def _domains() -> dict[str, LabelDomain]:
    return {
        name: LabelDomain(name, () if words == "any" else tuple(words.split()))
        for name, words in table("node-labels")["domains"].items()
    }


@cache
def _prefixes() -> tuple[str, ...]:
    return tuple(word[:-1] for word in _words() if word.endswith("*"))


def _words() -> list[str]:
    return [word for words in table("node-labels")["keys"].values() for word in words.split()]
