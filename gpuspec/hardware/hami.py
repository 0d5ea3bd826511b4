"""The resources with which HAMi shares NVIDIA GPUs.

Source: HAMi 2.10, charts/hami/values.yaml: the names of the resources, and `deviceSplitCount`.
"""

GPU = "nvidia.com/gpu"
"""The number of cards that a pod shares or owns."""
HAMI_MEMORY = ("nvidia.com/gpumem", "nvidia.com/gpumem-percentage")
HAMI = (*HAMI_MEMORY, "nvidia.com/gpucores")
"""The share of each card."""
MOST_PODS = 10
"""The most pods on one card, however small their shares."""
