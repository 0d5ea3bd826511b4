"""A Ray program that requests GPUs which its cluster never has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.enumeration import counted
from gpuspec.kinds.ray import JOBS
from gpuspec.lint.analysis.gangs.ray_clusters import (
    SERVE,
    ClusterGpus,
    GpuDemand,
    cluster_gpus,
    demands,
    node_gpus,
    serve_config,
)
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, mapping, text
from gpuspec.numbers import read_whole
from gpuspec.products.ray_programs import programs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object
    from gpuspec.products.ray_programs import RayProgram

RULE = Rule(
    "GPU890",
    "ray-demand",
    "error",
    "A Ray program asks for more GPUs than its cluster ever has",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield deployments of a RayService, and entrypoints of RayJobs of known programs."""
    cluster = cluster_gpus(obj)
    if cluster is None:
        return
    config = serve_config(obj) if obj.kind == "RayService" else None
    if config is not None:
        yield from _served(obj, config, cluster)
    if obj.kind in JOBS:
        yield from _entrypoint(obj, cluster)


def _served(obj: Object, config: dict[str, Any], cluster: ClusterGpus) -> Iterator[RawFinding]:
    path, all_demands = obj.path(*SERVE), list(demands(config))
    refused = False
    for demand in all_demands:
        why = _unmet(demand, cluster)
        if why and demand.replicas:
            refused = True
            yield RawFinding(
                path,
                why,
                note=f"request at most {counted(cluster.largest, 'GPU')} for a replica, or add larger pods"
                if cluster.largest
                else "request GPUs in the worker groups' pods",
                inside=demand.path,
            )
    total = sum(demand.in_all * demand.replicas for demand in all_demands)
    if not refused and total > cluster.total:
        yield RawFinding(
            path,
            f"the replicas of all applications request {total:g} GPUs, but the cluster has at "
            f"most {cluster.total}: some replicas wait endlessly, and the RayService never "
            "becomes ready",
            note=f"request at most {cluster.total} GPUs in all, or add nodes to the cluster",
            confidence="likely",
        )


def _unmet(demand: GpuDemand, cluster: ClusterGpus) -> str:
    """Return why no replica of a deployment can start; empty if one can."""
    if demand.on_one_node > cluster.largest:
        return (
            f"{demand.words} needs a Ray node with {demand.on_one_node:g} GPUs, but no pod has "
            f"more than {cluster.largest}: no replica starts, and the RayService never becomes "
            "ready"
        )
    if demand.in_all > cluster.total:
        return (
            f"{demand.words} requests {demand.in_all:g} GPUs, but the cluster has at most "
            f"{cluster.total}: no replica starts, and the RayService never becomes ready"
        )
    return ""


def _entrypoint(obj: Object, cluster: ClusterGpus) -> Iterator[RawFinding]:
    yield from _driver(obj, cluster)
    path: Path = (*JOBS[obj.kind], "entrypoint")
    settings = dict(_settings(text(mapping(at(obj.value, path[:-1])).get("entrypoint"))))
    for program in programs():
        if not any(mark in settings for mark in program.marks):
            continue
        most, total = _asked(program, settings)
        if most > cluster.largest:
            demand_text, limit_text = (
                f"{most} GPUs on a node",
                f"no pod has more than {cluster.largest}",
            )
        elif total > cluster.total:
            demand_text, limit_text = f"{total} GPUs", f"the cluster has at most {cluster.total}"
        else:
            continue
        yield RawFinding(
            obj.path(*path),
            (
                f"{program.title} requests {demand_text} from Ray, but {limit_text}: {program.title} "
                "waits or exits at startup"
            ),
            note="request less, or add GPUs to the cluster",
            confidence="likely",
        )


def _driver(obj: Object, cluster: ClusterGpus) -> Iterator[RawFinding]:
    """Yield GPUs of the entrypoint itself that only groups without pods have."""
    inside: Path = (*JOBS[obj.kind], "entrypointNumGpus")
    number = at(obj.value, inside)
    if not isinstance(number, int | float) or isinstance(number, bool):
        return
    node_numbers = [node_gpus(pod) or 0 for pod in obj.pods]
    if cluster.largest < number <= max(node_numbers, default=0):
        yield RawFinding(
            obj.path(*inside),
            f"`entrypointNumGpus: {number:g}` waits for a node of a group with GPUs, but these "
            "groups start with no pod, and no autoscaler adds one: the job never starts",
            note="set `replicas`, or `enableInTreeAutoscaling: true`",
        )


def _asked(program: RayProgram, settings: dict[str, str]) -> tuple[int, int]:
    """Return the GPUs that a program requests on one node at most, and in total."""
    most, total = 0, 0
    if any(option in settings for option in program.unless):
        return most, total
    for part in program.parts:
        numbers = [read_whole(settings.get(name, "")) for name in (part.nodes, part.gpus)]
        if None in numbers:
            continue
        nodes, gpus_each = (number or 0 for number in numbers)
        if part.on_one_node:
            most = max(most, gpus_each)
        total += nodes * gpus_each
    return most, total


def _settings(line: str) -> Iterator[tuple[str, str]]:
    """Yield the options and settings of a command line, and the words that are none."""
    words = line.split()
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if equals:
            yield _plain(name), value
        elif word.startswith("--"):
            yield _plain(word), words[index + 1] if index + 1 < len(words) else ""
        else:
            yield word, ""


def _plain(name: str) -> str:
    return name.replace("_", "-") if name.startswith("--") else name.lstrip("+")
