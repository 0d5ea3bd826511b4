"""Rules across fields, which a JSON Schema cannot express. Pure functions from a model to problems."""

from gpuspec.spec.rules.profile import profile_problems
from gpuspec.spec.rules.violation import SpecViolation
from gpuspec.spec.rules.workload import workload_problems

__all__ = ["SpecViolation", "profile_problems", "workload_problems"]
