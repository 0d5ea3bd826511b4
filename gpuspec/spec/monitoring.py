"""What is observed: of a cluster, where its monitoring is; of a workload, what it emits and aims at."""

from typing import Literal

from gpuspec.numbers import of_digits
from gpuspec.spec.forms import AbsolutePath, LabelName, Latency, Port
from gpuspec.spec.metadata import Labels
from gpuspec.spec.types import Annotated, Model, doc

Scrape = Literal["pod-monitor", "service-monitor", "annotations"]


class Monitoring(Model):
    """How pods are scraped, and where alerts and dashboards go."""

    scrape: Annotated[
        Scrape,
        doc(
            "`pod-monitor`, `service-monitor`: objects of prometheus-operator, which a target allocator of "
            "the OpenTelemetry operator reads too. A pod that no Service leads to has a PodMonitor anyway. "
            "`annotations`: `prometheus.io/…` of the pods, for a Prometheus or a collector that finds pods "
            "by them.",
            "pod-monitor",
        ),
    ]
    labels: Annotated[
        Labels,
        doc(
            "Labels by which its Prometheus finds monitors and rules.",
            {"release": "kube-prometheus-stack"},
        ),
    ] = {}
    namespace: Annotated[
        LabelName | None,
        doc(
            "Namespace of the rules and the dashboard of the whole cluster, which `cluster render` makes. "
            "Unset: there are none.",
            "monitoring",
        ),
    ] = None
    dashboards: Annotated[
        Labels,
        doc(
            "Labels by which Grafana's sidecar finds ConfigMaps with dashboards. Empty: none are made.",
            {"grafana_dashboard": "1"},
        ),
    ] = {}


class OwnMetrics(Model):
    """Where the program of a workload has metrics for Prometheus."""

    port: Annotated[Port, doc("Its port, of the main container or of a sidecar.", 9400)]
    path: Annotated[AbsolutePath, doc("Its path.", "/metrics")] = "/metrics"


class Objectives(Model):
    """What clients may expect of a server, of which 95 of 100 requests must be true."""

    time_to_first_token: Annotated[
        Latency | None, doc("Until an answer begins.", "2s", "800ms")
    ] = None
    time_per_output_token: Annotated[
        Latency | None, doc("Between two tokens of an answer.", "50ms")
    ] = None


def milliseconds(latency: str) -> int:
    """The milliseconds of a latency as the fields have it."""
    if latency.endswith("ms"):
        return of_digits(latency.removesuffix("ms"))
    return of_digits(latency.removesuffix("s")) * 1000
