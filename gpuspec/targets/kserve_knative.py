"""InferenceService (KServe 0.20) in its Knative mode: continuous servers. Sources: its webhooks,
and the Service of Knative's that its controller makes."""

from collections.abc import Mapping

import msgspec

from gpuspec.plan.decision import Note, PlanPart
from gpuspec.plan.facets import NodeMap, Part, PodPlan
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Target, TargetInput
from gpuspec.spec import InferenceSpec
from gpuspec.targets import _knative, _knative_pod, _kserve


class KServeKnativePlan(msgspec.Struct, frozen=True):
    """An InferenceService whose Service Knative serves."""

    annotations: NodeMap
    within: NodeMap
    """Annotations of each revision, and of its pods."""
    least: PlanPart
    most: PlanPart
    metric: PlanPart
    target: PlanPart
    timeout: PlanPart
    concurrency: PlanPart
    pod: PodPlan


def _fields(of: TargetInput) -> Mapping[str, Part]:
    spec = of.resolution.spec
    assert isinstance(spec, InferenceSpec)
    (server,) = of.roles.values()
    least, most = _knative.bounds(spec)
    metric, target = _knative.signal(spec) or (None, None)
    plan = KServeKnativePlan(
        annotations={
            **_kserve.kept(of.meta.workload_annotations),
            **_kserve.mode("Knative", "a revision of Knative's, which scales by requests"),
        },
        within={**server.pod.annotations, **_knative.pace(of)},
        least=least,
        most=most,
        metric=metric,
        target=target,
        timeout=_knative.timeout(of),
        concurrency=_knative.concurrency(),
        pod=_knative_pod.carried(_kserve.named(server.pod)),
    )
    return {"kserve": plan}


def _refused(resolution: Resolution) -> list[RefusalReason]:
    reasons = _knative.refused(resolution)
    reasons += _kserve.too_long(resolution, "the Service of Knative's", "<name>-predictor")
    lack = _knative.NEEDS.lack(TARGET.name, TARGET.kind, resolution.profile.spec.installed)
    return reasons if lack is None else [lack, *reasons]


def _service(resolution: Resolution) -> str:
    return f"{resolution.name}-predictor"


def _notes(resolution: Resolution) -> list[Note]:
    return _knative.notes(resolution, _service(resolution))


TARGET = Target(
    name="kserve-knative",
    api=_kserve.API,
    kind=_kserve.KIND,
    intents=("service",),
    roles=("server",),
    fields=_fields,
    needs=_kserve.NEEDS,
    copied=True,
    revision="serving.knative.dev/revision",
    service=_service,
    front=_knative.FRONT,
    scaling="own",
    lacks=_knative.lacks,
    refused=_refused,
    notes=_notes,
)
