"""Serving."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.spec.inference import InferenceSpec, Probe, Replicas
from gpuspec.spec.rules.broken import Broken, exactly_one
from gpuspec.spec.rules.devices import memory_problem
from gpuspec.spec.rules.training import model_source

NEEDS_MODEL = ("vllm", "sglang", "tgi", "triton")
# A Deployment's pod is named <name>-<10 characters>-<5 characters>; its name is a label too, and
# the placeholder's name has a suffix of its own.
NAME_LIMIT = 63 - len("-placeholder")


def problems(name: str, spec: InferenceSpec) -> Iterator[Broken]:
    """Broken rules of serving."""
    if len(name) > NAME_LIMIT:
        yield Broken(
            f"the name has {len(name)} characters, {len(name) - NAME_LIMIT} too many",
            ("metadata", "name"),
            "a placeholder is named <name>-placeholder, a DNS label of 63 characters at most",
        )
    yield from _parallelism(spec)
    yield from _replicas(spec)
    yield from _custom(spec)
    yield from _ports(spec)
    for field in ("readiness", "startup", "liveness"):
        probe = getattr(spec.probes, field)
        if probe is not None:
            yield from _probe(probe, ("spec", "probes", field))
    if spec.model is None and spec.runtime in NEEDS_MODEL:
        yield Broken(f"runtime {spec.runtime} needs a `model`", ("spec", "runtime"))
    if spec.latency == "strict" and spec.capacity == "spot":
        yield Broken(
            "strict latency on spot nodes, which go away at short notice",
            ("spec", "capacity"),
            "write latency: relaxed, or capacity: on-demand",
        )
    if spec.model is not None:
        yield from model_source(spec.model, "model")
        if spec.model.size:
            path = ("spec", "model", "size")
            yield from memory_problem(spec.model.size, spec, spec.gpu.count, path)


def _parallelism(spec: InferenceSpec) -> Iterator[Broken]:
    count, asked = spec.gpu.count, spec.parallelism
    path: Path = ("spec", "parallelism")
    if asked.tensor is None:
        if count % asked.pipeline:
            yield Broken(
                f"pipeline {asked.pipeline} does not divide the {count} GPUs of a pod",
                (*path, "pipeline"),
            )
    elif asked.tensor * asked.pipeline != count:
        used = asked.tensor * asked.pipeline
        yield Broken(
            f"tensor {asked.tensor} × pipeline {asked.pipeline} = {used} processes on {count} GPUs",
            (*path, "tensor"),
            f"write gpu.count: {used}" if used > count else f"{count - used} GPUs would idle",
        )


def _replicas(spec: InferenceSpec) -> Iterator[Broken]:
    replicas = spec.replicas
    if isinstance(replicas, int):
        if replicas < 1:
            yield Broken("a service needs a replica", ("spec", "replicas"))
        return
    if replicas.min > replicas.max:
        yield Broken(f"min {replicas.min} is above max {replicas.max}", ("spec", "replicas", "min"))
    yield from _signal(spec, replicas)


def _signal(spec: InferenceSpec, replicas: Replicas) -> Iterator[Broken]:
    if replicas.metric is not None:
        if replicas.target is None and spec.runtime == "custom":
            yield Broken(
                f"`{replicas.metric}` needs a `target`", ("spec", "replicas"), "value per replica"
            )
        return
    metrics = runtimes.get(spec.runtime).metrics
    if metrics is None or getattr(metrics, replicas.signal) is None:
        yield Broken(
            f"runtime {spec.runtime} has no metric for `{replicas.signal}` that we know",
            ("spec", "replicas"),
            "name it: replicas.metric and replicas.target",
        )


def _custom(spec: InferenceSpec) -> Iterator[Broken]:
    if spec.runtime != "custom":
        return
    if spec.expose.port is None and spec.expose.container_port is None:
        yield Broken("runtime custom needs `expose.port`", ("spec", "runtime"))
    if spec.probes.readiness is None:
        yield Broken(
            "runtime custom needs `probes.readiness`",
            ("spec", "runtime"),
            "a path that answers only when the model does",
        )


def _ports(spec: InferenceSpec) -> Iterator[Broken]:
    port, container = spec.expose.port, spec.expose.container_port
    field = "containerPort" if container is not None else "port"
    listens = container if container is not None else (port if spec.runtime == "custom" else None)
    if listens is not None and listens < 1024:
        yield Broken(
            f"a non-root server cannot listen on port {listens}",
            ("spec", "expose", field),
            "let it listen on 1024 or above: expose: {port: 80, containerPort: 8080}",
        )


def _probe(probe: Probe, path: Path) -> Iterator[Broken]:
    names = ("path", "tcp", "grpc", "command")
    # An empty gRPC service name is a choice too.
    if probe.grpc == "" and not (probe.path or probe.tcp or probe.command):
        return
    yield from exactly_one(probe, names, path, "this probe")
