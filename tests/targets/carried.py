"""Every example and every profile with all that targets need, as each target carries it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import gpuspec
from gpuspec.kinds import PodGroupKind, PodPath, kind_of, pod_paths
from gpuspec.plan import Resolution
from gpuspec.spec import Profile
from gpuspec.spec.knative import FEATURES, Knative
from gpuspec.targets import DEFAULTS, intent_of, names, target_of

ROOT = Path(__file__).parents[2]
PROFILES = ["generic", *sorted(str(path) for path in (ROOT / "examples/clusters").glob("*.yaml"))]
Carried = dict[str, gpuspec.Rendering]
both = pytest.mark.parametrize(
    ("target", "profile"), [(target, profile) for target in names() for profile in PROFILES]
)
CHOSEN = sorted({*names()} - {name for name, _ in DEFAULTS.values()})
"""Targets that carry nothing unless somebody chooses them."""
instead = pytest.mark.parametrize(
    ("target", "profile"), [(target, profile) for target in CHOSEN for profile in PROFILES]
)


@cache
def equipped(name: str, **more: str) -> Profile:
    """A profile that lists whatever any target needs, and `more`; all features of Knative are on."""
    (profile,) = gpuspec.load_profiles(name)
    needs = [target_of(target).needs for target in names()]
    there = {one.component: one.checked for one in needs if one}
    spec = replace(
        profile.spec,
        installed={**profile.spec.installed, **there, **more},
        knative=Knative(features=FEATURES),
    )
    return replace(profile, model=replace(profile.model, spec=spec))


@cache
def carried(target: str, profile: str) -> Carried:
    """The examples of its intents that a target carries on a profile."""
    found: Carried = {}
    for path in sorted((ROOT / "examples").glob("*.yaml")):
        for workload in gpuspec.load(str(path)):
            if (
                intent_of(Resolution(workload, equipped(profile), (), ()))
                in target_of(target).intents
            ):
                try:
                    made = gpuspec.render(workload, equipped(profile), target=target)
                except gpuspec.Refusal:
                    continue
                found[path.stem] = made
    return found


def usual(target: str, profile: str) -> Iterator[tuple[gpuspec.Rendering, gpuspec.Rendering]]:
    """What the target carries, beside what carries it when nobody chooses."""
    for name, made in carried(target, profile).items():
        other = carried(DEFAULTS[intent_of(made.resolution)][0], profile).get(name)
        if other is not None:
            yield made, other


def carrier(made: gpuspec.Rendering) -> dict[str, Any]:
    """The object that carries the pods."""
    kind, name = target_of(made.plan.target.value).kind, made.plan.name.value
    (own,) = (one for one in made.objects if (one["kind"], one["metadata"]["name"]) == (kind, name))
    return own


def holder(made: gpuspec.Rendering) -> dict[str, Any]:
    """The object that the pods lie in: the one that carries them, unless that one names it.

    Also where the one that it names is not ours to make.
    """
    template = f"{target_of(made.plan.target.value).holder}.yaml.j2"
    found = [one.value for one in made.rendered if one.template == template]
    return found[0] if found else carrier(made)


def is_flat(made: gpuspec.Rendering) -> bool:
    """Whether its object tells of a pod in words of its own, without a pod's layout."""
    own = carrier(made)
    kind = kind_of(str(own["apiVersion"]).rpartition("/")[0], str(own["kind"]))
    return kind is not None and bool(kind.flat)


def written(folder: Path, renderings: list[gpuspec.Rendering]) -> str:
    file = folder / "made.yaml"
    file.write_text(gpuspec.dump(item for one in renderings for item in one.objects))
    return str(file)


def scalars(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict | list):
        steps = value.items() if isinstance(value, dict) else enumerate(value)
        for step, inner in steps:
            yield from scalars(inner, (*path, step))
    else:
        yield path


def worker(made: gpuspec.Rendering) -> PodPath:
    """Where the pod of rank 0 is: the first that the target has not brought along."""
    own = holder(made)
    kind = kind_of(str(own["apiVersion"]).rpartition("/")[0], str(own["kind"]))
    assert kind is not None
    return next(
        path
        for path in pod_paths(own)
        if kind.part is None
        or (kind.part(own, path.spec) or PodGroupKind("")).name not in brought(made)
    )


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return None
    return value


def brought(made: gpuspec.Rendering) -> tuple[str, ...]:
    """The roles that the target of a gang brings along, of which the spec knows nothing."""
    target = target_of(str(made.plan.target.value))
    return target.roles[1:] if "gang" in target.intents else ()
