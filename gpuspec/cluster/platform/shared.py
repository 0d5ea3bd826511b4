"""Objects that all workloads of a target in one namespace share."""

from typing import Any

from gpuspec.spec import Profile
from gpuspec.targets import names, target_of


def shared_objects(profile: Profile) -> list[dict[str, Any]]:
    """Return the shared objects of the profile's targets, for each of its namespaces."""
    said = profile.spec.targets
    chosen = (said.gang, said.shards, said.schedule, said.service)
    targets = [target_of(each) for each in dict.fromkeys(chosen) if each in names()]
    return [
        made
        for space in profile.spec.namespaces
        for target in targets
        for made in target.shared(space.name)
    ]
