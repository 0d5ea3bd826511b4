"""Several replicas that serve, and no disruption budget that keeps them from going together."""

from collections.abc import Iterator
from functools import partial

from gpuspec.lint.analysis.reading.missed import missed
from gpuspec.lint.analysis.serving.rollout import replicas_of
from gpuspec.lint.analysis.serving.selecting import asking, budgets_of, selector
from gpuspec.lint.analysis.serving.servers import answers, is_first
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.collection import Collection
from gpuspec.objects.gangs import ranks
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.selectors import labels_of

RULE = Rule(
    "GPU517",
    "no-budget",
    "info",
    "A service with several replicas has no disruption budget",
)
_KINDS = (("apps", "Deployment"), ("apps", "StatefulSet"), ("argoproj.io", "Rollout"))


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield objects that a Service of the same run sends requests to; else the budget may be
    elsewhere."""
    owner = pod.object
    if (owner.group, owner.kind) not in _KINDS or not answers(pod) or not is_first(pod):
        return
    replicas = replicas_of(owner, context.collection)
    if replicas is None or replicas < 2 or not asking(pod, context.collection):
        return
    if ranks(pod) or budgets_of(pod, context.collection) or _is_in_all(owner, context.collection):
        return
    yield RawFinding(
        owner.path("spec", "replicas"),
        f"no PodDisruptionBudget selects these {replicas} replicas: draining several nodes can "
        "stop all replicas at once, and each replica needs minutes to load its model again",
        note=_selects_nothing(owner, context.collection)
        or (
            "add a PodDisruptionBudget with `maxUnavailable: 1` and "
            "`unhealthyPodEvictionPolicy: AlwaysAllow`: nodes can be repaired while the other replicas answer"
        ),
        confidence="likely",
        unless=partial(_is_missed, owner.number),
    )


def _is_in_all(owner: Object, collection: Collection) -> bool:
    """Return whether a budget of the namespace selects all its pods, or by expressions perhaps
    these."""
    return any(
        isinstance(chosen := budget.spec.get("selector"), dict) and not labels_of(chosen)
        for budget in collection.within("policy", "PodDisruptionBudget", owner.namespace)
    )


def _selects_nothing(owner: Object, collection: Collection) -> str | None:
    """Return the note about a budget in the same file without a selector, which selects no pods,
    unlike an empty selector."""
    for budget in collection.within("policy", "PodDisruptionBudget", owner.namespace):
        if budget.file == owner.file and budget.spec.get("selector") is None:
            return (
                f"add a selector to PodDisruptionBudget `{budget.name}`: without a selector it "
                "protects no pod"
            )
    return None


def _is_missed(number: int, collection: Collection) -> bool:
    """Return whether a budget is intended for these pods and misses them, which is reported for the
    budget."""
    for budget in collection.of("policy", "PodDisruptionBudget"):
        labels = selector(budget)
        if not labels or collection.selected(budget.namespace, labels).pods:
            continue
        near = missed(budget, labels, "Pod", collection)
        if near is not None and near.thing.object == number:
            return True
    return False
