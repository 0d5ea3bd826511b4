"""The maximum size of a Ray cluster, and the demand of the applications in its Serve configuration.

Sources: Ray 2.60 serve/schema.py, serve/config.py, llm/_internal/serve/core/configs/llm_config.py;
KubeRay 1.7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.kinds.ray import CLUSTERS
from gpuspec.lint.analysis.gangs.rays import group_of
from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import at, items, mapping, text, whole
from gpuspec.numbers import read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object, Pod

SERVE: Path = ("spec", "serveConfigV2")
"""Where a RayService has the configuration of Ray Serve, as a text."""


class ClusterGpus(msgspec.Struct, frozen=True):
    """The GPUs of a Ray cluster at its largest."""

    largest: int
    """Of one Ray node."""
    total: int
    """Of all of them."""


class GpuDemand(msgspec.Struct, frozen=True):
    """The GPUs that one replica of a deployment requests."""

    path: Path
    """Inside the configuration."""
    words: str
    on_one_node: float
    """Those that one Ray node must have."""
    in_all: float
    """Those of the replica, wherever they are."""
    replicas: int
    """The fewest that run."""


def serve_config(obj: Object) -> dict[str, Any] | None:
    """Return the Ray Serve configuration; None if it is missing or not a mapping."""
    config_text = text(at(obj.value, SERVE))
    try:
        documents = read(config_text, "serveConfigV2") if config_text else []
    except (InputError, ValueError):
        return None
    value = documents[0].value if len(documents) == 1 else None
    return value if isinstance(value, dict) else None


def cluster_gpus(obj: Object) -> ClusterGpus | None:
    """Return the maximum GPUs of Ray's nodes; None if unknown."""
    nodes = [pod for pod in obj.pods if group_of(pod) is not None]
    if not nodes or obj.kind not in CLUSTERS:
        return None
    scales = mapping(at(obj.value, CLUSTERS[obj.kind])).get("enableInTreeAutoscaling") is True
    largest, total = 0, 0
    for pod in nodes:
        gpus, count = node_gpus(pod), _most(pod, scales=scales)
        if gpus is None or count is None:
            return None
        if count:
            largest, total = max(largest, gpus), total + gpus * count
    return ClusterGpus(largest, total)


def node_gpus(pod: Pod) -> int | None:
    """Return the GPUs that Ray assumes for a node; None if unknown."""
    group = group_of(pod)
    if group is None or pod.claims or not pod.containers:
        return None
    params = mapping(group.value.get("rayStartParams"))
    if "num-gpus" in params:
        return read_whole(text(params["num-gpus"]))
    devices = pod.containers[0].devices
    if group.value.get("resources") or any(device.count is None for device in devices):
        return None
    return pod.containers[0].gpus


def _most(pod: Pod, *, scales: bool) -> int | None:
    """Return the Ray nodes of a group at most."""
    group = group_of(pod)
    if group is None or group.head:
        return 1
    hosts = whole(group.value.get("numOfHosts"), 1)
    field = "maxReplicas" if scales else "replicas"
    count = whole(group.value.get(field), None if scales else 1)
    return None if hosts is None or count is None else hosts * count


def demands(config: dict[str, Any]) -> Iterator[GpuDemand]:
    """Yield the demand of replicas, as far as it is in the configuration."""
    for index, application in enumerate(map(mapping, items(config.get("applications")))):
        base: Path = ("applications", index)
        for number, deployment in enumerate(map(mapping, items(application.get("deployments")))):
            yield from _of_deployment(deployment, (*base, "deployments", number))
        arguments = mapping(application.get("args"))
        for number, model in enumerate(map(mapping, items(arguments.get("llm_configs")))):
            yield from _of_model(model, (*base, "args", "llm_configs", number))


def _of_deployment(deployment: dict[str, Any], path: Path) -> Iterator[GpuDemand]:
    least = _least(deployment)
    bundles = [
        _number(mapping(bundle).get("GPU", 0))
        for bundle in items(deployment.get("placement_group_bundles"))
    ]
    gpus = _number(mapping(deployment.get("ray_actor_options")).get("num_gpus", 0))
    if bundles:
        if None in bundles:
            return
        sizes = [bundle or 0 for bundle in bundles]
        packed = deployment.get("placement_group_strategy") == "STRICT_PACK"
        together = sum(sizes) if packed else max(sizes)
        words = "`placement_group_bundles`"
        yield GpuDemand((*path, "placement_group_bundles"), words, together, sum(sizes), least)
    elif gpus:
        place = (*path, "ray_actor_options", "num_gpus")
        yield GpuDemand(place, f"`num_gpus: {gpus:g}`", gpus, gpus, least)


def _of_model(model: dict[str, Any], path: Path) -> Iterator[GpuDemand]:
    """Yield the GPUs of an engine in Ray Serve's LLM application, one per placement bundle."""
    engine = mapping(model.get("engine_kwargs"))
    names = ("tensor_parallel_size", "pipeline_parallel_size")
    degrees = [whole(engine.get(name), 1) for name in names]
    if model.get("placement_group_config") or model.get("resources_per_bundle") or None in degrees:
        return
    total = (degrees[0] or 1) * (degrees[1] or 1)
    stated_names = [name for name in names if name in engine]
    if not stated_names:
        return
    words = " × ".join(f"`{name}: {engine[name]}`" for name in stated_names)
    least = _least(mapping(model.get("deployment_config")))
    yield GpuDemand((*path, "engine_kwargs", stated_names[0]), words, 1, total, least)


def _least(deployment: dict[str, Any]) -> int:
    """Return the replicas that run at least."""
    scaling = deployment.get("autoscaling_config")
    if isinstance(scaling, dict):
        return whole(scaling.get("min_replicas"), 1) or 0
    number = whole(deployment.get("num_replicas"), 1)
    return 1 if number is None else number


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
