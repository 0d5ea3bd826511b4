"""Supplemental groups of a pod for device files that belong to groups of the node."""

from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.devices import pod_needs
from gpuspec.plan.resolution import Resolution


def device_groups(resolution: Resolution) -> list[int]:
    """Return the IDs of the groups that can open the device files on the chosen pools' nodes."""
    numbers = (number for chosen in resolution.pools for number in chosen.pool.gpu.groups or ())
    return list(dict.fromkeys(numbers))


def device_notes(resolution: Resolution, *, root: bool) -> list[Note]:
    """Return a loud note if the profile does not state these groups, and the pod is not root."""
    files = pod_needs(resolution).files
    if files is None or root:
        return []
    untold = [chosen for chosen in resolution.pools if chosen.pool.gpu.groups is None]
    if resolution.pools and not untold:
        return []
    where = untold[0].path("gpu") if untold else ("spec", "pools")
    owner = f"pool {untold[0].pool.name}" if untold else f"profile {resolution.profile.name}"
    text = (
        f"{' and '.join(files.names)} belong{'s' if len(files.names) == 1 else ''} to "
        f"the groups {' and '.join(files.groups)} of the node, but {owner} does not "
        "state their numbers (gpu.groups): unless every user may open them, the pods "
        "find no GPU"
    )
    return [Note(text, Origin("profile", where), loud=True)]
