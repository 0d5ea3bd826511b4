"""What HAMi hands out of NVIDIA's cards.

Source: HAMi 2.10, charts/hami/values.yaml: the names of the resources, and `deviceSplitCount`.
"""

GPU = "nvidia.com/gpu"
"""The number of cards that a pod has a part of, or all of."""
HAMI_MEMORY = ("nvidia.com/gpumem", "nvidia.com/gpumem-percentage")
HAMI = (*HAMI_MEMORY, "nvidia.com/gpucores")
"""How much of each card."""
MOST_PODS = 10
"""On one card, however little they ask for."""
