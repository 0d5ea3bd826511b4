"""Pods whose controller has no scale subresource, by which disruption budgets are reckoned.

Source: Kubernetes 1.37.2, pkg/controller/disruption/disruption.go.
"""

from gpuspec.objects.collection import Selection
from gpuspec.objects.lazy import kept

_CONTROLLED = {
    **dict.fromkeys(("RayCluster", "RayJob", "RayService"), "a RayCluster"),
    **dict.fromkeys(("Job", "JobSet"), "a Job"),
}
"""What controls the pods of a kind, where that has no scale."""
_GROUPS = ("ray.io", "batch", "jobset.x-k8s.io")


@kept
def unscaled(selection: Selection) -> str:
    """What controls one of the pods with accelerators and has no scale; empty where nothing does."""
    for pod in selection.pods:
        group = pod.api_version.rpartition("/")[0]
        if pod.gpus and group in _GROUPS and pod.kind in _CONTROLLED:
            return _CONTROLLED[pod.kind]
    return ""
