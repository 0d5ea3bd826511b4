"""The continuous kind: Inference."""

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Meta

from gpuspec import runtimes
from gpuspec.spec.adapters import Adapter, ChatTemplate
from gpuspec.spec.common import Near, QueueName, WorkloadSpec
from gpuspec.spec.containers import Env
from gpuspec.spec.envelope import Gpu, Resources
from gpuspec.spec.exposing import Expose, Rollout
from gpuspec.spec.forms import Positive, Version
from gpuspec.spec.metadata import API_VERSION, Metadata
from gpuspec.spec.model_source import ModelRef
from gpuspec.spec.monitoring import Objectives
from gpuspec.spec.network import Traffic
from gpuspec.spec.probing import Probes, Startup
from gpuspec.spec.replicas import Replicas
from gpuspec.spec.router import Router
from gpuspec.spec.routing import Route
from gpuspec.spec.types import Annotated, Duration, Model, doc, duration

if TYPE_CHECKING:
    RuntimeName = str
else:
    RuntimeName = Literal[runtimes.names()]


class Parallelism(Model):
    """The distribution of one replica of the model over its GPUs: tensor × pipeline = gpu.count ×
    nodes."""

    tensor: Annotated[
        Positive | None,
        doc("Tensor parallel size: GPUs that share each layer. Default: all GPUs ÷ pipeline.", 4),
    ] = None
    pipeline: Annotated[
        Positive | None,
        doc("Pipeline parallel size: groups of layers, one after another. Default: `nodes`.", 1),
    ] = None


ReplicaCount = Annotated[int, Meta(ge=1, le=10_000)]
NodesOfReplica = Annotated[int, Meta(ge=1, le=100)]
Connector = Literal["nixl", "mooncake"]
"""The connector that transfers a KV cache from one server to another."""


class Availability(Model):
    """The spread of replicas. Soft by default, because a hard spread leaves pods pending if nodes
    are short."""

    zones: Annotated[
        Literal["soft", "hard", "none"],
        doc(
            "Spread over zones. `hard`: a replica stays Pending rather than make zones unequal.",
            "soft",
        ),
    ] = "soft"
    nodes: Annotated[
        Literal["soft", "hard", "none"],
        doc("Spread over nodes. `none` by default, since spreading fragments many nodes.", "none"),
    ] = "none"


class Prefill(Model):
    """Pods that only compute prompts and send their KV cache to the server's own pods, which then
    only decode. Unset fields are those of the server's own pods."""

    replicas: Annotated[
        ReplicaCount | Replicas,
        doc(
            "Number of prefill replicas, or bounds and a signal. The server's own "
            "`replicas` decode.",
            4,
            {"min": 2, "max": 8, "signal": "queue"},
        ),
    ] = 1
    nodes: Annotated[
        NodesOfReplica | None,
        doc("Nodes per prefill replica. Default: `nodes` of the server.", 2),
    ] = None
    gpu: Annotated[
        Gpu | None,
        doc(
            "GPUs of one prefill pod. Default: `gpu` of the server.",
            {"models": ["H100-80GB"], "count": 2},
        ),
    ] = None
    parallelism: Annotated[
        Parallelism | None,
        doc(
            "Parallelism of a prefill replica. Default: the server's own, or derived from "
            "`gpu` and `nodes` here.",
            {"tensor": 2},
        ),
    ] = None
    resources: Annotated[
        Resources | None,
        doc(
            "Host resources of prefill pods. Default: `resources` of the server.",
            {"memory": "128Gi"},
        ),
    ] = None
    args: Annotated[
        tuple[str, ...] | None,
        doc(
            "Arguments of prefill pods, which replace the server's `args`. Default: the server's.",
            ["--max-num-batched-tokens=16384"],
        ),
    ] = None
    env: Annotated[
        Env,
        doc(
            "Environment of prefill pods, in addition to the server's `env`; overrides it.",
            {"LOG_LEVEL": "debug"},
        ),
    ] = {}


class InferenceSpec(WorkloadSpec, kw_only=True):
    """Serving: continuous, replicated, warm."""

    runtime: Annotated[
        RuntimeName,
        doc(
            "The model server, which determines port, probes, arguments, metrics and "
            "caches. `custom`: any other server; needs `expose` and `probes.readiness`.",
            "vllm",
        ),
    ]
    version: Annotated[
        Version | None,
        doc(
            "Release of the server in `image`, if the tag does not say it: a digest alone, "
            "or your own tag. Features that an older release lacks are left out, such as "
            "finishing requests after the stop signal.",
            "0.33.0",
        ),
    ] = None
    model: Annotated[
        ModelRef | None,
        doc("The model that is served.", {"id": "org/model-70b", "size": "140Gi"}),
    ] = None
    serve: Annotated[
        dict[str, Any] | None,
        doc(
            "With `runtime: ray`: the applications of Ray Serve, as in its configuration "
            "file, which `serve build` writes. Default: one for `model`, with an "
            "OpenAI-compatible API.",
            {
                "applications": [
                    {"name": "rank", "route_prefix": "/", "import_path": "ranker.app:build"}
                ]
            },
        ),
    ] = None
    adapters: Annotated[
        tuple[Adapter, ...],
        doc(
            "LoRA adapters that are served with the model.",
            [{"name": "sql", "source": {"pvc": "adapters", "path": "sql"}, "rank": 64}],
        ),
    ] = ()
    chat_template: Annotated[
        ChatTemplate | None,
        doc("Chat template that replaces the model's own.", {"configMap": "chat"}),
    ] = None
    context: Annotated[
        Positive | None,
        doc(
            "Maximum context in tokens, prompt and answer together. Default: the model's "
            "own, which must fit in GPU memory.",
            16384,
        ),
    ] = None
    parallelism: Annotated[
        Parallelism,
        doc("How one replica is split over its GPUs.", {"tensor": 4}),
    ] = Parallelism()
    nodes: Annotated[
        NodesOfReplica,
        doc(
            "Nodes per replica, with a pod of `gpu.count` GPUs on each: for a model that "
            "does not fit on one node. The target must support groups of pods.",
            2,
        ),
    ] = 1
    prefill: Annotated[
        Prefill | None,
        doc(
            "Separate pods for prompts, which transfer the KV cache to the server's own "
            "pods for decoding: long prompts no longer delay answers in progress. Default: "
            "each pod does both.",
            {"replicas": 2, "gpu": {"count": 2}},
        ),
    ] = None
    connector: Annotated[
        Connector | None,
        doc(
            "How the KV cache is transferred from `prefill`. Default: the runtime's first option.",
            "nixl",
        ),
    ] = None
    router: Annotated[
        Router | None,
        doc(
            "The router in front of `prefill` and decode, which clients call. Default: the "
            "runtime's own.",
            {"replicas": 3},
        ),
    ] = None
    queue: QueueName = None
    topology: Near = None
    replicas: Annotated[
        ReplicaCount | Replicas,
        doc("A number, or bounds and a signal.", 2, {"min": 2, "max": 8, "signal": "queue"}),
    ] = 1
    latency: Annotated[
        Literal["strict", "relaxed"],
        doc(
            "`strict`: never on spot nodes, which can disappear at short notice, nor on a "
            "time-shared GPU (MPS, time-slicing).",
            "relaxed",
        ),
    ] = "strict"
    objectives: Annotated[
        Objectives,
        doc(
            "Service level objectives. If the profile has `monitoring`, a missed one "
            "raises an alert.",
            {"timeToFirstToken": "2s", "timePerOutputToken": "50ms"},
        ),
    ] = Objectives()
    expose: Annotated[
        Expose, doc("How clients reach the server.", {"port": 80, "containerPort": 8080})
    ] = Expose()
    route: Annotated[
        Route | None,
        doc(
            "Requests that the profile's `gateway` sends to the server, by an HTTPRoute. "
            "Default: none.",
            {"hosts": ["chat.example.com"], "paths": ["/v1"]},
        ),
    ] = None
    network: Annotated[
        Traffic,
        doc(
            "Callers, destinations and partners in addition to the profile's `network`; "
            "without the latter there is no network policy.",
            {"egress": [{"cidr": "10.30.0.0/16", "ports": [6379]}]},
        ),
    ] = Traffic()
    availability: Annotated[Availability, doc("How replicas are spread.", {"zones": "soft"})] = (
        Availability()
    )
    rollout: Annotated[
        Rollout,
        doc("How pods of a new version replace old ones.", {"surge": 1, "unavailable": 1}),
    ] = Rollout()
    longest_request: Annotated[
        Duration,
        doc(
            "Longest request that must still be answered while its pod terminates; the "
            "grace period covers it.",
            "2m",
            default="2m",
        ),
    ] = duration("2m")
    startup: Annotated[
        Startup, doc("Startup, if the derived budget does not fit.", {"budget": "30m"})
    ] = Startup()
    probes: Annotated[
        Probes,
        doc("Probes that replace the runtime's.", {"readiness": {"path": "/ready"}}),
    ] = Probes()
    warm: Annotated[
        int,
        Meta(ge=0, le=10_000),
        doc(
            "Placeholder pods of the same size and lower priority: capacity that is kept "
            "ready and preempted at once. The profile names their PriorityClass.",
            1,
        ),
    ] = 0


def is_own_image(spec: InferenceSpec) -> bool:
    """Return whether the image is not known to be the runtime's, and may contain another server."""
    custom = spec.runtime == runtimes.CUSTOM
    return not custom and not runtimes.is_image_of(spec.runtime, spec.image)


def at_least(spec: InferenceSpec, since: str) -> bool | None:
    """Return whether the server has release `since` or newer; None if its release is unknown."""
    return runtimes.at_least(spec.image, since, spec.version)


def connector_of(spec: InferenceSpec) -> runtimes.Connector | None:
    """Return the connector from prefill to decode; None if each pod does both, or the server is not
    known to support it."""
    disaggregation = runtimes.get(spec.runtime).disaggregation
    return disaggregation.connector(spec.connector) if disaggregation and spec.prefill else None


def degrees(spec: InferenceSpec) -> tuple[int, int]:
    """Return the tensor and pipeline parallel sizes: tensor parallel within a node, pipeline stages
    across nodes.

    If stages cannot transfer their part of the cache, tensor parallel across all nodes.
    """
    parallelism, connector = spec.parallelism, connector_of(spec)
    stages = 1 if connector is not None and not connector.stages else spec.nodes
    pipeline = parallelism.pipeline or stages
    return parallelism.tensor or spec.gpu.count * spec.nodes // pipeline, pipeline


class Inference(Model, tag_field="kind", tag="Inference"):
    """A model server on GPUs with all the objects it needs; a Deployment by default."""

    api_version: Annotated[Literal["gpuspec.dev/v1alpha1"], doc("Always " + API_VERSION + ".")]
    metadata: Annotated[Metadata, doc("Name, namespace and labels.")]
    spec: Annotated[InferenceSpec, doc("What to serve and what it needs.")]
