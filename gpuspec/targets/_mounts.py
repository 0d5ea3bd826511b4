"""What is mounted into a pod's only container, where a controller asks for it in words of its own."""

from gpuspec.plan.decision import Decision
from gpuspec.plan.facets import PodPlan


def names_at(pod: PodPlan, at: str) -> list[str]:
    """Return the names of the volumes that are mounted at a path."""
    (main,) = pod.containers
    return [
        one.value["name"]
        for one in main.mounts
        if isinstance(one, Decision) and one.value["mountPath"].rstrip("/") == at
    ]


def limit_at(pod: PodPlan, at: str) -> Decision | None:
    """Return the size that the volume at a path is bounded by; None where nothing bounds it."""
    names = names_at(pod, at)
    for one in pod.volumes:
        if isinstance(one, Decision) and one.value["name"] in names:
            limit = one.value.get("emptyDir", {}).get("sizeLimit")
            return None if limit is None else Decision(limit, one.reason, one.origin)
    return None
