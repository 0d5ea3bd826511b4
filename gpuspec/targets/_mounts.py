"""The mounts of a pod's only container, for controllers with their own fields for them."""

from gpuspec.plan.decision import Decision
from gpuspec.plan.facets import PodPlan


def names_at(pod: PodPlan, at: str) -> list[str]:
    """Return the names of the volumes that are mounted at a path."""
    (main,) = pod.containers
    return [
        mount.value["name"]
        for mount in main.mounts
        if isinstance(mount, Decision) and mount.value["mountPath"].rstrip("/") == at
    ]


def limit_at(pod: PodPlan, at: str) -> Decision | None:
    """Return the size limit of the volume at a path; None if it has none."""
    names = names_at(pod, at)
    for volume in pod.volumes:
        if isinstance(volume, Decision) and volume.value["name"] in names:
            limit = volume.value.get("emptyDir", {}).get("sizeLimit")
            return None if limit is None else Decision(limit, volume.reason, volume.origin)
    return None
