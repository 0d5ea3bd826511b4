"""A disruption budget of pods that the disruption controller cannot count."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.selecting import selector
from gpuspec.lint.analysis.serving.unscaled import DAEMON_SET, unscaled
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.collection import Collection

RULE = Rule(
    "GPU857",
    "uncounted-budget",
    "warning",
    "A disruption budget cannot count pods whose controller has no scale",
)


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield budgets by `maxUnavailable`, or by a part, of pods with accelerators or of DaemonSets; 0
    lets none go anyhow."""
    for budget in collection.of("policy", "PodDisruptionBudget"):
        labels = selector(budget)
        field = "maxUnavailable" if "maxUnavailable" in budget.spec else "minAvailable"
        value = budget.spec.get(field)
        counted = field == "minAvailable" and not isinstance(value, str)
        if not labels or value in (None, 0, "0%") or counted:
            continue
        owner = unscaled(collection.selected(budget.namespace, labels))
        if owner:
            is_daemon = owner == DAEMON_SET
            yield RawFinding(
                budget.path("spec", field),
                f"`{field}` does not work with {owner}, which has no scale subresource: "
                + (_FAILED if is_daemon else _KEPT),
                note="remove the budget: a node drain leaves the pods of DaemonSets alone"
                if is_daemon
                else "set `minAvailable` to a number of pods",
                object=budget.number,
            )


_KEPT = "no ready pod can be evicted, and a node drain waits forever"
_FAILED = "the budget stays `SyncFailed`, and every eviction of its pods is refused"
