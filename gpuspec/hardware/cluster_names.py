"""Names of cluster-wide objects that providers bring."""

from __future__ import annotations

from functools import cache

import msgspec

from gpuspec.hardware.tables import table


class Bringer(msgspec.Struct, frozen=True):
    """Who brings an object of a name."""

    title: str
    providers: tuple[str, ...]
    """Those of profiles; none for a cloud that no profile knows."""
    names: tuple[str, ...]
    """All that it brings of the kind."""


def brought_by(kind: str, name: str) -> Bringer | None:
    """Return who brings an object of this kind and name; None where nobody is known to."""
    return next((bringer for bringer in bringers(kind) if name in bringer.names), None)


@cache
def bringers(kind: str) -> tuple[Bringer, ...]:
    """Return whoever brings objects of a kind."""
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
    """Return whether claims that name no StorageClass get one on a provider's clusters, as far as
    is known."""
    without: str = table("cluster-names")["defaults"]["without"]
    return provider not in without.split()
