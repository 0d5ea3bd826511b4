"""What the objects of a target need in each namespace, one for all of them."""

from typing import Any

from gpuspec.spec import Profile
from gpuspec.targets import names, target_of


def shared_objects(profile: Profile) -> list[dict[str, Any]]:
    """Return those of the targets that the profile chooses, in each of its namespaces."""
    said = profile.spec.targets
    chosen = (said.gang, said.shards, said.schedule, said.service)
    targets = [target_of(each) for each in dict.fromkeys(chosen) if each in names()]
    return [
        made
        for space in profile.spec.namespaces
        for target in targets
        for made in target.shared(space.name)
    ]
