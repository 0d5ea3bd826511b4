"""Rules for serving."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.spec.inference import InferenceSpec, at_least, degrees
from gpuspec.spec.monitoring import Objectives
from gpuspec.spec.network import Traffic
from gpuspec.spec.replicas import Replicas
from gpuspec.spec.rules import (
    adapters,
    amounts,
    arguments,
    devices,
    environment,
    names,
    ports,
    probing,
    rollout,
    weights,
)
from gpuspec.spec.rules.devices import acceptable_models
from gpuspec.spec.rules.violation import SpecViolation

_PARALLELISM: Path = ("spec", "parallelism")
_RUNTIME: Path = ("spec", "runtime")


def problems(name: str, spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for serving."""
    yield from names.service_name(name, spec.expose.name, spec.warm)
    yield from _version(spec)
    yield from _of_pods(spec)
    if spec.topology is not None:
        from gpuspec.spec.rules import near

        yield from near.problems(spec)
    yield from ports.problems(spec)
    yield from rollout.problems(spec.rollout)
    if spec.network != Traffic():
        from gpuspec.spec.rules import network

        yield from network.traffic(spec.network)
    if spec.objectives != Objectives():
        from gpuspec.spec.rules import monitoring

        yield from monitoring.objectives(spec)
    yield from adapters.problems(spec)
    yield from probing.problems(spec)
    if spec.model is None and runtimes.get(spec.runtime).needs_model:
        message = f"runtime {spec.runtime} needs a `model`"
        yield SpecViolation(
            message, _RUNTIME, "write model: {id: …, size: …}", needs=(("spec", "model"),)
        )
    if spec.latency == "strict" and spec.capacity == "spot":
        yield SpecViolation(
            "strict latency on spot nodes, which can be reclaimed at short notice",
            ("spec", "capacity"),
            "write latency: relaxed, or capacity: on-demand",
            needs=(("spec", "latency"),),
        )
    if spec.model is not None:
        yield from weights.source(spec.model, "model")
        yield from _hub(spec)
        yield from _file(spec)
    if spec.prefill or spec.connector or spec.router:
        from gpuspec.spec.rules import disaggregation

        yield from disaggregation.problems(name, spec, _of_any_pods)


def _of_pods(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Yield violations of a server's pods and of its prefill pods."""
    yield from _parallelism(spec)
    yield from _nodes(spec)
    if isinstance(spec.replicas, Replicas):
        from gpuspec.spec.rules import replicas

        yield from replicas.problems(spec.runtime, spec.replicas)
    if spec.model is not None:
        yield from weights.memory(spec.model, spec, "model", spec.gpu.count * spec.nodes)
    yield from arguments.problems(spec)
    if spec.serve is not None or runtimes.get(spec.runtime).clustered:
        # Imported only for specs that are: start-up counts.
        from gpuspec.spec.rules import ray

        yield from ray.problems(spec)


def _of_any_pods(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Yield the same, and violations that any workload's pods can have."""
    yield from _of_pods(spec)
    yield from devices.problems(spec)
    yield from amounts.resources(spec.resources)
    yield from environment.problems(spec.env, spec.env_from, ("spec",))


def _version(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Check that the release can be parsed, and that the published image does not contradict it."""
    path = ("spec", "version")
    if spec.version is None:
        return
    if spec.runtime == runtimes.CUSTOM:
        message = "releases of a custom server are unknown"
        yield SpecViolation(message, path, "delete it", key=True, needs=(_RUNTIME,))
        return
    release = runtimes.version_of(spec.version)
    if release is None:
        message = f"`version` is {spec.version}, which is not a release"
        yield SpecViolation(message, path, "write at least major.minor, such as 0.33.0")
        return
    tagged = runtimes.version(spec.image)
    published = runtimes.is_image_of(spec.runtime, spec.image)
    if published and tagged is not None and tagged[:2] != release[:2]:
        message = f"`version` is {spec.version}, but the image's tag says another"
        yield SpecViolation(
            message, path, "delete it: the tag is enough", needs=(("spec", "image"),)
        )


def _parallelism(spec: InferenceSpec) -> Iterator[SpecViolation]:
    count = spec.gpu.count * spec.nodes
    tensor, (_, pipeline) = spec.parallelism.tensor, degrees(spec)
    needs = (("spec", "gpu", "count"), ("spec", "nodes"), _PARALLELISM)
    if tensor is None:
        if count % pipeline:
            whose = "a pod" if spec.nodes == 1 else f"{spec.nodes} pods"
            yield SpecViolation(
                f"pipeline {pipeline} does not divide the {count} GPUs of {whose}",
                (*_PARALLELISM, "pipeline"),
                f"write a divisor of {count}, or another gpu.count",
                needs=needs,
            )
    elif tensor * pipeline not in (count, *(count * cores for cores in _cores(spec))):
        used = tensor * pipeline
        gpus = "GPU" if count == 1 else "GPUs"
        idle = count - used
        right = (
            f"gpu.count: {used}"
            if spec.nodes == 1
            else "parallelism degrees whose product is their number"
        )
        yield SpecViolation(
            f"tensor {tensor} × pipeline {pipeline} = {used} processes on {count} {gpus}",
            (*_PARALLELISM, "tensor"),
            f"write {right}"
            if used > count
            else f"{idle} {'GPU' if idle == 1 else 'GPUs'} would sit idle: set {right}",
            needs=needs,
        )
    runtime = runtimes.get(spec.runtime)
    settings, parallel = runtime.settings, runtime.parallel
    flags = {runtimes.flag(word) for word in spec.args}
    if (
        count > 1
        and parallel
        and parallel.alone
        and settings.tensor is None
        and not flags & {*parallel.data}
    ):
        yield SpecViolation(
            f"{runtime.title} computes on one GPU, and {count - 1} of {count} would sit idle",
            ("spec", "gpu", "count"),
            "set gpu.count: 1, and more replicas",
            needs=(_RUNTIME, ("spec", "args")),
        )
    for field, degree in (("tensor", tensor or 1), ("pipeline", spec.parallelism.pipeline or 1)):
        if degree > 1 and getattr(settings, field) is None and not runtime.clustered:
            yield SpecViolation(
                f"runtime {spec.runtime} has no option for `{field}`",
                (*_PARALLELISM, field),
                "set it in `args`" if spec.runtime == runtimes.CUSTOM else "delete it",
                key=True,
                needs=(_RUNTIME,),
            )


def _cores(spec: InferenceSpec) -> set[int]:
    """Return the largest number of processes for one device of the named models."""
    return {model.cores for model in acceptable_models(spec)} if spec.gpu.models else set()


def _nodes(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Yield violations for servers that span several nodes: unsupported servers, and features of
    single pods."""
    if spec.nodes == 1:
        return
    runtime = runtimes.get(spec.runtime)
    if runtime.nodes is None:
        message = f"runtime {spec.runtime} does not support several nodes"
        yield SpecViolation(message, ("spec", "nodes"), "delete it", key=True, needs=(_RUNTIME,))
        return
    since = runtime.nodes.since
    if since is not None and at_least(spec, since) is False:
        message = f"{runtime.title} supports several nodes by itself since {since}"
        yield SpecViolation(
            message, ("spec", "image"), "use a newer one", needs=(("spec", "nodes"),)
        )
    if spec.warm:
        message = "placeholders reserve room for single pods, but a replica has several"
        yield SpecViolation(
            message, ("spec", "warm"), "delete it", key=True, needs=(("spec", "nodes"),)
        )


def _file(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Check that a server which loads a single file is told its name if weights are mounted: in the
    source, or in `args`."""
    runtime, source = runtimes.get(spec.runtime), spec.model.source if spec.model else None
    ending = runtime.weights.file if runtime.weights else None
    path = runtime.settings.path
    if source is None or source.hub is not None or ending is None or path is None:
        return
    if (source.path or "").endswith(ending) or path.flags & set(map(runtimes.flag, spec.args)):
        return
    yield SpecViolation(
        f"runtime {spec.runtime} takes a single file, not a folder",
        ("spec", "model", "source"),
        f"set its path within the volume or image: source: {{path: model{ending}}}",
        needs=(_RUNTIME, ("spec", "args")),
    )


def _hub(spec: InferenceSpec) -> Iterator[SpecViolation]:
    """Check that the runtime downloads models if the source is a hub."""
    hub = spec.model.source.hub if spec.model else None
    runtime = runtimes.get(spec.runtime)
    if hub is not None and not runtime.downloads:
        on_request = runtime.weights is not None and runtime.weights.on_request
        downloads = "downloads what clients request" if on_request else "downloads none"
        yield SpecViolation(
            f"runtime {spec.runtime} serves a model repository and {downloads}",
            ("spec", "model", "source"),
            "write source: {pvc: …} or {image: …}",
            needs=(_RUNTIME,),
        )
        return
    settings = runtime.settings
    if (
        hub is not None
        and spec.model
        and spec.model.revision
        and settings.model
        and not settings.revision
    ):
        yield SpecViolation(
            f"runtime {spec.runtime} has no option for a revision: it downloads the newest",
            ("spec", "model", "revision"),
            "delete it, or mount the weights: source: {pvc: …}",
            key=True,
            needs=(_RUNTIME,),
        )
    if hub is None or not hub.token_secret or (runtime.weights and runtime.weights.token):
        return
    yield SpecViolation(
        f"runtime {spec.runtime} cannot download",
        ("spec", "model", "source", "hub", "tokenSecret"),
        f"pass the token by `env`: HF_TOKEN: {{secret: {hub.token_secret}, key: {hub.token_key}}}",
        key=True,
        needs=(_RUNTIME,),
    )
