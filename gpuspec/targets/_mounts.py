"""What is mounted into a pod's only container, where a controller asks for it in words of its own."""

from gpuspec.plan.facets import PodPlan
from gpuspec.plan.leaf import Leaf


def names_at(pod: PodPlan, at: str) -> list[str]:
    """The names of the volumes that are mounted at a path."""
    (main,) = pod.containers
    return [
        one.value["name"]
        for one in main.mounts
        if isinstance(one, Leaf) and one.value["mountPath"].rstrip("/") == at
    ]


def limit_at(pod: PodPlan, at: str) -> Leaf | None:
    """The size that the volume at a path is bounded by; None where nothing bounds it."""
    names = names_at(pod, at)
    for one in pod.volumes:
        if isinstance(one, Leaf) and one.value["name"] in names:
            limit = one.value.get("emptyDir", {}).get("sizeLimit")
            return None if limit is None else Leaf(limit, one.reason, one.origin)
    return None
