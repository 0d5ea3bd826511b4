"""More than the limits of the Karpenter NodePool that pods ask for let it grow to."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.amount_text import shown
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Related, Rule
from gpuspec.manifests.values import mapping
from gpuspec.objects.amounts import all_amounts, at_once
from gpuspec.objects.containers import quantity
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU214",
    "over-nodepool",
    "error",
    "A Karpenter NodePool's limits are below what its pods request",
)
_LABEL = "karpenter.sh/nodepool"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods whose `nodeSelector` names a NodePool of the set."""
    name = pod.node_selector.get(_LABEL)
    pool = (
        context.collection.named("karpenter.sh", "NodePool", name)
        if isinstance(name, str)
        else None
    )
    if pool is None or not is_whole(pod):
        return
    limits = mapping(pool.spec.get("limits"))
    count = at_once(pod)
    for resource, amount in all_amounts(pod).items():
        most = quantity(limits.get(resource))
        if most is None or amount * count <= most.value:
            continue
        yield _found(pod, pool, resource, shown(resource, amount * count), amount > most.value)


def _found(pod: Pod, pool: Object, resource: str, asked: str, never: bool) -> RawFinding:
    path = pool.path("spec", "limits", resource)
    owner = pod.object
    end = "it stays Pending" if never else "the others stay Pending once the limit is reached"
    return RawFinding(
        path,
        f"NodePool `{pool.name}` is limited to "
        f"{mapping(pool.spec.get('limits'))[resource]} `{resource}`, but {owner.kind} `{owner.name}` "
        f"requests {asked}: {end}",
        severity=None if never else "warning",
        object=pool.number,
        related=(Related(owner.number, pod.path(), "who asks"),),
    )
