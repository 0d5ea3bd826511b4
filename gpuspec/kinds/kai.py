"""KAI Scheduler (0.20). Sources: its CRDs, and the webhooks next to its types."""

from gpuspec.kinds.model import Kind, Reference
from gpuspec.kinds.references import priority

GROUP = "scheduling.run.ai"
_PARENT = Reference("spec", "parentQueue", GROUP, "Queue")

KINDS = (
    Kind("kai.scheduler", "Topology", "cluster", namespaced=False),
    Kind(GROUP, "Queue", "queue", namespaced=False, refers=(_PARENT,)),
    Kind(
        GROUP,
        "PodGroup",
        "workload",
        refers=(Reference("spec", "queue", GROUP, "Queue"), priority("spec")),
    ),
)
