"""A ConfigMap or Secret that Kustomize gave a suffix which the pod that names it did not get."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Related, Rule
from gpuspec.lint.subjects.reading.kustomizations import built, generated, has_names, is_own
from gpuspec.objects.objects import Object
from gpuspec.objects.references import references_in

RULE = Rule(
    "GPU021",
    "name-without-suffix",
    "error",
    "A pod names a generated ConfigMap or Secret without its suffix",
)

_KINDS = frozenset({("", "ConfigMap"), ("", "Secret")})
_HOW = "name the field in a `nameReference` of `configurations`, or set `disableNameSuffixHash`"


def check(one: Object, context: Context) -> Iterator[Found]:
    """References in what `kustomize build` printed, and in the files that it builds from."""
    if not one.pods or not has_names(one, context.collection):
        return
    for pod in one.pods:
        for named in references_in(pod, _KINDS):
            if named.optional:
                continue
            said = f"the `{one.kind}`'s pods stay in `ContainerCreating`"
            there = built(named.name, named.kind, one, context.collection)
            if there is not None:
                yield Found(
                    named.path,
                    f"there is no {named.kind} `{named.name}`, only `{there.name}`, with the suffix "
                    f"of Kustomize: {said}",
                    note=f"Kustomize knows the names in Kubernetes' own kinds only: {_HOW}",
                    related=(Related(there.number, (*there.base, "metadata", "name"), "this one"),),
                )
                continue
            if is_own(one.group) or not one.file:
                continue
            maker = generated(named.name, named.kind, one, context.collection)
            if maker is not None:
                number, path = maker
                yield Found(
                    path,
                    f"the {named.kind} `{named.name}` gets a suffix, and Kustomize does not know "
                    f"that the `{one.kind}` `{one.name}` names it: {said}",
                    note=f"{_HOW[0].upper()}{_HOW[1:]}",
                    object=number,
                    related=(Related(one.number, named.path, "named here"),),
                )
