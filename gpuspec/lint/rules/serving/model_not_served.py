"""A name of a model that requests are sent on under, and that no server of the pool answers to."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.enumeration import choice_of
from gpuspec.kinds import mappings_at
from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.analysis.serving.selecting import POOL_GROUPS, selector
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, text
from gpuspec.objects.collection import Collection, PodFacts
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU821",
    "model-not-served",
    "warning",
    "Requests are routed to a model that no server in the pool serves",
    fix="unsafe",
)
_GROUP = POOL_GROUPS[1]
_TARGETS = {
    "InferenceModel": ("spec.targetModels.*", "name"),
    "InferenceModelRewrite": ("spec.rules.*.targets.*", "modelRewrite"),
}
"""Where the names are under which requests go to the servers."""


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield model names of pools whose servers are all here and state the names that they serve."""
    for kind in _TARGETS:
        for obj in collection.of(_GROUP, kind):
            served = _served(obj, collection)
            for path, name in _names(obj) if served else ():
                finding = _judge(obj, path, name, served)
                if finding is not None:
                    yield finding


def _names(obj: Object) -> Iterator[tuple[Path, str]]:
    pattern, field = _TARGETS[obj.kind]
    paths_and_names = [
        ((*path, field), name)
        for path, entry in mappings_at(obj.value, (pattern,))
        if (name := text(entry.get(field)))
    ]
    if not paths_and_names and obj.kind == "InferenceModel":
        # Requests keep the name that they come with.
        paths_and_names = [(("spec", "modelName"), text(obj.spec.get("modelName")))]
    yield from (
        (path, name) for path, name in paths_and_names if name and placeholder(name) is None
    )


def _served(obj: Object, collection: Collection) -> dict[str, PodFacts]:
    """Return the model names of the pool's servers; empty if not all are known."""
    name = text(at(obj.spec, ("poolRef", "name")))
    pods_by_name: dict[str, PodFacts] = {}
    for group in POOL_GROUPS if name else ():
        for pool in collection.all_named(group, "InferencePool", name, obj.namespace):
            labels = selector(pool)
            for pod in collection.selected(pool.namespace, labels).pods if labels else ():
                if not pod.served or "$" in "".join(pod.served):
                    return {}
                pods_by_name.update(dict.fromkeys(pod.served, pod))
    return pods_by_name


def _judge(obj: Object, path: Path, name: str, served: dict[str, PodFacts]) -> RawFinding | None:
    if name in served:
        return None
    pod, close = next(iter(served.values())), near(name, sorted(served))
    place = obj.path(*path)
    return RawFinding(
        place,
        f"no server of the pool serves `{name}`: requests for this model get status 404",
        note=f"write {choice_of(sorted(served))}",
        confidence="likely",
        object=obj.number,
        related=(RelatedPlace(pod.object, pod.path, f"{pod.kind} `{pod.name}`"),),
        fix=None if close is None else Fix(f"write `{close}`", (Put(place, close),)),
    )
