"""More replicas than the profile's pools have room for."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.pool_capacity import room
from gpuspec.lint.analysis.serving.servers import is_first
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scalers import scalers_of

RULE = Rule(
    "GPU810",
    "more-replicas-than-room",
    "error",
    "There are more replicas than the pools can hold",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Compare the maximum replicas of an object with the capacity of its possible pools."""
    owner = pod.object
    if not owner.traits.as_written or pod.role.count != 1 or not is_first(pod):
        return
    where = room(pod, context)
    if where is None or not where.most:
        return
    names = " and ".join(f"`{name}`" for name in where.pools)
    pools = f"{names} {'has' if len(where.pools) == 1 else 'have'}"
    noun = "nodes" if where.one_a_node else "GPUs"
    why = ", one on each, since they use a port of the host" if where.one_a_node else ""
    if where.whole_cards:
        why = ", since HAMi gives a whole GPU to a pod without `nvidia.com/gpumem`"
    moved = [scaler for scaler in scalers_of(owner, context.collection) if scaler.most is not None]
    for scaler in moved:
        if scaler.most is not None and scaler.most > where.most:
            yield RawFinding(
                scaler.path(scaler.most_at),
                f"`{scaler.most_at}` is {scaler.most}, but {pools} {noun} for only "
                f"{where.most}{why}: the remaining replicas stay Pending at peak load",
                note=f"set `{scaler.most_at}` to {where.most}, or add nodes",
                severity="warning",
                object=scaler.object.number,
            )
    replicas = pod.role.groups
    if not moved and replicas is not None and replicas > where.most:
        yield RawFinding(
            owner.path("spec", "replicas"),
            f"{replicas - where.most} of {replicas} replicas stay Pending: {pools} {noun} for "
            f"only {where.most}{why}",
            # A default for those that ask for none may be set.
            note=f"set `replicas` to {where.most}, or add nodes",
            severity="warning" if where.whole_cards else None,
            confidence="likely" if where.whole_cards else "certain",
        )
