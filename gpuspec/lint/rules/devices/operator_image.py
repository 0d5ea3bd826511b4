"""An image name that the GPU Operator builds from parts, one of which is missing."""

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import mapping
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU112",
    "operator-image",
    "error",
    "A GPU Operator image lacks its repository, name or version",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield components with a repository and no version, or with a version and no repository."""
    yield from _components(obj.spec, obj.path("spec"))


def _components(value: dict[str, Any], path: Path) -> Iterator[RawFinding]:
    if value.get("enabled") is False:
        return
    repository, image, version = (
        value.get(name) or "" for name in ("repository", "image", "version")
    )
    missing = ""
    if repository and not version:
        missing = "version"
    elif version and image and not repository:
        missing = "repository"
    if missing:
        yield RawFinding(
            (*path, missing),
            f"`{missing}` is missing, so the image name `{repository}/{image}:{version}` is "
            "invalid: the operator's pods fail with `InvalidImageName`, and the nodes advertise "
            "no GPU",
            note=(
                "set `repository`, `image` and `version`, or remove all three to use the "
                "operator's own image"
            ),
        )
    for key, inner in value.items():
        yield from _components(mapping(inner), (*path, key))
