"""KAI Scheduler (0.20). Sources: its CRDs, and the webhooks next to its types."""

from gpuspec.kinds.model import Kind, Reference

GROUP = "scheduling.run.ai"
_PARENT = Reference("spec", "parentQueue", GROUP, "Queue")

KINDS = (Kind(GROUP, "Queue", "queue", namespaced=False, refers=(_PARENT,)),)
