"""Rules for arguments of a server that duplicate fields of the spec."""

from collections.abc import Iterator, Mapping

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.spec.inference import InferenceSpec, degrees
from gpuspec.spec.rules.violation import SpecViolation

_RUNTIME: Path = ("spec", "runtime")
# Settings that other parts of the pod follow, and the field that each is said by.
_OWNED = {
    "tensor": "parallelism.tensor",
    "pipeline": "parallelism.pipeline",
    "port": "expose.containerPort",
    "host": "no address: the server listens on all addresses",
}


def problems(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for arguments."""
    yield from _arguments(spec)
    yield from _told(spec)


def _arguments(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Yield arguments that contradict the pod's GPUs, probes or ports; equal values do not."""
    runtime = runtimes.get(spec.runtime)
    settings = {name: getattr(runtime.settings, name, None) for name in _OWNED}
    if runtime.ports:
        settings["port"] = runtime.ports[0].setting
    flags = {
        flag: _OWNED[name]
        for name, setting in settings.items()
        if setting is not None
        for flag in setting.flags
    }
    if runtime.nodes is not None and spec.nodes > 1:
        flags |= {runtimes.flag(word): "nodes" for word in runtime.nodes.flags}
    same = _derived(spec, settings)
    for index, word in enumerate(spec.args):
        flag = runtimes.flag(word)
        if flag in flags and runtimes.value_of(spec.args, index) not in same.get(flag, ()):
            yield SpecViolation(
                f"`{word.partition('=')[0]}` may not be in `args`: probes, ports and GPUs "
                "follow from it",
                ("spec", "args", index),
                f"write {flags[flag]}",
                needs=(_RUNTIME,),
            )


def _derived(
    spec: InferenceSpec, settings: Mapping[str, runtimes.ServerSetting | None]
) -> dict[str, tuple[str, ...]]:
    """Return the values that gpuspec sets itself, by option."""
    runtime, (tensor, pipeline) = runtimes.get(spec.runtime), degrees(spec)
    values: dict[str, tuple[str, ...]] = {"tensor": (str(tensor),), "pipeline": (str(pipeline),)}
    if runtime.ports:
        values["port"] = (str(spec.expose.container_port or runtime.ports[0].number),)
    values["host"] = ("0.0.0.0", "::")  # every address
    return {
        flag: values[name]
        for name, setting in settings.items()
        if setting is not None and name in values
        for flag in setting.flags
    }


def _told(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Yield settings that the server does not support, or that arguments contradict."""
    settings = runtimes.get(spec.runtime).settings
    method = spec.model.quantization if spec.model else None
    yield from _once(spec, method, settings.quantization, ("spec", "model", "quantization"))
    length = None if spec.context is None else str(spec.context)
    yield from _once(spec, length, settings.max_length, ("spec", "context"))


def _once(
    spec: InferenceSpec,
    wanted_value: str | None,
    setting: runtimes.ServerSetting | None,
    path: Path,
) -> Iterator[SpecViolation]:
    if wanted_value is None:
        return
    field = ".".join(map(str, path[1:]))
    if setting is None:
        if runtimes.get(spec.runtime).clustered:
            return  # what makes its cluster tells it
        yield SpecViolation(
            f"runtime {spec.runtime} has no option for `{field}`",
            path,
            "set it in `args`" if spec.runtime == runtimes.CUSTOM else "delete it",
            key=True,
            needs=(_RUNTIME,),
        )
        return
    for index, word in enumerate(spec.args):
        if runtimes.flag(word) not in setting.flags:
            continue
        if (value := runtimes.value_of(spec.args, index)) != wanted_value:
            yield SpecViolation(
                f"`{word.partition('=')[0]}` says {value}, but {field} {wanted_value}",
                ("spec", "args", index),
                "set it once",
                needs=(_RUNTIME, path),
            )
