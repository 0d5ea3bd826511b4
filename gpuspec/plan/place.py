"""The pools, zones and regions that a spec names, and the pools that they exclude."""

from collections.abc import Iterator

from gpuspec.escaping.meant import did_you_mean
from gpuspec.plan.resolution import RefusalReason
from gpuspec.spec import Pool, Profile, Workload, WorkloadSpec
from gpuspec.spec.quoting import either

PATH = ("spec", "place")


def unknown(workload: Workload, profile: Profile) -> list[RefusalReason]:
    """Return the names that the profile does not have."""
    place, pools = workload.model.spec.place, profile.spec.pools
    names = [pool.name for pool in pools]
    reasons: list[RefusalReason] = []
    for field in ("pools", "prefer", "never"):
        reasons += _not_among(workload, field, "pool", names)
    zones = [pool.all_zones for pool in pools]
    if place.zones and pools and all(zones):
        known_zones = dict.fromkeys(zone for pool_zones in zones for zone in pool_zones)
        reasons += _not_among(workload, "zones", "zone", list(known_zones))
    regions = [pool.its_region for pool in pools]
    if place.regions and pools and None not in regions:
        reasons += _not_among(workload, "regions", "region", list(dict.fromkeys(map(str, regions))))
    return reasons


def misfit(spec: WorkloadSpec, pool: Pool) -> str | None:
    """Return why a pool is outside of the named places, or None if it is inside."""
    place = spec.place
    if place.pools and pool.name not in place.pools:
        return f"the spec allows only {either(place.pools)} (place.pools)"
    if pool.name in place.never:
        return "the spec excludes it (place.never)"
    zones, region = pool.all_zones, pool.its_region
    if place.zones and not zones:
        return (
            f"the profile does not say whether its nodes are in {either(place.zones)}: "
            "write its `zones`"
        )
    if place.zones and not set(zones) & set(place.zones):
        return f"its nodes are in {either(zones)}, the spec requires {either(place.zones)}"
    if place.regions and region is None:
        return (
            f"the profile does not say whether its nodes are in {either(place.regions)}: "
            "write its `region`"
        )
    if place.regions and region not in place.regions:
        return f"its nodes are in {region}, the spec requires {either(place.regions)}"
    return None


def rank(spec: WorkloadSpec, pool: Pool) -> int:
    """Return the position of a pool in the spec's order; unnamed pools come last."""
    prefer = spec.place.prefer
    return prefer.index(pool.name) if pool.name in prefer else len(prefer)


def _not_among(
    workload: Workload, field: str, kind_of_place: str, known_places: list[str]
) -> Iterator[RefusalReason]:
    names: tuple[str, ...] = getattr(workload.model.spec.place, field)
    for index, name in enumerate(names):
        if name in known_places:
            continue
        place = workload.place((*PATH, field, index))
        if not known_places:
            hint = "pass a profile with pools: -c FILE"
            yield RefusalReason(
                f"the profile has no {kind_of_place}, and the spec names `{name}`", place, hint
            )
        else:
            hint = (
                did_you_mean(name, known_places) or f"{kind_of_place}s: {', '.join(known_places)}"
            )
            yield RefusalReason(f"the profile has no {kind_of_place} `{name}`", place, hint)
