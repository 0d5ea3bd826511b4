"""The source of a cluster's autoscaling metrics."""

from typing import Literal

from gpuspec.spec.forms import HttpAddress, ObjectName, SeriesLabel
from gpuspec.spec.metadata import Labels
from gpuspec.spec.types import Annotated, Model, doc


class Authentication(Model):
    """KEDA's authentication with Prometheus."""

    name: Annotated[ObjectName, doc("Name of a ClusterTriggerAuthentication.", "prometheus")]
    modes: Annotated[
        tuple[Literal["basic", "bearer", "custom", "oauth", "tls"], ...],
        doc(
            "Which of its credentials to send. Empty: none, as for a cloud identity.",
            ["bearer"],
        ),
    ] = ()


class Prometheus(Model):
    """A Prometheus, or a compatible server."""

    address: Annotated[
        HttpAddress,
        doc("Its URL, as seen from KEDA.", "http://prometheus.monitoring.svc:9090"),
    ]
    authentication: Annotated[
        Authentication | None,
        doc("Default: no authentication.", {"name": "prometheus", "modes": ["bearer"]}),
    ] = None


class SeriesLabels(Model):
    """The labels by which a pod's series are selected."""

    namespace: Annotated[
        SeriesLabel, doc("The label that contains the namespace.", "namespace")
    ] = "namespace"
    workload: Annotated[
        SeriesLabel,
        doc(
            "The label that contains the workload's name, as the pod label "
            "`app.kubernetes.io/name` does.",
            "app_kubernetes_io_name",
        ),
    ] = "app_kubernetes_io_name"


class Metrics(Model):
    """The source of autoscaling metrics."""

    source: Annotated[
        Literal["custom-metrics", "external-metrics", "keda"],
        doc(
            "`custom-metrics`: an adapter that serves custom.metrics.k8s.io. "
            "`external-metrics`: one that serves external.metrics.k8s.io. `keda`: KEDA, "
            "which queries `prometheus`, and creates the autoscaler from a ScaledObject."
        ),
    ]
    names: Annotated[
        Labels,
        doc(
            "New names of a server's metrics, if the adapter or a Prometheus rule renames them.",
            {"vllm:num_requests_waiting": "vllm_num_requests_waiting"},
        ),
    ] = {}
    prometheus: Annotated[
        Prometheus | None,
        doc("The server that KEDA queries.", {"address": "http://prometheus.monitoring.svc:9090"}),
    ] = None
    labels: Annotated[
        SeriesLabels,
        doc(
            "Labels that identify the pods of one workload in its metrics. For "
            "`external-metrics` and `keda`.",
            {"workload": "app_kubernetes_io_name"},
        ),
    ] = SeriesLabels()
