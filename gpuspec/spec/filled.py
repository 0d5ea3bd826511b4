"""Facts that complete a profile: path, value and source."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from gpuspec import hardware
from gpuspec.manifests import Path

_BY_KEY = ("annotations", "env")
"""Mappings of a pool's `rdma` whose keys are filled in one by one; other fields are filled in as a
whole."""


class ProfileFact(NamedTuple):
    """A path in the profile, its value, and its source: `preset eks: …`."""

    path: Path
    value: object
    source: str


def machine_of(pool: dict[str, Any]) -> str:
    """Return the instance type in a pool's labels; empty if there is none."""
    labels = pool.get("labels")
    return str(labels.get(hardware.INSTANCE_TYPE, "")) if isinstance(labels, dict) else ""


def pools_of(value: object) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the pools of an unchecked profile that are mappings, each with its path."""
    spec = value.get("spec") if isinstance(value, dict) else None
    pools = spec.get("pools") if isinstance(spec, dict) else None
    for index, pool in enumerate(pools if isinstance(pools, list) else ()):
        if isinstance(pool, dict):
            yield ("spec", "pools", index), pool


def recipe_facts(value: object) -> Iterator[ProfileFact]:
    """Yield the facts in the recipes of the pools' fabrics, those for the instance type first."""
    for path, pool in pools_of(value):
        recipe = _recipe(pool)
        if recipe is None:
            continue
        source = f"recipe {recipe.name}: {recipe.source}"
        machine = dict(recipe.machines.get(machine_of(pool), {}))
        for key, label in machine.pop("labels", {}).items():
            yield ProfileFact((*path, "labels", key), label, source)
        for fields in (machine, recipe.fields):
            for field, field_value in fields.items():
                if field in _BY_KEY:
                    for key, entry in field_value.items():
                        yield ProfileFact((*path, "rdma", field, key), entry, source)
                else:
                    yield ProfileFact((*path, "rdma", field), field_value, source)


def _recipe(pool: dict[str, Any]) -> hardware.Recipe | None:
    rdma = pool.get("rdma")
    name = rdma.get("recipe") if isinstance(rdma, dict) else None
    return hardware.recipes().get(name) if isinstance(name, str) else None
