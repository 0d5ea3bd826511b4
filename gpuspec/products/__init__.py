"""Facts about products: settings that contradict each other, parts that charts install, drivers and
GPUs that images need, faults of releases, what drivers of storage accept, memory that programs need.
"""

from gpuspec.products.capabilities import GpuCode, gpu_code_of
from gpuspec.products.clients import is_under_v1, litellm_base, model_variables, variable_base
from gpuspec.products.conditions import Spot, met, scopes, within
from gpuspec.products.cuda import build_of, is_older
from gpuspec.products.load import (
    DATA,
    argocd_groups,
    argocd_options,
    capability_needs,
    charts,
    component_releases,
    contradictions_of,
    distributions,
    driver_of_class,
    faults,
    memory_needs,
    storage_driver,
)
from gpuspec.products.model import (
    Brought,
    CapabilityNeed,
    Condition,
    Contradiction,
    Fault,
    InstallingChart,
    MemoryNeed,
    StorageDriver,
)

__all__ = [
    "DATA",
    "Brought",
    "CapabilityNeed",
    "Condition",
    "Contradiction",
    "Fault",
    "GpuCode",
    "InstallingChart",
    "MemoryNeed",
    "Spot",
    "StorageDriver",
    "argocd_groups",
    "argocd_options",
    "build_of",
    "capability_needs",
    "charts",
    "component_releases",
    "contradictions_of",
    "distributions",
    "driver_of_class",
    "faults",
    "gpu_code_of",
    "is_older",
    "is_under_v1",
    "litellm_base",
    "memory_needs",
    "met",
    "model_variables",
    "scopes",
    "storage_driver",
    "variable_base",
    "within",
]
