"""By what the pods of one workload are found among all series, and what there are series of."""

from collections.abc import Mapping

import msgspec

from gpuspec.plan import metadata
from gpuspec.plan.case import Case
from gpuspec.plan.devices import MAKER
from gpuspec.plan.observing.promql import POD, selected
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
        """Labels of series of its namespace."""
        return {"namespace": self.namespace, **labels}

    def main(self, **labels: str) -> dict[str, str]:
        """Labels of series of its main containers, and of others in its namespace."""
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
        """What an expression says of its pods alone."""
        return f"{expr} and on ({POD}) {self.pods}"

    @property
    def running(self) -> str:
        """Those of its pods that run."""
        phase = selected("kube_pod_status_phase", self.space(phase="Running"))
        return self.of_them(f"{phase} == 1")


def seen(case: Case) -> Seen:
    """What is told of the pods of a case."""
    spec = case.profile.spec
    labels = spec.metrics.labels if spec.metrics else SeriesLabels()
    selector = metadata.selector(case)
    kind = selector["app.kubernetes.io/component"].value
    of_maker = bool(case.models) and all(each.vendor == MAKER for each in case.models)
    alone = case.offer is None or case.offer.kind in ("whole", "mig")
    return Seen(
        namespace=case.workload.namespace,
        own={labels.namespace: case.workload.namespace, labels.workload: case.name},
        state=STATE in spec.installed,
        gpus=of_maker and alone and any(each in spec.installed for each in DEVICES),
        component=str(kind),
        workload=case.name,
    )
