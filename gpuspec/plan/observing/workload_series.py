"""Labels by which the series of one workload are selected, and the exporters that emit them."""

from collections.abc import Mapping

import msgspec

from gpuspec.plan import metadata
from gpuspec.plan.devices import MAKER
from gpuspec.plan.observing.promql import POD, selected
from gpuspec.plan.resolution import Resolution
from gpuspec.spec.layout import MAIN_CONTAINER
from gpuspec.spec.metrics import SeriesLabels

STATE = "kube-state-metrics"
DEVICES = ("dcgm-exporter", "gpu-operator")
"""Components that install the exporter of NVIDIA's GPUs."""


class WorkloadSeries(msgspec.Struct, frozen=True):
    """The series of a workload's pods, by exporter, and how to select them."""

    namespace: str
    own: Mapping[str, str]
    """Labels of the series that the pods emit themselves."""
    state: bool
    """Whether the profile has kube-state-metrics."""
    gpus: bool
    """Whether its GPUs are monitored, and no other pod shares them."""
    component: str
    workload: str

    def space(self, **labels: str) -> dict[str, str]:
        """Return labels of series of its namespace."""
        return {"namespace": self.namespace, **labels}

    def main(self, **labels: str) -> dict[str, str]:
        """Return labels of series of its main containers, which also match others in its
        namespace."""
        return self.space(container=MAIN_CONTAINER, **labels)

    @property
    def pods(self) -> str:
        """Its pods, by kube-state-metrics' series of labels."""
        labels = {
            "label_app_kubernetes_io_name": self.workload,
            "label_app_kubernetes_io_component": self.component,
        }
        return selected("kube_pod_labels", self.space(**labels))

    def of_them(self, expr: str) -> str:
        """Return an expression limited to its pods."""
        return f"{expr} and on ({POD}) {self.pods}"

    @property
    def running(self) -> str:
        """Its running pods."""
        phase = selected("kube_pod_status_phase", self.space(phase="Running"))
        return self.of_them(f"{phase} == 1")


def workload_series(resolution: Resolution) -> WorkloadSeries:
    """Return the series of the pods of a resolution."""
    spec = resolution.profile.spec
    labels = spec.metrics.labels if spec.metrics else SeriesLabels()
    selector = metadata.selector(resolution)
    kind = selector["app.kubernetes.io/component"].value
    of_maker = bool(resolution.models) and all(model.vendor == MAKER for model in resolution.models)
    alone = resolution.device_option is None or resolution.device_option.kind in ("whole", "mig")
    return WorkloadSeries(
        namespace=resolution.workload.namespace,
        own={labels.namespace: resolution.workload.namespace, labels.workload: resolution.name},
        state=STATE in spec.installed,
        gpus=of_maker and alone and any(device in spec.installed for device in DEVICES),
        component=str(kind),
        workload=resolution.name,
    )
