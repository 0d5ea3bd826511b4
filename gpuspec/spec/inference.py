"""The continuous kind: Inference."""

from typing import Annotated, Literal

from gpuspec.spec.common import API_VERSION, Metadata, WorkloadSpec
from gpuspec.spec.model_source import ModelRef
from gpuspec.spec.types import Duration, Model, doc, duration


class Parallelism(Model):
    """How one replica of the model is spread over its GPUs."""

    tensor: Annotated[
        int | None, doc("Tensor parallel size. Unset: gpu.count / pipeline.", 4, minimum=1)
    ] = None
    pipeline: Annotated[int, doc("Pipeline parallel size.", 1, minimum=1)] = 1


class Replicas(Model):
    """How many replicas, and on what signal their number changes."""

    min: Annotated[int, doc("Fewest replicas.", 2, minimum=1)]
    max: Annotated[int, doc("Most replicas.", 8, minimum=1)]
    signal: Annotated[
        Literal["queue", "running", "cache"],
        doc(
            "What is measured: requests waiting, requests running, or KV-cache use in percent. Never CPU, "
            "which says nothing about a GPU server.",
        ),
    ] = "queue"
    target: Annotated[
        int | None,
        doc("Value per replica at which one more is added. Unset: the runtime's.", 5, minimum=1),
    ] = None
    metric: Annotated[
        str | None,
        doc("Name of the metric, where the runtime is `custom` or the adapter renames it."),
    ] = None


class Expose(Model):
    """How clients reach the server."""

    port: Annotated[
        int | None,
        doc("Port of the Service. Unset: the runtime's own.", 8000, minimum=1, maximum=65535),
    ] = None
    container_port: Annotated[
        int | None,
        doc(
            "Port that the server listens on, 1024 or above. Unset: the runtime's own.",
            8000,
            minimum=1,
            maximum=65535,
        ),
    ] = None


class Availability(Model):
    """How replicas are spread. Soft by default: hard spread cannot be met when room is tight."""

    zones: Annotated[Literal["soft", "hard", "none"], doc("Spread over zones.")] = "soft"
    nodes: Annotated[
        Literal["soft", "hard", "none"],
        doc("Spread over nodes. None by default: it leaves small holes on many nodes."),
    ] = "none"


class Probe(Model):
    """How a probe asks: exactly one of `path`, `tcp`, `grpc`, `command`."""

    path: Annotated[str | None, doc("HTTP path.", "/health", pattern="^/")] = None
    tcp: Annotated[bool, doc("Only that the port is open: proves little.")] = False
    grpc: Annotated[str | None, doc("Service name of the gRPC health protocol, or empty.")] = None
    command: Annotated[tuple[str, ...], doc("Command that exits 0.", ["cat", "/tmp/ok"])] = ()
    period: Annotated[Duration | None, doc("Time between tries.", "10s")] = None
    timeout: Annotated[Duration | None, doc("Time for one answer.", "5s")] = None
    failures: Annotated[int | None, doc("Failures in a row that count.", 3, minimum=1)] = None


class Probes(Model):
    """Probes that replace the runtime's; the runtime `custom` needs `readiness`."""

    readiness: Annotated[Probe | None, doc("Proves that the model answers.")] = None
    startup: Annotated[Probe | None, doc("Unset: as readiness, with the start-up budget.")] = None
    liveness: Annotated[Probe | None, doc("Unset: the runtime's, or none for `custom`.")] = None


class Startup(Model):
    """What is known about start-up, where the derived budget does not fit."""

    budget: Annotated[
        Duration | None, doc("Time until the startup probe gives up. Unset: derived.", "30m")
    ] = None


class InferenceSpec(WorkloadSpec, kw_only=True):
    """Serving: continuous, replicated, warm."""

    runtime: Annotated[
        Literal["vllm", "sglang", "tgi", "triton", "nim", "custom"],
        doc("The model server; its port, probes, arguments and metrics follow from it."),
    ]
    model: Annotated[ModelRef | None, doc("The model that is served.")] = None
    parallelism: Annotated[Parallelism, doc("How one replica is spread over its GPUs.")] = (
        Parallelism()
    )
    replicas: Annotated[
        int | Replicas,
        doc("A number, or bounds and a signal.", 2, {"min": 2, "max": 8, "signal": "queue"}),
    ] = 1
    latency: Annotated[
        Literal["strict", "relaxed"],
        doc("`strict`: never on a shared GPU, never on spot nodes."),
    ] = "strict"
    expose: Annotated[Expose, doc("How clients reach the server.")] = Expose()
    availability: Annotated[Availability, doc("How replicas are spread.")] = Availability()
    longest_request: Annotated[
        Duration,
        doc("Longest request that must still be answered while draining.", "2m", default="2m"),
    ] = duration("2m")
    startup: Annotated[Startup, doc("Start-up, where the derived budget does not fit.")] = Startup()
    probes: Annotated[Probes, doc("Probes that replace the runtime's.")] = Probes()
    warm: Annotated[
        int,
        doc(
            "Placeholder pods of the same shape and lower priority: room that is kept warm and "
            "given up at once.",
            1,
            minimum=0,
        ),
    ] = 0


class Inference(Model, tag_field="kind", tag="Inference"):
    """A model server on GPUs, rendered as a Deployment with all that it needs."""

    api_version: Annotated[Literal["gpuspec.dev/v1alpha1"], doc("Always " + API_VERSION + ".")]
    metadata: Annotated[Metadata, doc("Name, namespace, labels.")]
    spec: Annotated[InferenceSpec, doc("What to serve and what it needs.")]
