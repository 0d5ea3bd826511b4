"""Long work on nodes that an autoscaler empties when it likes."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Found, Put, Rule
from gpuspec.lint.subjects.placement.placing import in_all, reached
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU728",
    "consolidation-evicts",
    "warning",
    "An autoscaler may evict a long run to save its node",
    fix="unsafe",
)
_KARPENTER = "karpenter.sh/do-not-disrupt"
_DOMAIN = "karpenter."


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Finite pods with accelerators on nodes of Karpenter, by selector, objects or profile."""
    if pod.life != "finite" or not pod.has_gpu or pod.metadata_path is None:
        return
    if pod.object.group == "argoproj.io" or pod.object.traits.shared:
        # Workflows and what refers to a runtime have other places for it.
        return
    if _is_kept(pod):
        return
    evidence = _evidence(pod, context)
    if evidence is None:
        return
    path = (*pod.metadata_path, "annotations", _KARPENTER)
    yield Found(
        path,
        f"{evidence}, and consolidation may evict this run to save a node: what it has done since its "
        "last checkpoint is lost, again and again",
        fix=Fix("let no autoscaler end it", (Put(path, "true"),)),
        confidence="likely",
    )


def _is_kept(pod: Pod) -> bool:
    """Whether it says so; on the object it has no effect, which another rule says."""
    return _KARPENTER in pod.annotations or _KARPENTER in pod.object.annotations


def _evidence(pod: Pod, context: Context) -> str | None:
    for one in in_all(pod):
        if one.key.startswith(_DOMAIN):
            return f"its nodes are Karpenter's (`{one.key}`)"
    pools = reached(pod, context)
    for placed in pools:
        if any(key.startswith(_DOMAIN) for key in placed.pool.labels):
            return f"pool `{placed.pool.name}` of the profile is Karpenter's"
    if not pools and context.collection.of("karpenter.sh", "NodePool"):
        return "Karpenter makes the nodes here"
    return None
