"""A ConfigMap or Secret that Kustomize gave a suffix which what names it did not get."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.kinds.name_references import field_of, is_rewritten
from gpuspec.lint.analysis.reading.kustomizations import built, generated, has_names
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Related, Rule
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
    "Kustomize sets the suffix in this field if the generator and this object are "
    "in one kustomization: build them together, or set `disableNameSuffixHash`"
)


def check(one: Object, context: Context) -> Iterator[RawFinding]:
    """Yield references in what `kustomize build` printed, and in the files that it builds from."""
    if not has_names(one, context.collection):
        return
    for named in references_of(one, _KINDS):
        if named.optional:
            continue
        there = built(named.name, named.kind, one, context.collection)
        inside = named.path[len(one.base) :]
        known = is_rewritten(one.group, one.kind, inside, named.kind)
        if there is not None:
            yield RawFinding(
                named.path,
                f"there is no {named.kind} `{named.name}`, only `{there.name}`, with "
                f"Kustomize's suffix: {_then(named, one)}",
                note=_TOGETHER
                if known
                else f"Kustomize does not know this field as a reference: {_HOW}",
                related=(Related(there.number, (*there.base, "metadata", "name"), "this one"),),
            )
            continue
        if not one.file or known:
            continue
        maker = generated(named.name, named.kind, field_of(inside), one, context.collection)
        if maker is not None:
            number, path = maker
            yield RawFinding(
                path,
                f"the {named.kind} `{named.name}` gets a suffix, but Kustomize does not know "
                f"that the `{one.kind}` `{one.name}` references it: {_then(named, one)}",
                note=f"{_HOW[0].upper()}{_HOW[1:]}",
                object=number,
                related=(Related(one.number, named.path, "named here"),),
            )


def _then(named: Ref, one: Object) -> str:
    if not any(named.path[: len(pod.base)] == pod.base for pod in one.pods):
        return f"the `{one.kind}` does not find it"
    # A volume is mounted before a container is made, and its environment is read when it is.
    volume = "volumes" in named.path
    state = "ContainerCreating" if volume else "CreateContainerConfigError"
    return f"the `{one.kind}`'s pods stay in `{state}`"
