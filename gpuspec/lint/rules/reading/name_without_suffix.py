"""A ConfigMap or Secret that Kustomize gave a suffix which what names it did not get."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.kinds.name_references import field_of, is_rewritten
from gpuspec.lint.analysis.reading.kustomizations import built, generated, has_names, is_base
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.objects import Object
from gpuspec.objects.references import Ref, references_of

RULE = Rule(
    "GPU021",
    "name-without-suffix",
    "error",
    "A reference to a generated ConfigMap or Secret lacks the hash suffix",
)

_KINDS = frozenset({("", "ConfigMap"), ("", "Secret")})
_HOW = "declare the field in a `nameReference` of `configurations`, or set `disableNameSuffixHash`"

_TOGETHER = (
    "put this object into the kustomization with the generator, or set `disableNameSuffixHash`"
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield references in what `kustomize build` printed, and in the files that it builds from."""
    if not has_names(obj, context.collection):
        return
    for ref in references_of(obj, _KINDS):
        if ref.optional:
            continue
        suffixed = built(ref.name, ref.kind, obj, context.collection)
        inside = ref.path[len(obj.base) :]
        is_known = is_rewritten(obj.group, obj.kind, inside, ref.kind)
        if suffixed is not None:
            yield RawFinding(
                ref.path,
                f"{ref.kind} `{ref.name}` does not exist, because Kustomize renamed it to "
                f"`{suffixed.name}`: {_then(ref, obj)}",
                note=_TOGETHER
                if is_known
                else f"{_HOW}: Kustomize does not know this field as a reference",
                related=(
                    RelatedPlace(
                        suffixed.number, (*suffixed.base, "metadata", "name"), "this object"
                    ),
                ),
            )
            continue
        if not obj.file or is_known or is_base(obj, context.collection):
            # An overlay may declare the field: names are final only there.
            continue
        maker = generated(ref.name, ref.kind, field_of(inside), obj, context.collection)
        if maker is not None:
            number, path = maker
            yield RawFinding(
                path,
                f"the {ref.kind} `{ref.name}` gets a suffix, but Kustomize does not know "
                f"that the `{obj.kind}` `{obj.name}` references it: {_then(ref, obj)}",
                note=_HOW,
                object=number,
                related=(RelatedPlace(obj.number, ref.path, "named here"),),
            )


def _then(ref: Ref, obj: Object) -> str:
    if not any(ref.path[: len(pod.base)] == pod.base for pod in obj.pods):
        return f"the `{obj.kind}` does not find it"
    # A volume is mounted before a container is made, and its environment is read when it is.
    volume = "volumes" in ref.path
    state = "ContainerCreating" if volume else "CreateContainerConfigError"
    return f"the `{obj.kind}`'s pods stay in `{state}`"
