"""Deployment: continuous servers, each a pod of its own. It is part of Kubernetes."""

from collections.abc import Mapping

import msgspec

from gpuspec.plan.decision import Decision, PlanPart, derived, from_spec
from gpuspec.plan.facets import Part
from gpuspec.plan.probes import LEAST_PULL
from gpuspec.plan.target import Target, TargetInput
from gpuspec.spec import InferenceSpec
from gpuspec.targets._deployments import strategy

HISTORY = 3


class ServingPlan(msgspec.Struct, frozen=True):
    """A Deployment's own fields."""

    replicas: PlanPart
    strategy: PlanPart
    progress_deadline: PlanPart
    history: PlanPart


def _fields(of: TargetInput) -> Mapping[str, Part]:
    spec = of.resolution.spec
    assert isinstance(spec, InferenceSpec)
    serving = ServingPlan(
        replicas=of.replicas,
        strategy=strategy(of.resolution, spec),
        progress_deadline=_progress(spec, of.budget),
        history=derived("rollout", HISTORY, "old versions to roll back to"),
    )
    return {"serving": serving}


def _progress(spec: InferenceSpec, budget: int) -> Decision:
    """Return the seconds after which a rollout has failed. `budget`: start-up seconds of one
    pod."""
    if (deadline := spec.rollout.deadline) is not None:
        path = ("spec", "rollout", "deadline")
        return from_spec(path, deadline.seconds, "the spec's deadline")
    pull = max(LEAST_PULL, budget // 2)
    reason = (
        f"{budget}s start-up budget + {pull}s to schedule the pod and pull its image, so that "
        "a pod that still loads does not fail the rollout"
    )
    return derived("rollout", budget + pull, reason)


TARGET = Target(
    name="deployment",
    api="apps/v1",
    kind="Deployment",
    intents=("service",),
    roles=("server",),
    fields=_fields,
    disaggregates=True,
    revision="pod-template-hash",
)
