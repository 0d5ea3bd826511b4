"""Rules for the pools, zones and regions that a spec names."""

from collections.abc import Iterator

from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation

_PATH = ("spec", "place")


def problems(spec: WorkloadSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for `place`."""
    place = spec.place
    for field in ("pools", "prefer", "never", "zones", "regions"):
        names: tuple[str, ...] = getattr(place, field)
        for index, name in enumerate(names):
            if name in names[:index]:
                yield SpecViolation(f"{shown(name)} is listed twice", (*_PATH, field, index))
    for index, name in enumerate(place.never):
        for field in ("pools", "prefer"):
            if name in getattr(place, field):
                message = f"{shown(name)} is also in `{field}`"
                yield SpecViolation(message, (*_PATH, "never", index), needs=((*_PATH, field),))
    for index, name in enumerate(place.prefer if place.pools else ()):
        if name not in place.pools:
            message = f"{shown(name)} is not among `pools`, so it has no effect"
            yield SpecViolation(message, (*_PATH, "prefer", index), needs=((*_PATH, "pools"),))
