"""An image's name that no runtime of containers can read, or that its registry does not have."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.kustomizations import kustomizations
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import blank_image
from gpuspec.manifests.images import fault
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.published import missing_tag

RULE = Rule(
    "GPU796",
    "illegal-image",
    "error",
    "An image reference is invalid, or its registry no longer has the tag",
    gives_way=("GPU017",),
)
_KO = "ko://"
"""The prefix of a reference that ko replaces with the image it builds."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield images of all containers, but for those that a template or Kustomize fills in."""
    for container in pod.every:
        image = container.image
        if not image or image.startswith(_KO) or blank_image(image) or "%" in image:
            continue
        hint, missing = fault(image), missing_tag(image)
        substituted = pod.object.traits.substitutes and "$(" in image
        if substituted or _is_replaced(image, context):
            continue
        if hint is None and missing is not None:
            yield RawFinding(
                container.path("image"),
                f"`{image}` does not exist, because {missing.words}: the pod is scheduled and fails "
                "with `ErrImagePull`",
                note=missing.instead,
                severity="warning",
                confidence="likely",
            )
        if hint is None:
            continue
        yield RawFinding(
            container.path("image"),
            f"`{image}` is not a valid image name: the pod is scheduled and fails with "
            "`InvalidImageName`",
            note=hint,
        )


def _is_replaced(image: str, context: Context) -> bool:
    """Return whether a kustomization of the set replaces the image."""
    name = image.partition("@")[0]
    return not {name, name.rpartition(":")[0]}.isdisjoint(context.collection.once(_replaced))


def _replaced(collection: Collection) -> frozenset[str]:
    """Return the names of images that kustomizations replace."""
    return frozenset(
        filter(
            None,
            (
                text(mapping(entry).get("name"))
                for kustomization in kustomizations(collection)
                for entry in items(kustomization.value.get("images"))
            ),
        )
    )
