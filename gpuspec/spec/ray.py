"""A Ray Serve configuration: applications, their deployments, and the GPUs of these.

Sources: Ray 2.60.0, `ServeDeploySchema` and the schemas that it is made of. Serve ignores unknown
fields, so newer configurations may contain more than is listed here.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping

CONFIGURATION = (
    *("applications", "controller_options", "grpc_options", "http_options", "logging_config"),
    *("proxy_location", "target_capacity", "tracing_config"),
)
APPLICATION = (
    *("args", "autoscaling_policy", "deployments", "external_scaler_enabled", "host"),
    *("import_path", "logging_config", "name", "port", "route_prefix", "runtime_env"),
)
DEPLOYMENT = (
    *("autoscaling_config", "backpressure_config", "deployment_actors", "gang_scheduling_config"),
    *("graceful_shutdown_timeout_s", "graceful_shutdown_wait_loop_s", "health_check_period_s"),
    *("health_check_timeout_s", "logging_config", "max_ongoing_requests", "max_queued_requests"),
    *("max_replicas_per_node", "max_surge_percent", "name", "num_replicas"),
    *("placement_group_bundle_label_selector", "placement_group_bundles"),
    *("placement_group_strategy", "ray_actor_options", "request_router_config"),
    *("rolling_update_percentage", "user_config"),
)
ACTOR = (
    *("accelerator_type", "fallback_strategy", "label_selector", "memory", "num_cpus", "num_gpus"),
    *("object_store_memory", "resources", "runtime_env"),
)
NAME, PREFIX = "default", "/"
"""The default name of an application, and the default prefix of its routes."""


class ConfigPart(msgspec.Struct, frozen=True):
    """A mapping of the configuration, and its path in the spec."""

    value: Mapping[str, Any]
    path: Path


def applications(serve: Mapping[str, Any]) -> list[ConfigPart]:
    """Return the applications of a configuration."""
    path = ("spec", "serve", "applications")
    return _parts(serve.get("applications"), path)


def deployments(application: ConfigPart) -> list[ConfigPart]:
    """Return the deployments in an application's configuration; its code may define more."""
    return _parts(application.value.get("deployments"), (*application.path, "deployments"))


def _parts(value: object, path: Path) -> list[ConfigPart]:
    return [ConfigPart(mapping(item), (*path, index)) for index, item in enumerate(items(value))]


def gpus_of_bundles(deployment: ConfigPart) -> Iterator[tuple[float, Path]]:
    """Yield the GPUs of each placement bundle of a replica, which is on one worker; without
    bundles, those of its actor."""
    bundles = items(deployment.value.get("placement_group_bundles"))
    for index, bundle in enumerate(bundles):
        path = (*deployment.path, "placement_group_bundles", index, "GPU")
        yield _number(mapping(bundle).get("GPU")), path
    if not bundles:
        options = mapping(deployment.value.get("ray_actor_options"))
        path = (*deployment.path, "ray_actor_options", "num_gpus")
        yield _number(options.get("num_gpus")), path


def least_replicas(deployment: ConfigPart) -> int:
    """Return the minimum number of replicas; 0 if its code sets it, or it is not set."""
    number = deployment.value.get("num_replicas")
    if isinstance(number, int) and not isinstance(number, bool):
        return max(number, 0)
    least = mapping(deployment.value.get("autoscaling_config")).get("min_replicas")
    if isinstance(least, int) and not isinstance(least, bool):
        return max(least, 0)
    return 1 if number == "auto" else 0


def least_gpus(serve: Mapping[str, Any]) -> int:
    """Return the minimum number of whole GPUs for all deployments."""
    total = 0.0
    for application in applications(serve):
        for deployment in deployments(application):
            total += least_replicas(deployment) * sum(
                gpus for gpus, _ in gpus_of_bundles(deployment)
            )
    return math.ceil(total)


def _number(value: object) -> float:
    """Return a positive number of GPUs; Serve itself rejects invalid numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return value if math.isfinite(value) and value > 0 else 0
