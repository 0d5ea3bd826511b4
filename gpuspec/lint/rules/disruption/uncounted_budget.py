"""A disruption budget of pods that the disruption controller cannot count."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.serving.selecting import selector
from gpuspec.lint.subjects.serving.unscaled import unscaled
from gpuspec.objects.collection import Collection

RULE = Rule(
    "GPU857",
    "uncounted-budget",
    "warning",
    "A disruption budget cannot count pods whose controller has no scale",
)


def check(collection: Collection, context: Context) -> Iterator[Found]:
    """Budgets by `maxUnavailable`, or by a part, of pods with accelerators; 0 lets none go anyhow."""
    for budget in collection.of("policy", "PodDisruptionBudget"):
        wanted = selector(budget)
        field = "maxUnavailable" if "maxUnavailable" in budget.spec else "minAvailable"
        value = budget.spec.get(field)
        counted = field == "minAvailable" and not isinstance(value, str)
        if not wanted or value in (None, 0, "0%") or counted:
            continue
        owner = unscaled(collection.selected(budget.namespace, wanted))
        if owner:
            yield Found(
                budget.path("spec", field),
                f"`{field}` is reckoned by how many pods there should be, and {owner} has no scale that "
                "says so: none of its pods that are ready can be evicted, and a drain waits",
                note="write a number of pods as `minAvailable`: those that are there are counted then",
                object=budget.number,
            )
