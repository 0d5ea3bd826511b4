"""Queues, flavors and topologies whose parts contradict each other."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.containers import quantity
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import cohort, groups

RULE = Rule(
    "GPU714",
    "queue-refused",
    "error",
    "A Kueue queue, flavor or topology is contradictory, and its webhook rejects it",
)
_HOST = "kubernetes.io/hostname"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield what Kueue's webhooks and its CRDs' expressions refuse."""
    if obj.kind in ("ClusterQueue", "Cohort"):
        yield from _groups(obj)
        yield from _limits(obj)
        yield from _preemption(obj)
    elif obj.kind == "Topology":
        yield from _levels(obj)
    elif text(obj.spec.get("topologyName")) and not mapping(obj.spec.get("nodeLabels")):
        yield RawFinding(
            obj.path("spec", "topologyName"),
            "a flavor with a topology needs a node label: the API server rejects the flavor",
            note="set `nodeLabels`, or remove `topologyName`",
        )


def _groups(obj: Object) -> Iterator[RawFinding]:
    resources: set[str] = set()
    flavors: set[str] = set()
    for path, covered, flavor_rows in groups(obj):
        for index, name in enumerate(covered):
            if name in resources:
                yield RawFinding(
                    (*path, "coveredResources", index),
                    f"`{name}` may be in only one group, but two cover it: Kueue's webhook "
                    "rejects the queue",
                    note=f"remove `{name}` from one of the two groups",
                )
            resources.add(name)
        for place, flavor in flavor_rows:
            name = text(flavor.get("name"))
            if name and name in flavors:
                yield RawFinding(
                    (*place, "name"),
                    f"flavor `{name}` may be in only one group, but is in two: Kueue's webhook "
                    "rejects the queue",
                    note=f"remove flavor `{name}` from one of the two groups",
                )
            flavors.add(name)
            has = [
                text(mapping(resource).get("name")) for resource in items(flavor.get("resources"))
            ]
            yield from _alike((*place, "resources"), name, has, covered)


def _alike(
    path: tuple[str | int, ...], name: str, has: list[str], covered: list[str]
) -> Iterator[RawFinding]:
    missing = [resource for resource in covered if resource not in has]
    more = [resource for resource in has if resource and resource not in covered]
    pairs = enumerate(zip(has, covered, strict=False))
    if (
        index := next(
            (at for at, (flavor_name, covered_name) in pairs if flavor_name != covered_name), None
        )
    ) is not None:
        path = (*path, index, "name")
    if missing:
        yield RawFinding(
            path,
            f"flavor `{name}` has no quota for {names(missing)}, which its group covers: Kueue "
            "rejects the queue",
            note=f"add {names(missing)} to the flavor's `resources`, with `nominalQuota: 0` if the flavor has none",
        )
    elif more:
        yield RawFinding(
            path,
            f"flavor `{name}` has a quota for {names(more)}, which its group does not cover: "
            "Kueue rejects the queue",
            note=f"add {names(more)} to `coveredResources`, or remove the quota",
        )
    elif len(has) == len(covered) and has != covered:
        yield RawFinding(
            path,
            f"flavor `{name}` lists its resources in another order than `coveredResources`: "
            "Kueue's webhook rejects the queue",
            note="list the resources in the order of `coveredResources`",
        )


def _limits(obj: Object) -> Iterator[RawFinding]:
    alone = not (text(obj.spec.get("parentName")) if obj.kind == "Cohort" else cohort(obj))
    for _, _, flavors in groups(obj):
        for place, flavor in flavors:
            for index, entry in enumerate(items(flavor.get("resources"))):
                row, path = mapping(entry), (*place, "resources", index)
                for limit in ("borrowingLimit", "lendingLimit"):
                    if alone and row.get(limit) is not None:
                        yield RawFinding(
                            (*path, limit),
                            f"`{limit}` needs a cohort: Kueue rejects the queue",
                            note=f"set `cohort`, or remove `{limit}`",
                        )
                # What is not there, Kueue takes for 0.
                lend, nominal_quota = (
                    quantity(row.get("lendingLimit")),
                    quantity(row.get("nominalQuota") or 0),
                )
                if (
                    obj.kind == "ClusterQueue"
                    and lend
                    and nominal_quota is not None
                    and lend > nominal_quota
                ):
                    yield RawFinding(
                        (*path, "lendingLimit"),
                        (
                            "`lendingLimit` exceeds `nominalQuota`: Kueue's webhook rejects the "
                            "queue"
                        ),
                        note="set `lendingLimit` to at most `nominalQuota`",
                    )


def _preemption(obj: Object) -> Iterator[RawFinding]:
    rules = mapping(obj.spec.get("preemption"))
    borrow = mapping(rules.get("borrowWithinCohort")).get("policy", "Never")
    if rules.get("reclaimWithinCohort", "Never") == "Never" and borrow != "Never":
        yield RawFinding(
            obj.path("spec", "preemption", "borrowWithinCohort"),
            "`borrowWithinCohort` needs a `reclaimWithinCohort` other than `Never`: the API "
            "server rejects the queue",
            note="set `reclaimWithinCohort: LowerPriority` or `Any`, or remove `borrowWithinCohort`",
        )


def _levels(obj: Object) -> Iterator[RawFinding]:
    levels = [text(mapping(level).get("nodeLabel")) for level in items(obj.spec.get("levels"))]
    for index, label in enumerate(levels):
        path = obj.path("spec", "levels", index, "nodeLabel")
        if label == _HOST and index < len(levels) - 1:
            yield RawFinding(
                path,
                f"`{_HOST}` may only be the last level: the API server rejects the topology",
                note=f"move `{_HOST}` to the end of `levels`",
            )
        elif label and label in levels[:index]:
            yield RawFinding(
                path,
                f"`{label}` is listed as a level twice: the API server rejects the topology",
                note="remove the second level",
            )
