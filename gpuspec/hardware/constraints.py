"""What a platform lets pods be: its constraints by name, as OpenShift's SecurityContextConstraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECCOMP = "seccomp"

PodLevel = Literal["restricted", "baseline", "privileged"]


class SecurityConstraint(msgspec.Struct, frozen=True):
    """One of them. `level`: the least of Pod Security that refuses nothing which it lets pods do.

    `lets`: what a pod may take beyond the first, as waivers are called in Python, and `user` for a
    user or a group of volumes of its own choice. `seccomp`: whether pods may name a profile.
    """

    name: str
    level: PodLevel
    lets: frozenset[str]
    seccomp: bool


class Constraints(msgspec.Struct, frozen=True):
    """The constraints of a platform, least first. The first is everybody's, and assigns the user."""

    rows: tuple[SecurityConstraint, ...]
    source: str

    @property
    def everybodys(self) -> SecurityConstraint:
        """The one that every pod may use."""
        return self.rows[0]

    def named(self, name: str) -> SecurityConstraint | None:
        """Return one of them by its name; None for one that is a cluster's own."""
        return next((row for row in self.rows if row.name == name), None)

    def least(self, permissions: frozenset[str]) -> SecurityConstraint:
        """Return the first that lets a pod take all of it; the last lets it take anything."""
        return next((row for row in self.rows if permissions <= row.lets), self.rows[-1])


def constraints(entry: Mapping[str, Any], sources: Mapping[str, str]) -> Constraints | None:
    """Return the constraints of a provider's entry; None where a pod's user is what it says."""
    for source, rows in entry.get("constraints", {}).items():
        constraint_rows = tuple(_constraint(words.split()) for words in rows)
        return Constraints(constraint_rows, sources[source])
    return None


def _constraint(words: list[str]) -> SecurityConstraint:
    """Return one from `<name> <level> [seccomp] <what it lets pods take …>`."""
    name, level, *lets = words
    return SecurityConstraint(
        name=name,
        level=cast("PodLevel", level),
        lets=frozenset(lets) - {_SECCOMP},
        seccomp=_SECCOMP in lets,
    )
