"""A rollout that waits for GPUs which the old pod holds."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.rollouts import first_new, gang_of_new
from gpuspec.lint.analysis.placement.pool_capacity import PoolCapacity, room
from gpuspec.lint.analysis.placement.warm_capacity import kept_warm
from gpuspec.lint.analysis.serving.agents import only_waits
from gpuspec.lint.analysis.serving.rollout import Replacing, replacing
from gpuspec.lint.analysis.serving.servers import is_first
from gpuspec.lint.analysis.sharing.sharing import is_share
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Confidence, Fix, RawFinding, Rule
from gpuspec.manifests.values import at
from gpuspec.objects.claims import is_of_network
from gpuspec.objects.gangs import gpus_together, ranks
from gpuspec.objects.objects import Pod
from gpuspec.settings.severity import Severity

RULE = Rule(
    "GPU512",
    "rollout-needs-spare",
    "error",
    "A rollout waits for spare GPUs before it frees any",
    fix="unsafe",
)
# GPUs of the largest usual node.
_USUAL = 8
_RECREATE = ", or `type: Recreate` for a single replica"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield rollouts that may add pods and take none away."""
    if pod.object.is_a("apps", "DaemonSet"):
        yield from _of_each_node(pod)
        return
    how = replacing(pod.object, context.collection)
    if how is None or how.replicas < 1 or how.unavailable or not how.surge or not is_first(pod):
        return
    if ranks(pod) or first_new(how) < (gang_of_new(pod.object) or 0):
        # Such a rollout never gets so far.
        return
    where = room(pod, context) if pod.role.count == 1 else None
    if where is None and is_share(pod):
        return
    judged = _judged(how, where, told=context.profile is not None)
    if judged is None:
        return
    severity, confidence, end = judged
    if severity == "warning" and pod.containers and all(map(only_waits, pod.containers)):
        # Nobody misses what it does.
        severity = "info"
    count = gpus_together(pod)
    if not count and pod.claims and _only_networks(pod, context):
        return
    gpus = f"{count} more GPU{'s' if count != 1 else ''}" if count else "further GPUs"
    unit = "pod" if count == pod.gpus else "group"
    away = (
        "0"
        if how.away == 0
        else f"{how.away} of `{how.replicas_in}` {how.replicas} rounds down to 0"
    )
    yield RawFinding(
        how.strategy,
        f"a rollout needs {gpus} before it stops an old {unit} (`maxSurge` is {how.surge}, "
        f"`maxUnavailable` {away}){end}",
        note=(
            f"set `maxSurge: 0` and `maxUnavailable: 1`, so that an old {unit} frees its GPUs first"
        )
        + _RECREATE * (how.rolling == "rollingUpdate"),
        severity=severity,
        confidence=confidence,
        fix=_fix(how, unit),
        # Where the pools are too small for one more pod, they are so for a placeholder as well.
        unless=None if severity == "error" else kept_warm(pod, context),
    )


def _only_networks(pod: Pod, context: Context) -> bool:
    return all(is_of_network(claim, pod, context.collection) for claim in pod.claims)


def _of_each_node(pod: Pod) -> Iterator[RawFinding]:
    """Check the surge of a DaemonSet, whose new pod can only run on the node of the old one."""
    inside = ("spec", "updateStrategy", "rollingUpdate")
    surge = at(pod.object.value, (*inside, "maxSurge"))
    if not pod.gpus or is_share(pod) or surge in (None, 0, "0%") or isinstance(surge, bool):
        return
    fits = 2 * pod.gpus <= _USUAL
    rolling = pod.object.path(*inside)
    gpus = f"{pod.gpus} GPU{'s' if pod.gpus != 1 else ''}"
    yield RawFinding(
        pod.object.path(*inside, "maxSurge"),
        f"with `maxSurge` {surge} each node's new pod waits for {gpus} more on the same node "
        "before the old pod stops: if the node has no more, the rollout never finishes",
        note="set `maxSurge: 0` and `maxUnavailable: 1`, so that the old pod frees its GPUs first",
        severity="info" if fits else "warning",
        confidence="possible" if fits else "likely",
        fix=set_field(rolling, {"maxSurge": 0, "maxUnavailable": 1}),
    )


def _judged(
    how: Replacing, where: PoolCapacity | None, *, told: bool
) -> tuple[Severity, Confidence, str] | None:
    """Return severity, confidence and the end of the sentence; None if there is a spare slot."""
    if where is None:
        if how.chosen and how.replicas > 1 and not told:
            return "info", "possible", ", and stalls unless the pool has a spare slot"
        return "warning", "likely", ", and stalls if no GPU is free"
    pools = " and ".join(f"`{name}`" for name in where.pools)
    if where.spare >= 1:
        return None
    if where.most is not None and where.most <= how.replicas:
        slots = f"{where.most} such pod{'s' if where.most != 1 else ''}"
        return "error", "certain", f", but never gets more: {pools} has capacity for only {slots}"
    if where.grows:
        return "info", "likely", f", which needs another node of {pools}"
    return "warning", "likely", f", and the profile has no spare slot in {pools}"


def _fix(how: Replacing, unit: str) -> Fix:
    new_strategy = {"type": "RollingUpdate", how.rolling: {"maxSurge": 0, "maxUnavailable": 1}}
    return set_field(how.strategy, new_strategy)
