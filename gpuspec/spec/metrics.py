"""Where a cluster's autoscalers have their metrics from."""

from typing import Literal

from gpuspec.spec.forms import HttpAddress, ObjectName, SeriesLabel
from gpuspec.spec.metadata import Labels
from gpuspec.spec.types import Annotated, Model, doc


class Authentication(Model):
    """How KEDA shows Prometheus who it is."""

    name: Annotated[ObjectName, doc("Name of a ClusterTriggerAuthentication.", "prometheus")]
    modes: Annotated[
        tuple[Literal["basic", "bearer", "custom", "oauth", "tls"], ...],
        doc(
            "What of it is sent. Empty: nothing, as for the identity of a cloud that it may name.",
            ["bearer"],
        ),
    ] = ()


class Prometheus(Model):
    """A Prometheus, or what answers as one."""

    address: Annotated[
        HttpAddress,
        doc("Its address, as KEDA reaches it.", "http://prometheus.monitoring.svc:9090"),
    ]
    authentication: Annotated[
        Authentication | None,
        doc("Unset: it answers everybody.", {"name": "prometheus", "modes": ["bearer"]}),
    ] = None


class SeriesLabels(Model):
    """Labels of a pod's series, by which they are found."""

    namespace: Annotated[SeriesLabel, doc("The one that has its namespace.", "namespace")] = (
        "namespace"
    )
    workload: Annotated[
        SeriesLabel,
        doc(
            "The one that has what the pod's label `app.kubernetes.io/name` has, the workload's name.",
            "app_kubernetes_io_name",
        ),
    ] = "app_kubernetes_io_name"


class Metrics(Model):
    """Where autoscalers have their metrics from."""

    source: Annotated[
        Literal["custom-metrics", "external-metrics", "keda"],
        doc(
            "`custom-metrics`: an adapter that serves custom.metrics.k8s.io. `external-metrics`: one that "
            "serves external.metrics.k8s.io. `keda`: KEDA, which asks `prometheus`, and makes the "
            "autoscaler of a ScaledObject."
        ),
    ]
    names: Annotated[
        Labels,
        doc(
            "How the adapter, or a rule of Prometheus, names a server's series, where it renames them.",
            {"vllm:num_requests_waiting": "vllm_num_requests_waiting"},
        ),
    ] = {}
    prometheus: Annotated[
        Prometheus | None,
        doc("Whom KEDA asks.", {"address": "http://prometheus.monitoring.svc:9090"}),
    ] = None
    labels: Annotated[
        SeriesLabels,
        doc(
            "By which labels the series of one workload's pods are found. For `external-metrics` and "
            "`keda`.",
            {"workload": "app_kubernetes_io_name"},
        ),
    ] = SeriesLabels()
