"""Rules for adapters and the chat template: which servers accept them, and from which sources."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.spec.adapters import Adapter
from gpuspec.spec.inference import InferenceSpec, at_least
from gpuspec.spec.rules.references import image
from gpuspec.spec.rules.violation import SpecViolation, exactly_one

_RUNTIME: Path = ("spec", "runtime")
_ADAPTERS: Path = ("spec", "adapters")
_TEMPLATE: Path = ("spec", "chatTemplate")


def problems(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a server's adapters and chat template."""
    yield from _template(spec)
    if not spec.adapters:
        return
    adapters = runtimes.get(spec.runtime).adapters
    if adapters is None:
        untold = runtimes.get(spec.runtime).no_adapters
        yield _untold(spec, "adapters", _ADAPTERS, untold.why if untold else None)
        return
    yield from _in_args(spec, {adapters.option} if adapters.option else set(), _ADAPTERS)
    yield from _in_env(spec, (adapters.variable, adapters.folder))
    if adapters.since is not None and at_least(spec, adapters.since) is False:
        message = f"{spec.runtime} takes adapters by their folder only since {adapters.since}"
        yield SpecViolation(
            message, _ADAPTERS, "use a newer image", key=True, needs=(("spec", "image"),)
        )
    names = {spec.model.id: "the model's"} if spec.model else {}
    for index, adapter in enumerate(spec.adapters):
        path: Path = (*_ADAPTERS, index)
        if name := names.get(adapter.name):
            message = f"the name `{adapter.name}` is {name}"
            yield SpecViolation(
                message, (*path, "name"), "clients distinguish them by name: choose another"
            )
        names.setdefault(adapter.name, "another adapter's")
        yield from _source(spec, adapter, (*path, "source"))
        most = adapters.ranks[-1] if adapters.ranks else None
        if adapter.rank is not None and most is not None and adapter.rank > most:
            message = f"rank {adapter.rank} is above {most}, the maximum of {spec.runtime}"
            yield SpecViolation(message, (*path, "rank"), needs=(_RUNTIME,))


def _source(spec: InferenceSpec, adapter: Adapter, path: Path) -> Iterator[SpecViolation]:
    source = adapter.source
    yield from exactly_one(source, ("pvc", "image", "hub"), path, f"adapter {adapter.name}")
    yield from image(source.image, (*path, "image"))
    if source.hub is None:
        return
    adapters = runtimes.get(spec.runtime).adapters
    if adapters is not None and not adapters.hub:
        message = f"runtime {spec.runtime} cannot download an adapter under a given name"
        hint = "mount it: source: {pvc: …} or {image: …}"
        yield SpecViolation(message, (*path, "hub"), hint, key=True, needs=(_RUNTIME,))
        return
    if source.path is not None:
        message = "`path` needs a claim or an image"
        yield SpecViolation(
            message, (*path, "path"), "delete it", key=True, needs=((*path, "hub"),)
        )
    if spec.model is not None and spec.model.source.hub is None:
        yield SpecViolation(
            "the model's weights are mounted, so the server does not use the hub",
            (*path, "hub"),
            "mount the adapter too: source: {pvc: …}",
            key=True,
            needs=(("spec", "model", "source"),),
        )


def _template(spec: InferenceSpec) -> Iterator[SpecViolation]:
    template, setting = spec.chat_template, runtimes.get(spec.runtime).settings.chat_template
    if template is None:
        return
    if setting is None:
        yield _untold(spec, "chatTemplate", _TEMPLATE)
        return
    yield from exactly_one(template, ("config_map", "path"), _TEMPLATE, "`chatTemplate`")
    if template.key is not None and template.config_map is None:
        needs = ((*_TEMPLATE, "configMap"),)
        message = "`key` needs a ConfigMap, and none is named"
        yield SpecViolation(message, (*_TEMPLATE, "key"), "delete it", key=True, needs=needs)
    yield from _in_args(spec, setting.flags, _TEMPLATE)


def _untold(spec: InferenceSpec, field: str, path: Path, why: str | None = None) -> SpecViolation:
    return SpecViolation(
        f"runtime {spec.runtime} has no option for `{field}`"
        + (f": {why[0].lower()}{why[1:].rstrip('.')}" if why else ""),
        path,
        "set it in `args`" if spec.runtime == runtimes.CUSTOM else "delete it",
        key=True,
        needs=(_RUNTIME,),
    )


def _in_env(spec: InferenceSpec, names: tuple[str | None, ...]) -> Iterator[SpecViolation]:
    for name in names:
        if name is not None and name in spec.env:
            message = f"`{name}` follows from `adapters`"
            path: Path = ("spec", "env", name)
            yield SpecViolation(message, path, "set it once", key=True, needs=(_RUNTIME, _ADAPTERS))


def _in_args(
    spec: InferenceSpec, flags: set[str] | frozenset[str], path: Path
) -> Iterator[SpecViolation]:
    for index, word in enumerate(spec.args):
        if runtimes.flag(word) in flags:
            message = f"`{word.partition('=')[0]}` follows from `{path[1]}`"
            hint = "set it once"
            yield SpecViolation(message, ("spec", "args", index), hint, needs=(_RUNTIME, path))
