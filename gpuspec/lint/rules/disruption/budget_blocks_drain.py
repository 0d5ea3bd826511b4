"""A disruption budget that never lets a pod go."""

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.analysis.serving.selecting import selector
from gpuspec.lint.analysis.serving.unscaled import unscaled
from gpuspec.lint.context import Context
from gpuspec.lint.model import Change, Drop, Fix, Put, RawFinding, Rule
from gpuspec.numbers import read_percent
from gpuspec.objects.collection import Collection, PodFacts, SelectedPods
from gpuspec.objects.lazy import kept
from gpuspec.objects.objects import Object
from gpuspec.objects.scalers import scalers_at

RULE = Rule(
    "GPU516",
    "budget-blocks-drain",
    "warning",
    "A disruption budget allows no eviction and blocks node repair",
    fix="unsafe",
)


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield budgets of serving pods with accelerators that come to no disruption at all, alone or
    with another budget."""
    first_of: dict[tuple[str, frozenset[tuple[str, str]]], Object] = {}
    for budget in collection.of("policy", "PodDisruptionBudget"):
        labels = selector(budget)
        if not labels:
            continue
        selection = collection.selected(budget.namespace, labels)
        if _is_serving(selection):
            key = budget.namespace, frozenset(labels.items())
            first = first_of.setdefault(key, budget)
            if first.name != budget.name:
                yield _second(budget, first)
            yield from _blocked(budget, selection, _fewest(selection, collection))


@kept
def _is_serving(selection: SelectedPods) -> bool:
    """Return whether there are accelerators among its pods, and none of them ends by itself."""
    pods = selection.pods
    return any(pod.gpus for pod in pods) and all(pod.life != "finite" for pod in pods)


def _second(budget: Object, first: Object) -> RawFinding:
    """Return the finding on a budget that selects the pods of another: the API server evicts no
    pod of two (pkg/registry/core/pod/storage/eviction.go of Kubernetes)."""
    return RawFinding(
        budget.path("spec", "selector"),
        f"PodDisruptionBudget `{first.name}` has the same selector: pods of two budgets cannot be "
        "evicted, and a node drain fails on them",
        note="remove one of the two",
        object=budget.number,
        confidence="likely",
    )


def _blocked(budget: Object, selection: SelectedPods, pods: int | None) -> Iterator[RawFinding]:
    spec = budget.spec
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    subject = "the only pod" if pods == 1 else "no pod"
    verb = "cannot be evicted" if pods == 1 else "can be evicted"
    end = f"{subject} {verb}, and a node drain waits forever"
    if _share(most, 100) == 0:
        path = budget.path("spec", "maxUnavailable")
        message = f"`maxUnavailable` is {most}: {end}"
        yield RawFinding(path, message, fix=_fix(budget, selection), object=budget.number)
        return
    share = _share(least, pods or 1)
    if share is None or pods is None or pods == 0 or share < pods:
        return
    of = f" of {pods} pods" if pods != 1 else " pod" if share == 1 else " pods"
    yield RawFinding(
        budget.path("spec", "minAvailable"),
        f"`minAvailable` {least} keeps {share}{of}: {end}",
        note=(
            "replace `minAvailable` with `maxUnavailable: 1`: `unhealthyPodEvictionPolicy: AlwaysAllow` "
            "is not enough, because it releases only unready pods"
        ),
        fix=_fix(budget, selection),
        object=budget.number,
    )


def _fix(budget: Object, selection: SelectedPods) -> Fix | None:
    if unscaled(selection):
        return None  # nobody could tell how many `maxUnavailable` leaves
    changes: list[Change] = [Put(budget.path("spec", "maxUnavailable"), 1)]
    if "minAvailable" in budget.spec:
        changes.insert(0, Drop(budget.path("spec", "minAvailable")))
        return Fix("replace `minAvailable` with `maxUnavailable: 1`", tuple(changes))
    return Fix("set `maxUnavailable: 1`", tuple(changes))


def _fewest(selection: SelectedPods, collection: Collection) -> int | None:
    """Return the minimum number of selected pods; None if it is unknown for one of them."""
    fewest_by_selection = collection.once(_known)
    if selection not in fewest_by_selection:
        counts = [_count(pod, collection) for pod in selection.pods]
        fewest_by_selection[selection] = None if None in counts else sum(filter(None, counts))
    return fewest_by_selection[selection]


def _known(_: Collection) -> dict[SelectedPods, int | None]:
    return {}


def _count(pod: PodFacts, collection: Collection) -> int | None:
    """Return the fewest pods of a kind."""
    for scaler in scalers_at(pod.kind, pod.name, pod.namespace, collection):
        if pod.count is None or scaler.least is None:
            return None
        return scaler.least * pod.count
    return None if pod.count is None or pod.groups is None else pod.count * pod.groups


def _share(value: Any, of: int) -> int | None:
    """Return a number, or a percentage of one rounded up, as budgets count."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    percent = read_percent(value)
    return None if percent is None else -(-of * percent // 100)
