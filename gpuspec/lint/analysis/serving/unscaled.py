"""Pods whose controller has no scale subresource, for disruption budgets.

Sources: Kubernetes 1.37.2, pkg/controller/disruption/disruption.go; the definitions of KubeRay
1.6.2, Volcano 1.15.1, MPI Operator caa3c47 and Training Operator 1.9.4, by which a PyTorchJob has a
scale.
"""

from gpuspec.objects.collection import SelectedPods
from gpuspec.objects.lazy import kept

DAEMON_SET = "a DaemonSet"
_CONTROLLED = {
    **{
        ("ray.io", kind): "a RayCluster"
        for kind in ("RayCluster", "RayCronJob", "RayJob", "RayService")
    },
    **dict.fromkeys(
        (
            ("batch", "Job"),
            ("batch", "CronJob"),
            ("jobset.x-k8s.io", "JobSet"),
            ("trainer.kubeflow.org", "TrainJob"),
        ),
        "a Job",
    ),
    **{("batch.volcano.sh", kind): "a Job of Volcano's" for kind in ("Job", "CronJob")},
    ("kubeflow.org", "MPIJob"): "an MPIJob",
    ("kubeflow.org", "TFJob"): "a TFJob",
    ("apps", "DaemonSet"): DAEMON_SET,
}
"""The controller of a kind's pods, if it has no scale subresource."""


@kept
def unscaled(selection: SelectedPods) -> str:
    """Return the controller without a scale subresource of one of the pods with accelerators, or
    of a DaemonSet's, which serve them; empty if there is none."""
    for pod in selection.pods:
        controller = _CONTROLLED.get((pod.api_version.rpartition("/")[0], pod.kind), "")
        if controller and (pod.gpus or pod.kind == "DaemonSet"):
            return controller
    return ""
