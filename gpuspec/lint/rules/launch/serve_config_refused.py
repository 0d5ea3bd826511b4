"""A configuration that Ray Serve, or a runtime environment of Ray, does not accept.

Sources: Ray 2.60 serve/schema.py, serve/config.py, runtime_env/runtime_env.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.kinds.ray import JOBS
from gpuspec.lint.analysis.gangs.ray_clusters import SERVE, serve_config
from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU891",
    "serve-config-refused",
    "error",
    "Ray rejects the configuration of Ray Serve or of a runtime environment",
)
_SERVE = "Ray Serve rejects the configuration, and the RayService never becomes ready"
_DEPLOY = (
    *("proxy_location", "http_options", "grpc_options", "controller_options", "logging_config"),
    *("tracing_config", "applications", "target_capacity"),
)
_APPLICATION = (
    *("name", "route_prefix", "import_path", "runtime_env", "host", "port", "deployments"),
    *("autoscaling_policy", "args", "logging_config", "external_scaler_enabled"),
)
_DEPLOYMENT = (
    *("name", "num_replicas", "max_ongoing_requests", "max_queued_requests", "user_config"),
    *("backpressure_config", "autoscaling_config", "graceful_shutdown_wait_loop_s"),
    *("graceful_shutdown_timeout_s", "health_check_period_s", "health_check_timeout_s"),
    *("ray_actor_options", "placement_group_bundles", "placement_group_strategy"),
    *("placement_group_bundle_label_selector", "max_replicas_per_node", "logging_config"),
    *("request_router_config", "gang_scheduling_config", "deployment_actors"),
    *("rolling_update_percentage", "max_surge_percent"),
)
_ACTOR = (
    *("runtime_env", "num_cpus", "num_gpus", "memory", "resources", "accelerator_type"),
    *("label_selector", "fallback_strategy"),
)
_SCALING = (
    *("min_replicas", "initial_replicas", "max_replicas", "target_ongoing_requests"),
    *("metrics_interval_s", "look_back_period_s", "smoothing_factor", "upscale_smoothing_factor"),
    *("downscale_smoothing_factor", "upscaling_factor", "downscaling_factor", "policy"),
    *("downscale_delay_s", "downscale_to_zero_delay_s", "upscale_delay_s", "aggregation_function"),
)
_ENVIRONMENT = (
    *("working_dir", "py_modules", "py_executable", "pip", "uv", "conda", "container", "image_uri"),
    *("env_vars", "config", "worker_process_setup_hook", "nsight", "rocprof-sys", "excludes"),
    *("java_jars", "mpi"),
)
_OLD = {"runtime_environment": "runtime_env", "env": "env_vars", "max_concurrent_queries": ""}


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield the text of a RayService, and of a RayJob's runtime environment."""
    if obj.kind == "RayService":
        yield from _serve(obj)
    elif obj.kind in JOBS:
        yield from _environment(obj)


class ServeFault(NamedTuple):
    """What Ray Serve rejects in its configuration."""

    inside: Path
    message: str
    note: str


def _serve(obj: Object) -> Iterator[RawFinding]:
    config, path = serve_config(obj), obj.path(*SERVE)
    if config is None:
        return
    for fault in _faults(config):
        if placeholder(at(config, fault.inside)) is None:
            message = f"{fault.message}: {_SERVE}"
            yield RawFinding(path, message, note=fault.note, inside=fault.inside)


def _faults(config: dict[str, Any]) -> Iterator[ServeFault]:
    yield from _misspelt(config, (), _DEPLOY)
    applications = [mapping(application) for application in items(config.get("applications"))]
    for field in ("name", "route_prefix"):
        yield from _twice(applications, field)
    for index, application in enumerate(applications):
        yield from _of_application(application, ("applications", index))


def _of_application(application: dict[str, Any], path: Path) -> Iterator[ServeFault]:
    yield from _misspelt(application, path, _APPLICATION)
    yield from _addressed(application, path)
    environment = mapping(application.get("runtime_env"))
    yield from _local(environment, (*path, "runtime_env"))
    deployments = [mapping(deployment) for deployment in items(application.get("deployments"))]
    for index, deployment in enumerate(deployments):
        yield from _of_deployment(deployment, (*path, "deployments", index))


def _of_deployment(deployment: dict[str, Any], path: Path) -> Iterator[ServeFault]:
    actor = mapping(deployment.get("ray_actor_options"))
    scaling = mapping(deployment.get("autoscaling_config"))
    yield from _misspelt(deployment, path, _DEPLOYMENT)
    yield from _misspelt(actor, (*path, "ray_actor_options"), _ACTOR)
    yield from _misspelt(scaling, (*path, "autoscaling_config"), _SCALING)
    number = deployment.get("num_replicas")
    if scaling and isinstance(number, int):
        yield ServeFault(
            (*path, "num_replicas"),
            "`num_replicas` cannot be a number together with `autoscaling_config`",
            "remove `num_replicas`, or write `num_replicas: auto`",
        )
    if number == 0 and not scaling:
        message = "`num_replicas` must be at least 1"
        yield ServeFault((*path, "num_replicas"), message, "set `num_replicas: 1`")
    least, most = scaling.get("min_replicas", 1), scaling.get("max_replicas", 100)
    if isinstance(least, int) and isinstance(most, int) and least > most:
        yield ServeFault(
            (*path, "autoscaling_config", "min_replicas"),
            f"`min_replicas` {least} is more than `max_replicas` {most}",
            f"set `min_replicas` to at most {most}, or raise `max_replicas`",
        )
    if deployment.get("max_replicas_per_node") and deployment.get("placement_group_bundles"):
        yield ServeFault(
            (*path, "max_replicas_per_node"),
            "`max_replicas_per_node` cannot be set together with `placement_group_bundles`",
            "remove one of the two",
        )


def _addressed(application: dict[str, Any], path: Path) -> Iterator[ServeFault]:
    prefix = application.get("route_prefix")
    if isinstance(prefix, str):
        place = (*path, "route_prefix")
        if not prefix.startswith("/"):
            message = f"`route_prefix: {prefix}` does not begin with `/`"
            yield ServeFault(place, message, f"write `/{prefix}`")
        elif len(prefix) > 1 and prefix.endswith("/"):
            message = f"`route_prefix: {prefix}` ends with `/`"
            yield ServeFault(place, message, f"write `{prefix.rstrip('/') or '/'}`")
    target = application.get("import_path")
    if isinstance(target, str) and target and "{" not in target and "$" not in target:
        if target.count(":") > 1 or target[0] in ":." or target[-1] in ":.":
            yield ServeFault(
                (*path, "import_path"),
                f"`import_path: {target}` is not of the form `module:application`",
                "write the module, a colon and the application's variable, such as `serve:app`",
            )
        elif ":" not in target and "." not in target:
            yield ServeFault(
                (*path, "import_path"),
                f"`import_path: {target}` names a module without an application",
                f"add the application's variable, such as `{target}:app`",
            )


def _local(environment: dict[str, Any], path: Path) -> Iterator[ServeFault]:
    """Yield folders that only a client could send."""
    folder = environment.get("working_dir")
    if isinstance(folder, str) and folder and "://" not in folder and "$" not in folder:
        yield ServeFault(
            (*path, "working_dir"),
            f"`working_dir: {folder}` is a local folder, but Ray Serve accepts only remote URIs",
            "write the address of an archive, such as `https://…/app.zip`, or build the code into the image",
        )


def _twice(applications: list[dict[str, Any]], field: str) -> Iterator[ServeFault]:
    values: dict[str, int] = {}
    for index, application in enumerate(applications):
        value = application.get(field)
        if not isinstance(value, str):
            continue
        if value in values:
            place: Path = ("applications", index, field)
            message = f"two applications have `{field}: {value}`"
            yield ServeFault(place, message, f"give one of the two another `{field}`")
        values[value] = index


def _misspelt(
    value: dict[str, Any], path: Path, known_fields: tuple[str, ...]
) -> Iterator[ServeFault]:
    """Yield keys that are surely a slip: other releases of Ray have other fields."""
    for key in value:
        intended = _intended(key, known_fields)
        if intended:
            message = f"`{key}` is not a field of Ray Serve's configuration"
            yield ServeFault((*path, key), message, f"write `{intended}`")


def _intended(key: str, known_fields: tuple[str, ...]) -> str:
    if key in known_fields or key in ("max_concurrent_queries", "bundle_label_selector"):
        return ""
    if _OLD.get(key) in known_fields:
        return _OLD[key]
    lowered = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
    if lowered in known_fields:
        return lowered
    return near(key, known_fields) or ""


def _environment(obj: Object) -> Iterator[RawFinding]:
    inside: Path = (*JOBS[obj.kind], "runtimeEnvYAML")
    environment_text, path = text(at(obj.value, inside)), obj.path(*inside)
    try:
        documents = read(environment_text, "runtimeEnvYAML") if environment_text else []
    except (InputError, ValueError):
        yield RawFinding(
            path,
            "`runtimeEnvYAML` is not valid YAML: KubeRay does not start the job",
            note="correct the YAML",
        )
        return
    value = mapping(documents[0].value) if documents else {}
    for key in value:
        intended = _intended(key, _ENVIRONMENT)
        if intended:
            yield RawFinding(
                path,
                (
                    f"`{key}` does not exist (did you mean `{intended}`?): Ray ignores the key, and "
                    "the job runs without this setting"
                ),
                note=f"write `{intended}`",
                inside=(key,),
                severity="warning",
            )
    installers = [name for name in ("pip", "conda", "uv") if value.get(name)]
    if len(installers) > 1:
        yield RawFinding(
            path,
            f"`{installers[0]}` and `{installers[1]}` cannot be set together: Ray rejects the job",
            note="write `pip` as an item of `dependencies` in `conda`",
            inside=(installers[1],),
        )
