"""An InferenceService whose runtime, in the set, does not serve its model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.enumeration import choice_of
from gpuspec.kinds import mappings_at
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU976",
    "runtime-cannot-serve",
    "error",
    "The runtime of an InferenceService does not serve its model",
)
_GROUP = "serving.kserve.io"
_MAIN = "kserve-container"
_MODELS = ("spec.predictor.model", "spec.canary.*.predictor.model")
_FAILS = "KServe creates no pods"
_MODE = f"{_GROUP}/deploymentMode"


class UnfitRuntime(NamedTuple):
    """Why KServe does not take the runtime."""

    field: Path
    """The field of the model."""
    message: str
    note: str


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield what KServe's controller compares before it makes pods; ModelMesh compares other fields."""
    if obj.annotations.get(_MODE) == "ModelMesh":
        return
    for path, model in mappings_at(obj.value, _MODELS):
        name = model.get("runtime")
        if name is None:
            yield from _selected_by_nobody(obj, path, model, context)
        runtimes = [] if not isinstance(name, str) else _runtimes(obj, context, name)
        if len(runtimes) != 1:
            continue
        (runtime,) = runtimes
        if runtime.spec.get("multiModel") is True:
            continue
        related = (RelatedPlace(runtime.number, runtime.path("metadata", "name"), "this runtime"),)
        for fault in _faults(model, runtime.spec, text(name)):
            place = obj.path(*path, *fault.field)
            yield RawFinding(place, fault.message, note=fault.note, related=related)


def _runtimes(obj: Object, context: Context, name: str = "") -> list[Object]:
    """Return the runtimes of a name, or all that the object may use."""
    collection = context.collection
    if name:
        return collection.all_named(
            _GROUP, "ServingRuntime", name, obj.namespace
        ) or collection.all_named(_GROUP, "ClusterServingRuntime", name)
    return [
        *collection.within(_GROUP, "ServingRuntime", obj.namespace),
        *collection.of(_GROUP, "ClusterServingRuntime"),
    ]


def _faults(model: dict[str, Any], spec: dict[str, Any], name: str) -> Iterator[UnfitRuntime]:
    if spec.get("disabled") is True:
        yield UnfitRuntime(
            ("runtime",),
            f"runtime `{name}` is disabled: {_FAILS}",
            "set `disabled: false` in the runtime, or name another",
        )
    protocol, protocols = model.get("protocolVersion"), items(spec.get("protocolVersions"))
    if isinstance(protocol, str) and protocols and not _among(protocol, protocols):
        yield UnfitRuntime(
            ("protocolVersion",),
            f"runtime `{name}` does not serve protocol `{protocol}`: {_FAILS}",
            f"write {choice_of([text(name) for name in protocols])}, or add `{protocol}` to "
            "`protocolVersions` of the runtime",
        )
    yield from _format(model, spec, name)
    containers = [text(mapping(entry).get("name")) for entry in items(spec.get("containers"))]
    if containers and not _among(_MAIN, containers):
        yield UnfitRuntime(
            ("runtime",),
            f"runtime `{name}` has no container `{_MAIN}`: {_FAILS}",
            f"name the container of the server `{_MAIN}`",
        )


def _format(model: dict[str, Any], spec: dict[str, Any], name: str) -> Iterator[UnfitRuntime]:
    formats = [mapping(entry) for entry in items(spec.get("supportedModelFormats"))]
    model_format = mapping(model.get("modelFormat"))
    format_name, version = text(model_format.get("name")), model_format.get("version")
    names = [text(entry.get("name")) for entry in formats]
    if not format_name or placeholder(format_name) or _among(format_name, names) is None:
        return
    if not _among(format_name, names):
        some = f"serves {choice_of(names)}, not" if names else "has no `supportedModelFormats`, not"
        yield UnfitRuntime(
            ("modelFormat", "name"),
            f"runtime `{name}` {some} format `{format_name}`: {_FAILS}",
            f"write the format as the runtime has it, or add `{format_name}` to `supportedModelFormats`",
        )
        return
    versions = [
        text(entry.get("version")) for entry in formats if text(entry.get("name")) == format_name
    ]
    if isinstance(version, str) and not _among(version, versions):
        yield UnfitRuntime(
            ("modelFormat", "version"),
            f"runtime `{name}` does not serve version `{version}` of format `{format_name}`: {_FAILS}",
            "remove `version`, which then is any, or add it to `supportedModelFormats`",
        )


def _among(word: str, words: list[Any]) -> bool | None:
    """Return whether a word is listed; true if a template fills it, or a word of the list."""
    return word in words or any(placeholder(text(entry)) for entry in (word, *words))


def _selected_by_nobody(
    obj: Object, path: Path, model: dict[str, Any], context: Context
) -> Iterator[RawFinding]:
    """Yield a model without `runtime` whose format the set's runtimes serve only if they are named."""
    format_name = text(mapping(model.get("modelFormat")).get("name"))
    holders, selected = [], False
    for runtime in _runtimes(obj, context):
        for entry in map(mapping, items(runtime.spec.get("supportedModelFormats"))):
            if format_name and text(entry.get("name")) == format_name:
                holders.append(runtime)
                selected = selected or entry.get("autoSelect") not in (None, False)
    if holders and not selected:
        name = holders[0].name
        yield RawFinding(
            obj.path(*path, "modelFormat", "name"),
            f"no runtime of these files serves `{format_name}` unless `runtime` names it: {_FAILS} if "
            "the cluster has no other",
            note=f"write `runtime: {name}`, or set `autoSelect: true` for the format in the runtime",
            severity="warning",
            confidence="likely",
            related=(
                RelatedPlace(
                    holders[0].number, holders[0].path("metadata", "name"), f"runtime `{name}`"
                ),
            ),
        )
