"""Rules that finite workloads share."""

from collections.abc import Iterator

from gpuspec.manifests import Path
from gpuspec.spec.common import Artifact
from gpuspec.spec.rules.broken import Broken, exactly_one
from gpuspec.spec.rules.references import image


def artifact(found: Artifact | None, field: str) -> Iterator[Broken]:
    """Broken unless files come from exactly one place."""
    if found is not None:
        path: Path = ("spec", field)
        yield from exactly_one(found, ("pvc", "image"), path, f"`{field}`")
        yield from image(found.image, (*path, "image"))


def exit_codes(codes: tuple[int, ...], path: Path) -> Iterator[Broken]:
    """Broken for a list that the Job API refuses."""
    seen: set[int] = set()
    for index, code in enumerate(codes):
        if code in seen:
            yield Broken(f"exit code {code} stands here twice", (*path, index), "delete one")
        seen.add(code)
