"""Kueue (0.19), and AppWrapper (1.2), which it queues."""

from gpuspec.kinds.model import Kept, Kind, Queueing

GROUP = "kueue.x-k8s.io"


def _wide(name: str, *fixed: str) -> Kind:
    return Kind(GROUP, name, "queue", namespaced=False, kept=Kept(fixed) if fixed else None)


KINDS = (
    _wide("Topology", "spec.levels"),
    _wide("ResourceFlavor"),
    _wide("WorkloadPriorityClass"),
    _wide("ProvisioningRequestConfig"),
    _wide("MultiKueueCluster"),
    _wide("MultiKueueConfig"),
    _wide("AdmissionCheck", "spec.controllerName"),
    _wide("Cohort"),
    _wide("ClusterQueue"),
    Kind(GROUP, "LocalQueue", "queue", kept=Kept(("spec.clusterQueue",))),
    Kind(
        "workload.codeflare.dev",
        "AppWrapper",
        "workload",
        objects=("spec.components.*.template",),
        queueing=Queueing(),
    ),
    Kind(GROUP, "Workload", "workload", templates=("spec.podSets.*.template",)),
)
