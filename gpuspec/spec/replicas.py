"""The number of replicas of a server, and the metric that changes it."""

from typing import Literal

from gpuspec.spec.forms import Natural, NonEmpty, Positive, SeriesLabel
from gpuspec.spec.types import Annotated, Model, doc


class DescribedObject(Model):
    """An object of the workload's namespace that a metric describes."""

    kind: Annotated[NonEmpty, doc("Its kind.", "InferencePool", "Service")]
    name: Annotated[NonEmpty, doc("Its name.", "chat")]
    api_version: Annotated[NonEmpty, doc("Its API.", "inference.networking.k8s.io/v1")] = "v1"


class ExternalSeries(Model):
    """A series of something outside the namespace."""

    labels: Annotated[
        dict[SeriesLabel, NonEmpty],
        doc(
            "Labels that select the server's series of the metric.",
            {"name": "chat", "namespace": "serving"},
        ),
    ] = {}


class MetricFrom(Model):
    """The source of a metric that the servers do not emit: exactly one field."""

    object: Annotated[
        DescribedObject | None,
        doc(
            "An object whose metric the adapter of `custom-metrics` serves.",
            {"kind": "Service", "name": "gateway"},
        ),
    ] = None
    external: Annotated[
        ExternalSeries | None,
        doc(
            "Anything else, by labels: a gateway, a picker, a queue. For "
            "`external-metrics` and `keda`.",
            {"labels": {"name": "chat"}},
        ),
    ] = None
    query: Annotated[
        NonEmpty | None,
        doc(
            "PromQL that returns one number for all replicas together, if the sum of a "
            "metric does not suffice; replaces `metric`. For `keda`.",
            'sum(rate(http_requests_total{backend="chat"}[2m]))',
        ),
    ] = None


class Replicas(Model):
    """The number of replicas, and the metric that changes it."""

    min: Annotated[
        Natural,
        doc(
            "Minimum number of replicas. 0: none without requests, which needs a metric "
            "from outside the servers (`metricFrom`), or a Knative target, which counts "
            "requests in front of them.",
            2,
        ),
    ]
    max: Annotated[Positive, doc("Most replicas.", 8)]
    signal: Annotated[
        Literal["queue", "running", "cache"],
        doc(
            "The measured value: waiting requests, running requests, or KV cache use in "
            "percent. Never CPU, which says nothing about a GPU server.",
            "queue",
        ),
    ] = "queue"
    target: Annotated[
        Positive | None,
        doc(
            "Value per replica above which one more is added: requests, or percent for "
            "`cache`. Default: the runtime's for `queue`, 64 for `running`, 80 for `cache`.",
            5,
        ),
    ] = None
    metric: Annotated[
        NonEmpty | None,
        doc(
            "Name of the metric, for runtime `custom` or a different metric. Replaces `signal`.",
            "myserver_queue_length",
        ),
    ] = None
    metric_from: Annotated[
        MetricFrom | None,
        doc(
            "What emits `metric`. Default: each of the servers its own part.",
            {"external": {"labels": {"name": "chat"}}},
        ),
    ] = None
    activation: Annotated[
        Positive | None,
        doc(
            "With `min: 0`: the total value above which the first replica starts, and "
            "below which the last one stops. Default: any value above 0.",
            2,
        ),
    ] = None
