"""Names of cluster-wide objects that providers or software install."""

from __future__ import annotations

from functools import cache

import msgspec

from gpuspec.hardware.tables import table


class Bringer(msgspec.Struct, frozen=True):
    """A provider or software that installs objects with known names."""

    title: str
    providers: tuple[str, ...]
    """The providers in profiles; empty for a cloud without a profile."""
    names: tuple[str, ...]
    """The names of all its objects of the kind."""


def brought_by(kind: str, name: str) -> Bringer | None:
    """Return what installs an object of this kind and name; None if unknown."""
    return next((bringer for bringer in bringers(kind) if name in bringer.names), None)


@cache
def bringers(kind: str) -> tuple[Bringer, ...]:
    """Return all that install objects of a kind."""
    kinds = table("cluster-names")["kinds"]
    return tuple(
        Bringer(
            row["of"],
            tuple(row.get("providers", "").split()),
            tuple(row["names"].split()),
        )
        for row in kinds.get(kind, ())
    )


def has_default_storage(provider: str) -> bool:
    """Return whether a provider's clusters are known to have a default StorageClass."""
    without: str = table("cluster-names")["defaults"]["without"]
    return provider not in without.split()
