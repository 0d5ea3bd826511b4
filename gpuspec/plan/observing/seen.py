"""By what the pods of one workload are found among all series, and what there are series of."""

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
"""Components that bring what counts of NVIDIA's GPUs."""


class Seen(msgspec.Struct, frozen=True):
    """What is told of a workload's pods, by whom, and how it is asked for."""

    namespace: str
    own: Mapping[str, str]
    """Labels of the series that the pods emit themselves."""
    state: bool
    """Whether Kubernetes' objects are counted."""
    gpus: bool
    """Whether its GPUs are counted, and are its own alone."""
    component: str
    workload: str

    def space(self, **labels: str) -> dict[str, str]:
        """Return labels of series of its namespace."""
        return {"namespace": self.namespace, **labels}

    def main(self, **labels: str) -> dict[str, str]:
        """Return labels of series of its main containers, and of others in its namespace."""
        return self.space(container=MAIN_CONTAINER, **labels)

    @property
    def pods(self) -> str:
        """Its pods, as kube-state-metrics tells of their labels."""
        found = {
            "label_app_kubernetes_io_name": self.workload,
            "label_app_kubernetes_io_component": self.component,
        }
        return selected("kube_pod_labels", self.space(**found))

    def of_them(self, expr: str) -> str:
        """Return what an expression says of its pods alone."""
        return f"{expr} and on ({POD}) {self.pods}"

    @property
    def running(self) -> str:
        """Those of its pods that run."""
        phase = selected("kube_pod_status_phase", self.space(phase="Running"))
        return self.of_them(f"{phase} == 1")


def seen(resolution: Resolution) -> Seen:
    """Return what is told of the pods of a resolution."""
    spec = resolution.profile.spec
    labels = spec.metrics.labels if spec.metrics else SeriesLabels()
    selector = metadata.selector(resolution)
    kind = selector["app.kubernetes.io/component"].value
    of_maker = bool(resolution.models) and all(model.vendor == MAKER for model in resolution.models)
    alone = resolution.device_option is None or resolution.device_option.kind in ("whole", "mig")
    return Seen(
        namespace=resolution.workload.namespace,
        own={labels.namespace: resolution.workload.namespace, labels.workload: resolution.name},
        state=STATE in spec.installed,
        gpus=of_maker and alone and any(device in spec.installed for device in DEVICES),
        component=str(kind),
        workload=resolution.name,
    )
