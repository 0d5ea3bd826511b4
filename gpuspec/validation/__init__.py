"""Schema validation of Kubernetes objects, against the bundled schemas of each version."""

from gpuspec.validation.bundle import UnsupportedVersionError, newest, supported_versions
from gpuspec.validation.check import validate
from gpuspec.validation.violation import Reason, SchemaViolation

__all__ = [
    "Reason",
    "SchemaViolation",
    "UnsupportedVersionError",
    "newest",
    "supported_versions",
    "validate",
]
