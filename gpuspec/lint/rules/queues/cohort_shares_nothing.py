"""A ClusterQueue that can borrow nothing in its cohort, since no other queue there has its flavors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from gpuspec import hardware
from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import KUEUE, cohort, groups, has_more

RULE = Rule(
    "GPU412",
    "cohort-shares-nothing",
    "warning",
    "A queue's GPU flavors are in no other queue of its cohort, so it cannot borrow or lend",
)
_SHOWN = 4
"""The number of other queues that a finding lists."""
Quota = tuple[str, str]
"""A flavor, and a resource that there is of it."""


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield cohorts of several queues; all members share a Cohort's own quota."""
    members: dict[str, list[Object]] = {}
    for queue in collection.of(KUEUE, "ClusterQueue"):
        if name := cohort(queue):
            members.setdefault(name, []).append(queue)
    for name, queues in members.items():
        if len(queues) > 1 and not has_more(name, collection):
            yield from _alone(name, queues)


def _alone(name: str, queues: list[Object]) -> Iterator[RawFinding]:
    has = {queue.number: quotas for queue in queues if (quotas := _quotas(queue))}
    objects = [queue for queue in queues if queue.number in has]
    often = Counter(chain.from_iterable(has.values()))
    alone = [queue for queue in objects if all(often[quota] == 1 for quota in has[queue.number])]
    # Of two that share nothing one is told, with the other beside it.
    for queue in alone if len(alone) < len(objects) else alone[1:]:
        others = [obj for obj in objects[:_SHOWN] if obj is not queue]
        flavors = sorted({flavor for flavor, _ in has[queue.number]})
        field = "cohortName" if queue.spec.get("cohortName") else "cohort"
        yield RawFinding(
            queue.path("spec", field),
            f"ClusterQueue `{queue.name}` has quota of {names(flavors)}, but no other queue of "
            f"cohort `{name}` lists the flavor: the queue can neither borrow GPUs nor lend its own",
            note=(
                "list the flavor in another queue of the cohort too, with `nominalQuota: 0` if "
                "that queue owns none"
            ),
            object=queue.number,
            confidence="likely",
            related=tuple(
                RelatedPlace(
                    obj.number, obj.path("spec", "resourceGroups"), "another queue of the cohort"
                )
                for obj in others
            ),
        )


def _quotas(queue: Object) -> set[Quota]:
    """Return the flavors that a queue has accelerators of."""
    return {
        (text(flavor.get("name")), resource)
        for _, _, flavors in groups(queue)
        for _, flavor in flavors
        for row in items(flavor.get("resources"))
        if hardware.is_gpu_resource(resource := text(mapping(row).get("name")))
    }
