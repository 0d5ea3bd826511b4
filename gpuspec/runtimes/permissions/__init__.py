"""RBAC permissions that programs of the GPU stack need."""

from gpuspec.runtimes.permissions.load import program_of, programs, release_of
from gpuspec.runtimes.permissions.model import ApiProgram, PermissionCondition, PermissionNeed

__all__ = [
    "ApiProgram",
    "PermissionCondition",
    "PermissionNeed",
    "program_of",
    "programs",
    "release_of",
]
