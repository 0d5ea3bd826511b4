"""Requests of a pod besides devices, CPU, memory and disk: huge pages, resources of other
plugins."""

import math
from collections.abc import Iterator, Mapping

from gpuspec.plan.decision import Decision, Note, Origin, from_spec
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.wording import gib
from gpuspec.spec import Pool, Profile, WorkloadSpec
from gpuspec.spec.pools import PAGES

_PATH = ("spec", "resources")


def asked(spec: WorkloadSpec) -> dict[str, Decision]:
    """Return the container's requests for these resources, which equal the limits."""
    words = "set in the spec; the limit equals the request"
    decisions: dict[str, Decision] = {}
    for size, amount in spec.resources.hugepages.items():
        decisions[PAGES + size] = from_spec((*_PATH, "hugepages", size), str(amount), words)
    for name, number in spec.resources.extended.items():
        decisions[name] = from_spec((*_PATH, "extended", name), str(number), words)
    return decisions


def told(profile: Profile) -> frozenset[str]:
    """Return the resources that at least one pool states; a pool without the statement has none of
    them."""
    return frozenset(name for pool in profile.spec.pools for name in pool.other_resources)


def misfit(spec: WorkloadSpec, pool: Pool, known_resources: frozenset[str]) -> str | None:
    """Return why a node of a pool lacks a requested resource, or None if it has it, or if no pool
    states it."""
    have = pool.other_resources
    for name, amount in _amounts(spec):
        if name in known_resources and have.get(name, 0) < amount:
            available = f"{_written(name, have[name])} of" if name in have else "no"
            return f"its nodes have {available} {name}, a pod requests {_written(name, amount)}"
    return None


def notes(resolution: Resolution) -> list[Note]:
    """Return a loud note if the profile has pools and none states a requested resource."""
    if not resolution.pools:
        return []
    known_resources, resource_notes = told(resolution.profile), list[Note]()
    for name, decision in asked(resolution.spec).items():
        if name not in known_resources:
            field = "hugepages" if name.startswith(PAGES) else "extended"
            text = (
                f"no pool says that its nodes have {name} (allocatable.{field}): if none has "
                "it, pods stay Pending"
            )
            resource_notes.append(Note(text, Origin("spec", decision.origin.path), loud=True))
    return resource_notes


def _amounts(spec: WorkloadSpec) -> Iterator[tuple[str, int]]:
    for size, amount in spec.resources.hugepages.items():
        yield PAGES + size, math.floor(amount.value)
    yield from spec.resources.extended.items()


def _written(name: str, amount: int) -> str:
    return gib(amount) if name.startswith(PAGES) else str(amount)


def part(pool: Pool, gpus: int) -> Mapping[str, int]:
    """Return the part of these resources for this number of GPUs of a pool, rounded up."""
    return {
        name: -(-amount * gpus // pool.gpu.count) for name, amount in pool.other_resources.items()
    }
