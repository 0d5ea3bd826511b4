"""Monitoring: a cluster's monitoring stack; a workload's metrics and objectives."""

from typing import Literal

from gpuspec.numbers import of_digits
from gpuspec.spec.forms import AbsolutePath, LabelName, Latency, Port
from gpuspec.spec.metadata import Labels
from gpuspec.spec.types import Annotated, Model, doc

Scrape = Literal["pod-monitor", "service-monitor", "annotations"]


class Monitoring(Model):
    """The scraping of pods, and the destinations of alerts and dashboards."""

    scrape: Annotated[
        Scrape,
        doc(
            "`pod-monitor`, `service-monitor`: objects of prometheus-operator, which the "
            "OpenTelemetry operator's target allocator also reads. A pod without a Service "
            "always gets a PodMonitor. `annotations`: `prometheus.io/…` on the pods, for a "
            "Prometheus or a collector that discovers pods by them.",
            "pod-monitor",
        ),
    ]
    labels: Annotated[
        Labels,
        doc(
            "Labels by which Prometheus finds monitors and rules.",
            {"release": "kube-prometheus-stack"},
        ),
    ] = {}
    namespace: Annotated[
        LabelName | None,
        doc(
            "Namespace of the cluster-wide rules and dashboard, which `cluster render` "
            "creates. Default: none.",
            "monitoring",
        ),
    ] = None
    dashboards: Annotated[
        Labels,
        doc(
            "Labels by which Grafana's sidecar finds ConfigMaps with dashboards. Empty: no "
            "dashboards.",
            {"grafana_dashboard": "1"},
        ),
    ] = {}


class OwnMetrics(Model):
    """The Prometheus endpoint of a workload's program."""

    port: Annotated[Port, doc("Metrics port, of the main container or of a sidecar.", 9400)]
    path: Annotated[AbsolutePath, doc("Its path.", "/metrics")] = "/metrics"


class Objectives(Model):
    """The service level that 95 of 100 requests to a server must meet."""

    time_to_first_token: Annotated[Latency | None, doc("Time to first token.", "2s", "800ms")] = (
        None
    )
    time_per_output_token: Annotated[Latency | None, doc("Time between two tokens.", "50ms")] = None


def milliseconds(latency: str) -> int:
    """Return a latency field's value in milliseconds."""
    if latency.endswith("ms"):
        return of_digits(latency.removesuffix("ms"))
    return of_digits(latency.removesuffix("s")) * 1000
