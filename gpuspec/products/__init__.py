"""Facts about products: settings that contradict each other, parts that charts install, drivers and
GPUs that images need, faults of releases.
"""

from gpuspec.products.capabilities import GpuCode, gpu_code_of
from gpuspec.products.conditions import Spot, met
from gpuspec.products.cuda import build_of, is_older
from gpuspec.products.load import (
    DATA,
    argocd_groups,
    argocd_options,
    charts,
    contradictions_of,
    faults,
)
from gpuspec.products.model import Brought, Condition, Contradiction, Fault, InstallingChart

__all__ = [
    "DATA",
    "Brought",
    "Condition",
    "Contradiction",
    "Fault",
    "GpuCode",
    "InstallingChart",
    "Spot",
    "argocd_groups",
    "argocd_options",
    "build_of",
    "charts",
    "contradictions_of",
    "faults",
    "gpu_code_of",
    "is_older",
    "met",
]
