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
from gpuspec.objects.objects import Pod

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
    if ranks(pod) or budgets_of(pod, context.collection):
        return
    yield RawFinding(
        owner.path("spec", "replicas"),
        f"no PodDisruptionBudget selects these {replicas} replicas: draining several "
        "nodes can stop all of them at once, and each takes minutes to load its model "
        "again",
        note="`maxUnavailable: 1` and `unhealthyPodEvictionPolicy: AlwaysAllow` allow node "
        "repair while the other replicas answer",
        confidence="likely",
        unless=partial(_is_missed, owner.number),
    )


def _is_missed(number: int, collection: Collection) -> bool:
    """Return whether a budget is meant for these pods and misses them, which is said of the
    budget."""
    for budget in collection.of("policy", "PodDisruptionBudget"):
        wanted = selector(budget)
        if not wanted or collection.selected(budget.namespace, wanted).pods:
            continue
        near = missed(budget, wanted, "Pod", collection)
        if near is not None and near.thing.object == number:
            return True
    return False
