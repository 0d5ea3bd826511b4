"""A container without an image, as a patch leaves it that replaced a list."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.kustomizations import is_own, may_be_patched, patches_of
from gpuspec.lint.analysis.reading.schema import is_part_of_live
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.kustomize import GROUP
from gpuspec.manifests import format_path
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU020",
    "no-image",
    "error",
    "A container has no image",
)

_HOW = (
    "write a JSON patch (`op: add`), or add the kind's schema under `openapi`: without the schema "
    "Kustomize replaces the whole list of containers"
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield containers of objects; and those of a patch that will take the place of the object's
    own."""
    if obj.is_a(GROUP, "Kustomization"):
        yield from _patched(obj, context)
        return
    if obj.traits.image_filled or obj.traits.argo or is_part_of_live(obj):
        return
    refused = "the API server rejects the object" if is_own(obj.group) else "no pod is ever created"
    for pod in obj.pods:
        inside = pod.path("containers")[len(obj.base) :]
        for index, name in _bare(pod):
            if may_be_patched(obj, (*inside, index, "image"), context.collection):
                continue
            yield RawFinding(
                pod.path("containers", index, "image"),
                f"container `{name}` has no `image`: {refused}",
                note="set `image`"
                if is_own(obj.group)
                else f"set `image`. If `kustomize build` removed `image`, {_HOW}",
            )


def _patched(obj: Object, context: Context) -> Iterator[RawFinding]:
    if obj.value.get("openapi"):
        return
    for path, value in patches_of(obj, context.collection):
        patch = Object(value)
        if is_own(patch.group) or patch.traits.image_filled or not patch.group:
            continue
        for pod in patch.pods:
            if next(_bare(pod), None) is not None:
                yield RawFinding(
                    path,
                    f"the patch replaces all of `{format_path(pod.path('containers'))}` of the "
                    f"`{patch.kind}`, because Kustomize cannot merge that list: the container "
                    "has no `image`, and no pod is ever created",
                    note=_HOW,
                )
                break


def _bare(pod: Pod) -> Iterator[tuple[int, str]]:
    """Yield index and name of regular containers without an image."""
    for container in pod.containers:
        if container.value.get("image") not in (None, ""):
            continue
        path = container.path()
        index = path[-1]
        if path[:-1] == pod.path("containers") and isinstance(index, int):
            yield index, container.name
