"""InferenceService (KServe 0.20) in its Standard mode: continuous servers. Sources: its CRD, its
webhooks and its controller.

The predictor is a container of the workload. If the profile names a runtime of the platform, the
predictor is a model of that runtime, and KServe merges the workload's fields over the runtime's.
"""

from collections.abc import Mapping

import msgspec

from gpuspec.plan import platform
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_spec
from gpuspec.plan.distribution import least_replicas, most_replicas
from gpuspec.plan.facets import NodeMap, Part, PodPlan
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Target, TargetInput
from gpuspec.spec import InferenceSpec
from gpuspec.targets import _kserve, _kserve_model
from gpuspec.targets._deployments import strategy
from gpuspec.targets._kserve_model import ModelPlan


class KServePlan(msgspec.Struct, frozen=True):
    """An InferenceService; what its webhook would fill in is written out."""

    annotations: NodeMap
    least: PlanPart
    most: PlanPart
    strategy: PlanPart
    pod: PodPlan
    model: ModelPlan | None = None
    """None if the predictor is a container of the workload."""


def _fields(of: TargetInput) -> Mapping[str, Part]:
    spec = of.resolution.spec
    assert isinstance(spec, InferenceSpec)
    (server,) = of.roles.values()
    pod = _kserve.named(server.pod)
    starter = platform.starter(of.resolution, TARGET)
    model = _kserve_model.model(of.resolution, starter, pod) if starter else None
    plan = KServePlan(
        annotations={
            **_kserve.kept(of.meta.workload_annotations),
            **_told(of.replicas),
        },
        # Without an autoscaler the fewest are how many there are.
        least=of.replicas or _bound(least_replicas(spec), "min", "the minimum number of replicas"),
        most=of.replicas or _bound(most_replicas(spec), "max", "the maximum number of replicas"),
        strategy=strategy(of.resolution, spec),
        pod=_kserve_model.beside(pod) if model else pod,
        model=model,
    )
    return {"kserve": plan}


def _told(replicas: PlanPart) -> dict[str, Decision]:
    """Return how it is deployed, and what scales it. By default KServe scales by CPU, which does
    not show the load of a GPU."""
    scaled, why = (
        ("external", "the rendered autoscaler scales by the server's own metric")
        if replicas is None
        else ("none", "no autoscaler by CPU, which does not show the load of a GPU")
    )
    return {
        f"{_kserve.KSERVE}autoscalerClass": derived("kserve", scaled, why),
        **_kserve.mode("Standard", "a Deployment, which passes on every field of the pod"),
    }


def _bound(number: int, end: str, why: str) -> Decision:
    return from_spec(("spec", "replicas", end), number, why)


def _refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for names that KServe does not accept, and for fields that it does not
    pass on."""
    spec, workload = resolution.spec, resolution.workload
    assert isinstance(spec, InferenceSpec)
    reasons = _kserve.too_long(resolution, "a label of its pods", "isvc.<name>-predictor")
    if (starter := platform.starter(resolution, TARGET)) is not None:
        reasons += _kserve_model.refused(resolution, starter)
    if spec.rollout.deadline is not None:
        text = "KServe does not pass `rollout.deadline` on to its Deployment"
        place = workload.place(("spec", "rollout", "deadline"))
        reasons.append(RefusalReason(text, place, "delete `rollout.deadline`"))
    return reasons


def _notes(resolution: Resolution) -> list[Note]:
    text = (
        f"clients can also connect to the Service {resolution.name}-predictor, port 80, which "
        "KServe creates, or to its external address"
    )
    starter = platform.starter(resolution, TARGET)
    notes = _kserve_model.notes(resolution, starter) if starter else []
    return [Note(text, Origin("spec", ("spec", "target"))), *notes]


TARGET = Target(
    name="kserve",
    api=_kserve.API,
    kind=_kserve.KIND,
    intents=("service",),
    roles=("server",),
    fields=_fields,
    needs=_kserve.NEEDS,
    scaled=lambda resolution: ("apps/v1", "Deployment", f"{resolution.name}-predictor"),
    copied=True,
    kept=True,
    revision="pod-template-hash",
    refused=_refused,
    notes=_notes,
)
