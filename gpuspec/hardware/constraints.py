"""The security constraints of a platform by name, such as OpenShift's SecurityContextConstraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECCOMP = "seccomp"

PodLevel = Literal["restricted", "baseline", "privileged"]


class SecurityConstraint(msgspec.Struct, frozen=True):
    """One security constraint.

    `level`: the strictest Pod Security level that admits all pods it admits. `lets`: what a pod may
    do beyond the first constraint, by the Python names of waivers, and `user` for its own choice of
    user or fsGroup. `seccomp`: whether pods may name a profile.
    """

    name: str
    level: PodLevel
    lets: frozenset[str]
    seccomp: bool


class Constraints(msgspec.Struct, frozen=True):
    """The constraints of a platform, the strictest first. Every pod may use the first, which
    assigns the user."""

    rows: tuple[SecurityConstraint, ...]
    source: str

    @property
    def everybodys(self) -> SecurityConstraint:
        """The constraint that every pod may use."""
        return self.rows[0]

    def named(self, name: str) -> SecurityConstraint | None:
        """Return a constraint by its name; None for a cluster's own."""
        return next((row for row in self.rows if row.name == name), None)

    def least(self, permissions: frozenset[str]) -> SecurityConstraint:
        """Return the strictest constraint that grants all permissions; the last grants any."""
        return next((row for row in self.rows if permissions <= row.lets), self.rows[-1])


def constraints(entry: Mapping[str, Any], sources: Mapping[str, str]) -> Constraints | None:
    """Return the constraints in a provider's entry; None if its pods choose their own user."""
    for source, rows in entry.get("constraints", {}).items():
        constraint_rows = tuple(_constraint(words.split()) for words in rows)
        return Constraints(constraint_rows, sources[source])
    return None


def _constraint(words: list[str]) -> SecurityConstraint:
    """Return a constraint from `<name> <level> [seccomp] <what it lets pods take …>`."""
    name, level, *lets = words
    return SecurityConstraint(
        name=name,
        level=cast("PodLevel", level),
        lets=frozenset(lets) - {_SECCOMP},
        seccomp=_SECCOMP in lets,
    )
