"""Rules for image references."""

from collections.abc import Iterator

from gpuspec.manifests import Path
from gpuspec.manifests.images import fault
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation


def image(reference: str | None, path: Path) -> Iterator[SpecViolation]:
    """Yield a violation unless a string is an image reference: repository, tag, digest."""
    hint = None if reference is None else fault(reference)
    if reference is not None and hint is not None:
        yield SpecViolation(f"{shown(reference)} is not an image reference", path, hint)
