"""Turn a workload and a profile into a plan, in which every value has its reason."""

from gpuspec.plan.decision import Decision, Note, Origin, PlanPart
from gpuspec.plan.device_options import DeviceOption, device_options
from gpuspec.plan.explanation import Explanation
from gpuspec.plan.facets import OverridePlan, Plan
from gpuspec.plan.pools import examine
from gpuspec.plan.resolution import Refusal, RefusalReason, Resolution
from gpuspec.plan.resolve import resolve

__all__ = [
    "Decision",
    "DeviceOption",
    "Explanation",
    "Note",
    "Origin",
    "OverridePlan",
    "Plan",
    "PlanPart",
    "Refusal",
    "RefusalReason",
    "Resolution",
    "device_options",
    "examine",
    "resolve",
]
