"""Long work on nodes that an autoscaler empties when it likes."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.time_limits import time_limits
from gpuspec.lint.analysis.placement.node_pools import is_simulated, template
from gpuspec.lint.analysis.placement.placing import in_all, reached
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.durations import format_duration, parse_duration
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.scheduling import admitted

RULE = Rule(
    "GPU728",
    "consolidation-evicts",
    "warning",
    "An autoscaler may evict a long run to remove or replace its node",
    fix="unsafe",
)
_KARPENTER = "karpenter.sh/do-not-disrupt"
_DOMAIN = "karpenter."
_NODEPOOL = "karpenter.sh/nodepool"
_GRACE = ("spec", "template", "spec", "terminationGracePeriod")
_LONG = 3600
"""Seconds that a run of which nothing is known may well take."""
_POLICY = ("spec", "disruption", "consolidationPolicy")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield finite pods with accelerators on nodes of Karpenter, by selector, objects or
    profile."""
    if pod.life != "finite" or not pod.has_gpu or pod.metadata_path is None:
        return
    if pod.object.group == "argoproj.io" or pod.object.traits.shared:
        # Workflows and what refers to a runtime have other places for it.
        return
    if _is_kept(pod):
        yield from _renewed(pod, context)
        return
    evidence = _evidence(pod, context)
    pools = _nodepools(pod, context)
    if evidence is None or (pools and all(map(_spares, pools))):
        return
    path = (*pod.metadata_path, "annotations", _KARPENTER)
    yield RawFinding(
        path,
        "Karpenter may evict this run to consolidate nodes: each time the run loses the work "
        "since the last checkpoint",
        note=f'set `{_KARPENTER}: "true"`: {evidence}',
        fix=set_field(path, "true"),
        confidence="likely",
        related=tuple(
            RelatedPlace(pool.number, pool.path(*_POLICY), "consolidates its nodes")
            for pool in pools
            if not _spares(pool)
        ),
    )


def _renewed(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield NodePools whose nodes end what runs on them some time after they expire or drift."""
    limits = [time_limit.seconds for time_limit in time_limits(pod.object)]
    longest = min(limits, default=None)
    for nodepool in _nodepools(pod, context):
        grace = _grace(nodepool)
        if grace is None or grace >= (_LONG if longest is None else longest):
            continue
        path = nodepool.path(*_GRACE)
        yield RawFinding(
            path,
            f"`{_KARPENTER}` protects a pod for at most `terminationGracePeriod: "
            f"{format_duration(grace)}`: when the node expires or drifts, a run that takes "
            "longer is killed and loses the work since the last checkpoint",
            note="set `terminationGracePeriod` to the longest run's duration, or remove the field: a "
            "node then waits for such runs",
            object=nodepool.number,
            confidence="likely",
            related=(
                RelatedPlace(
                    pod.object.number,
                    pod.object.path("metadata", "name"),
                    "may run longer" if longest is None else f"may run {format_duration(longest)}",
                ),
            ),
        )
        return


def _grace(nodepool: Object) -> int | None:
    try:
        return parse_duration(text(at(nodepool.value, _GRACE)))
    except ValueError:
        return None


def _is_kept(pod: Pod) -> bool:
    """Return whether the pod has the annotation; on the object it has no effect, which another rule
    reports."""
    return _KARPENTER in pod.annotations or _KARPENTER in pod.object.annotations


def _nodepools(pod: Pod, context: Context) -> list[Object]:
    """Return the NodePools of the set that may make its nodes."""
    objects = context.collection.of("karpenter.sh", "NodePool")
    pools = [obj for obj in objects if _takes(obj, pod, context)]
    names = [
        requirement.values
        for requirement in in_all(pod)
        if requirement.key == _NODEPOOL and requirement.operator == "In"
    ]
    return [pool for pool in pools if all(pool.name in name for name in names)]


def _takes(nodepool: Object, pod: Pod, context: Context) -> bool:
    """Return whether its nodes, which are no simulated ones, could run the pod, as far as taints
    tell."""
    from gpuspec.fleet.scheduler.tolerations import tolerations_of

    if is_simulated(nodepool):
        return False
    tolerations = tolerations_of({"tolerations": admitted(pod, context.provider)})
    return all(
        any(
            toleration.answers(text(t.get("key")), text(t.get("value")), text(t.get("effect")))
            for toleration in tolerations
        )
        for t in map(mapping, items(template(nodepool).get("taints")))
        if t.get("effect") != "PreferNoSchedule"
    )


def _spares(nodepool: Object) -> bool:
    """Return whether its nodes are left alone as long as anything runs on them."""
    disruption = mapping(nodepool.spec.get("disruption"))
    return (
        disruption.get("consolidationPolicy") == "WhenEmpty"
        or disruption.get("consolidateAfter") == "Never"
    )


def _evidence(pod: Pod, context: Context) -> str | None:
    for requirement in in_all(pod):
        if requirement.key.startswith(_DOMAIN):
            return f"the pod runs on Karpenter's nodes (`{requirement.key}`)"
    pools = reached(pod, context)
    for placed in pools:
        if any(key.startswith(_DOMAIN) for key in placed.pool.labels):
            return f"pool `{placed.pool.name}` of the profile is managed by Karpenter"
    if not pools and _nodepools(pod, context):
        return "Karpenter creates the nodes"
    return None
