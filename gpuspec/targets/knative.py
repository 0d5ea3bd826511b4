"""Service of Knative Serving (1.23): continuous servers. Sources: its CRD, its webhook and its
controllers."""

from collections.abc import Mapping

import msgspec

from gpuspec.plan.decision import Note, PlanPart, derived
from gpuspec.plan.facets import NodeMap, Part, PodPlan
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import Target, TargetInput
from gpuspec.targets import _knative, _knative_pod


class KnativePlan(msgspec.Struct, frozen=True):
    """A Service of Knative's; what its webhook would fill in is written out."""

    annotations: NodeMap
    """Of each revision, and of its pods."""
    timeout: PlanPart
    concurrency: PlanPart
    pod: PodPlan
    traffic: PlanPart


def _fields(of: TargetInput) -> Mapping[str, Part]:
    (server,) = of.roles.values()
    plan = KnativePlan(
        annotations={**server.pod.annotations, **_knative.annotations(of)},
        timeout=_knative.timeout(of),
        concurrency=_knative.concurrency(),
        pod=_knative_pod.carried(server.pod),
        traffic=derived(
            "knative",
            [{"latestRevision": True, "percent": 100}],
            "all traffic, once the revision is ready",
        ),
    )
    return {"knative": plan}


def _service(resolution: Resolution) -> str:
    return resolution.name


def _notes(resolution: Resolution) -> list[Note]:
    return _knative.notes(resolution, _service(resolution))


TARGET = Target(
    name="knative",
    api="serving.knative.dev/v1",
    kind="Service",
    intents=("service",),
    roles=("server",),
    fields=_fields,
    needs=_knative.NEEDS,
    revision="serving.knative.dev/revision",
    service=_service,
    front=_knative.FRONT,
    scaling="own",
    lacks=_knative.lacks,
    refused=_knative.refused,
    notes=_notes,
)
