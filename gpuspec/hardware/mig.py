"""MIG: the geometry of each model, and the resource names of profiles."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, cast

from gpuspec.hardware.mig_profile import MigProfile, Placement
from gpuspec.hardware.tables import table
from gpuspec.numbers import of_digits

if TYPE_CHECKING:
    from gpuspec.hardware.mig_profile import Evidence

_MIB = 1 << 20
_PREFIX = "nvidia.com/mig-"
_UNKNOWN = "_"

# The lowest share of its even part that a listed profile has is 0.908 (1g on H100 94 GB).
_ESTIMATE_PERCENT = 90


def mig_resource(profile: str) -> str:
    """Return the extended resource of a profile under the `mixed` strategy: `+` becomes `.`, `-`
    stays."""
    return _PREFIX + profile.replace("+", ".")


@cache
def _parts() -> dict[str, dict[str, str]]:
    return {model: part for part in table("mig")["parts"] for model in part["models"].split()}


@cache
def mig_names() -> frozenset[str]:
    """Return the names of all profiles of all models."""
    names: set[str] = set()
    for part in table("mig")["parts"]:
        rows = table("mig")["geometries"][part["geometry"]]
        for row, gb in zip(rows, part["gb"].split(), strict=True):
            compute, attribute = row.split()[0].split("g", maxsplit=1)
            names.add(f"{compute}g.{gb}gb{attribute}")
    return frozenset(names)


@cache
def profiles_of(model: str, memory: int) -> tuple[MigProfile, ...]:
    """Return the profiles of a model with `memory` bytes; empty if it has no MIG, or they are
    unknown."""
    part = _parts().get(model)
    if part is None:
        return ()
    geometry = [row.split() for row in table("mig")["geometries"][part["geometry"]]]
    axis = max(of_digits(slots.partition(":")[2]) for _, _, slots in geometry)
    source = table("mig")["sources"][part["source"]]
    profiles = []
    for (kind, most, slots), gb, mib in zip(
        geometry, part["gb"].split(), part["mib"].split(), strict=True
    ):
        compute, attribute = kind.split("g", maxsplit=1)
        starts, _, size = slots.partition(":")
        name = f"{compute}g.{gb}gb{attribute}"
        is_known = mib != _UNKNOWN
        estimate = memory * of_digits(size) * _ESTIMATE_PERCENT // (axis * 100) // _MIB
        profiles.append(
            MigProfile(
                name=name,
                resource=mig_resource(name),
                compute_slices=of_digits(compute),
                memory_slices=of_digits(size),
                max_per_gpu=of_digits(most),
                placements=tuple(
                    Placement(of_digits(at), of_digits(size)) for at in starts.split(",")
                ),
                memory=(of_digits(mib) if is_known else estimate) * _MIB,
                memory_estimated=not is_known,
                evidence=cast("Evidence", part["evidence"]),
                source=source,
            )
        )
    return tuple(profiles)
