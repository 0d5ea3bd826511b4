"""A name that a kustomization changes, and a reference that Kustomize does not update."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from gpuspec.kinds.name_references import is_rewritten, keeps_its_name
from gpuspec.lint.analysis.reading.renaming import affixes, images, renamed, renamers
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import blank_name
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object
from gpuspec.objects.references import Ref, references_of

RULE = Rule(
    "GPU024",
    "name-left-behind",
    "warning",
    "A prefix, suffix or image set by Kustomize does not reach a field",
)


class _AllKinds:
    """All kinds."""

    def __contains__(self, kind: object) -> bool:
        return True


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Check the objects of a kustomization for references that Kustomize does not update."""
    if not obj.file:
        return
    makers = renamers(obj, context.collection)
    for maker in makers:
        yield from _images(obj, maker)
    for maker in [candidate for candidate in makers if any(affixes(candidate))][:1]:
        prefix, suffix = affixes(maker)
        if blank_name(f"{prefix}{suffix}"):
            continue
        for ref in references_of(obj, _AllKinds()):
            inside = ref.path[len(obj.base) :]
            if not (
                ref.optional
                or blank_name(ref.name)
                or keeps_its_name(ref.group, ref.kind)
                or is_rewritten(obj.group, obj.kind, inside, ref.kind)
            ):
                yield _found(obj, ref, maker, prefix, suffix)


def _images(obj: Object, maker: Object) -> Iterator[RawFinding]:
    """Yield images outside of `containers` and `initContainers`, where Kustomize looks in every
    kind."""
    for pod in obj.pods:
        for container in pod.every:
            path = container.path()
            if path[-2:-1] in (("containers",), ("initContainers",)):
                continue
            for entry, name in images(maker):
                rest = container.image.removeprefix(name)
                if container.image.startswith(name) and rest[:1] in ("", ":", "@"):
                    yield RawFinding(
                        entry,
                        f"{obj.kind} `{obj.name}` keeps image `{container.image}`: Kustomize changes "
                        "only images in `containers` and `initContainers`",
                        note="declare the field as an image under `configurations`, or patch it",
                        object=maker.number,
                        related=(RelatedPlace(obj.number, container.path("image"), "this image"),),
                    )


def _found(obj: Object, ref: Ref, maker: Object, prefix: str, suffix: str) -> RawFinding:
    gets = f"the prefix `{prefix}`" if prefix else f"the suffix `{suffix}`"
    return RawFinding(
        ("namePrefix" if prefix else "nameSuffix",),
        f"{ref.kind} `{ref.name}` is renamed by {gets}, but {obj.kind} `{obj.name}` "
        f"still names `{ref.name}`: Kustomize does not treat this field as a reference",
        note=(
            "declare the field in a `nameReference` of `configurations`, or write "
            f"`{prefix}{ref.name}{suffix}`"
        ),
        object=maker.number,
        confidence="likely",
        related=(RelatedPlace(obj.number, ref.path, "named here"),),
        unless=partial(_is_elsewhere, maker.file, ref),
    )


def _is_elsewhere(maker: str, ref: Ref, collection: Collection) -> bool:
    """Return whether the kustomization does not build the named object, whose name then stays as
    written."""
    return not renamed(maker, ref, collection)
