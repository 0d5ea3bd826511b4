"""What programs of the GPU stack have to be permitted at the API server."""

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
