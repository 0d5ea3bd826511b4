"""Deployment: servers that go on, each a pod of its own. It comes with Kubernetes."""

from collections.abc import Mapping

import msgspec

from gpuspec.plan import claims, rollout
from gpuspec.plan.case import Case
from gpuspec.plan.distribution import least_replicas, most_replicas
from gpuspec.plan.facets import Part
from gpuspec.plan.leaf import Leaf, Node, derived, from_spec
from gpuspec.plan.probes import LEAST_PULL
from gpuspec.plan.target import Carried, Target
from gpuspec.spec import InferenceSpec

HISTORY = 3


class ServingPlan(msgspec.Struct, frozen=True):
    """A Deployment's own fields."""

    replicas: Node
    strategy: Node
    progress_deadline: Node
    history: Node


def _fields(of: Carried) -> Mapping[str, Part]:
    spec = of.case.spec
    assert isinstance(spec, InferenceSpec)
    serving = ServingPlan(
        replicas=of.replicas,
        strategy=_strategy(of.case, spec),
        progress_deadline=_progress(spec, of.budget),
        history=derived("rollout", HISTORY, "old versions to roll back to"),
    )
    return {"serving": serving}


def _strategy(case: Case, spec: InferenceSpec) -> Leaf:
    """As asked, or surge where a slot is promised; else give up a pod first, so nothing deadlocks."""
    found = rollout.bounds(case, spec, 1, "pod")
    if found is not None:
        rolling = {"maxSurge": found.surge, "maxUnavailable": found.unavailable}
        return found.leaf({"type": "RollingUpdate", "rollingUpdate": rolling})
    held = claims.kept(case, spec)
    if least_replicas(spec) == 1 and most_replicas(spec) == 1:
        why = (
            f"the old pod holds {held}, so the only replica must go before the new one comes: "
            "a gap of one start-up"
            if held
            else "no spare slot is promised, so the only replica must go before the new one finds a "
            "GPU: a gap of one start-up; promise a slot with the pool's `spare` to avoid it"
        )
        return derived("rollout", {"type": "Recreate"}, why)
    value = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    why = (
        f"the old pods hold {held}, so one goes before the next comes"
        if held
        else "no spare slot is promised, so one pod makes room for the next: a surge pod would pend "
        "while the old ones hold the GPUs"
    )
    return derived("rollout", value, why)


def _progress(spec: InferenceSpec, budget: int) -> Leaf:
    """The seconds after which a rollout has failed. `budget`: start-up seconds of one pod."""
    if (deadline := spec.rollout.deadline) is not None:
        path = ("spec", "rollout", "deadline")
        return from_spec(path, deadline.seconds, "the spec's deadline")
    pull = max(LEAST_PULL, budget // 2)
    reason = (
        f"{budget}s start-up budget + {pull}s to schedule the pod and pull its image, so that a "
        "loading pod is no failed rollout"
    )
    return derived("rollout", budget + pull, reason)


TARGET = Target(
    name="deployment",
    api="apps/v1",
    kind="Deployment",
    intents=("service",),
    roles=("server",),
    fields=_fields,
    revision="pod-template-hash",
)
