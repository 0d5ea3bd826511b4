"""Rules for Ray Serve: configurations that it rejects, and replicas that it never places."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping
from gpuspec.spec.inference import InferenceSpec
from gpuspec.spec.quoting import shown
from gpuspec.spec.ray import (
    ACTOR,
    APPLICATION,
    CONFIGURATION,
    DEPLOYMENT,
    NAME,
    PREFIX,
    ConfigPart,
    applications,
    deployments,
    gpus_of_bundles,
    least_gpus,
)
from gpuspec.spec.replicas import Replicas
from gpuspec.spec.rules.violation import SpecViolation

_SERVE: Path = ("spec", "serve")
_RUNTIME: Path = ("spec", "runtime")


def problems(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a Ray Serve configuration or model."""
    if not runtimes.get(spec.runtime).clustered:
        message = f"`serve` needs runtime ray, but the runtime is {spec.runtime}"
        yield SpecViolation(
            message, _SERVE, "set runtime: ray, or delete it", key=True, needs=(_RUNTIME,)
        )
        return
    if spec.serve is None:
        return
    yield from _twice(spec)
    yield from _misspelt(ConfigPart(spec.serve, _SERVE), CONFIGURATION)
    yield from _configuration(spec, spec.serve)
    yield from _applications(applications(spec.serve))
    yield from _never_placed(spec, spec.serve)


def _twice(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Yield fields that the application does not get, because its own arguments set them."""
    is_set = {
        "context": spec.context is not None,
        "parallelism": spec.parallelism != type(spec.parallelism)(),
        "chatTemplate": spec.chat_template is not None,
        "model.quantization": spec.model is not None and spec.model.quantization is not None,
    }
    for field in (field_name for field_name, is_said in is_set.items() if is_said):
        text = f"applications of `serve` do not get `{field}`"
        hint = "set it in an application's `args`, and delete it"
        yield SpecViolation(text, ("spec", *field.split(".")), hint, key=True, needs=(_SERVE,))
    if spec.command or spec.args:
        field = "command" if spec.command else "args"
        text = f"Ray deploys `serve`, but `{field}` starts something else"
        yield SpecViolation(text, ("spec", field), "keep one of them", key=True, needs=(_SERVE,))


def _configuration(spec: InferenceSpec, serve: dict[str, object]) -> Iterator[SpecViolation]:
    if not items(serve.get("applications")):
        text = "`serve` has no `applications`"
        yield SpecViolation(text, _SERVE, "write applications: [{import_path: module:app}]")
    options = mapping(serve.get("http_options"))
    for field, instead in (
        ("port", "write expose.containerPort"),
        ("host", "delete it: Serve listens on all addresses"),
    ):
        if field in options:
            text = f"`http_options.{field}`: probes and the Service follow from it"
            yield SpecViolation(text, (*_SERVE, "http_options", field), instead, key=True)
    if "target_capacity" in serve:
        text = "`target_capacity` is for cluster upgrades"
        yield SpecViolation(text, (*_SERVE, "target_capacity"), "delete it", key=True)


def _applications(config_parts: list[ConfigPart]) -> Iterator[SpecViolation]:
    """Yield applications that Serve rejects."""
    names: dict[str, Path] = {}
    prefixes: dict[str, Path] = {}
    for config_part in config_parts:
        yield from _misspelt(config_part, APPLICATION)
        yield from _import_path(config_part)
        for field in ("host", "port"):
            if field in config_part.value:
                text = f"Serve rejects `{field}` of an application: it is the same for all"
                yield SpecViolation(text, (*config_part.path, field), "delete it", key=True)
        for paths, field, default in ((names, "name", NAME), (prefixes, "route_prefix", PREFIX)):
            value = config_part.value.get(field, default)
            if value is None or not isinstance(value, str):
                continue
            if value in paths:
                text = f"two applications have the {field} {shown(value)}"
                path = (
                    (*config_part.path, field) if field in config_part.value else config_part.path
                )
                yield SpecViolation(text, path, "write another", needs=(paths[value],))
            paths[value] = config_part.path
        for deployment in deployments(config_part):
            yield from _deployment(deployment)


def _import_path(application: ConfigPart) -> Iterator[SpecViolation]:
    import_path = application.value.get("import_path")
    if (
        isinstance(import_path, str)
        and import_path.strip(":.")
        and (":" in import_path or "." in import_path)
    ):
        return
    text = (
        "an application has no `import_path`"
        if import_path is None
        else f"{shown(import_path)} is not an import path"
    )
    path = application.path if import_path is None else (*application.path, "import_path")
    yield SpecViolation(text, path, "write module:app, or module:builder")


def _deployment(deployment: ConfigPart) -> Iterator[SpecViolation]:
    yield from _misspelt(deployment, DEPLOYMENT)
    value = deployment.value
    options = mapping(value.get("ray_actor_options"))
    yield from _misspelt(ConfigPart(options, (*deployment.path, "ray_actor_options")), ACTOR)
    if not isinstance(value.get("name"), str):
        text = "a deployment without a `name` changes nothing in the application"
        yield SpecViolation(text, deployment.path, "set its name: the class or function's")
    has_both = isinstance(value.get("num_replicas"), int) and value.get("autoscaling_config")
    if has_both:
        text = "Serve rejects a number of replicas together with `autoscaling_config`"
        path = (*deployment.path, "num_replicas")
        yield SpecViolation(text, path, "delete it, or set auto", key=True)


def _never_placed(spec: InferenceSpec, serve: dict[str, object]) -> Iterator[SpecViolation]:
    """Yield replicas for which the cluster never has enough GPUs."""
    needs = (("spec", "gpu", "count"), ("spec", "replicas"))
    for application in applications(serve):
        for deployment in deployments(application):
            for requested_gpus, path in gpus_of_bundles(deployment):
                if requested_gpus > spec.gpu.count:
                    text = f"{requested_gpus:g} GPUs for one worker, but each has {spec.gpu.count}"
                    yield SpecViolation(
                        text, path, f"set gpu.count: {requested_gpus:g}, or use fewer", needs=needs
                    )
                    return
    scales = isinstance(spec.replicas, Replicas)
    workers = spec.replicas.max if isinstance(spec.replicas, Replicas) else spec.replicas
    least, available = least_gpus(serve), workers * spec.gpu.count
    if least > available:
        text = f"the deployments need at least {least} GPUs, but {workers} workers have {available}"
        more = -(-least // spec.gpu.count)
        hint = f"set replicas.max: {more}" if scales else f"set replicas: {more}"
        yield SpecViolation(text, (*_SERVE, "applications"), hint, needs=needs)


def _misspelt(part: ConfigPart, known_keys: tuple[str, ...]) -> Iterator[SpecViolation]:
    """Yield keys that Serve ignores and that resemble a known one; other unknown keys may be newer."""
    for key in part.value:
        if key not in known_keys and (hint := did_you_mean(str(key), known_keys, likeness=0.8)):
            text = f"Serve has no `{key}`"
            yield SpecViolation(text, (*part.path, key), hint, key=True)
