"""Schema validation of Kubernetes objects, against the bundled schemas of each version."""

from gpuspec.validation.bundle import UnsupportedVersionError, newest, supported_versions
from gpuspec.validation.check import validate
from gpuspec.validation.violation import Reason, Violation

__all__ = [
    "CustomKind",
    "Reason",
    "UnsupportedVersionError",
    "Violation",
    "custom_kinds",
    "is_known",
    "newest",
    "supported_versions",
    "validate",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpuspec.validation.custom import CustomKind, custom_kinds, is_known


def __getattr__(name: str) -> object:
    """Custom kinds are imported by whoever asks for them: what is rendered is of none."""
    if name in ("CustomKind", "custom_kinds", "is_known"):
        from gpuspec.validation import custom

        return getattr(custom, name)
    raise AttributeError(name)
