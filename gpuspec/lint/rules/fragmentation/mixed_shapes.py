"""Small and large pods on one pool, where another pool would take the small ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items
from gpuspec.objects.collection import Collection, PodFacts

if TYPE_CHECKING:
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU407",
    "mixed-shapes",
    "info",
    "Small pods may fill the nodes that large pods need",
)


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield small shapes beside large ones, by pool; each object with small ones is named once."""
    pools = [pool for pool in context.placed if pool.pool.sharing is None]
    if len(pools) < 2:
        return
    gpu_pods = [
        pod for pod in collection.pods if pod.gpus and len(pod.devices) == 1 and not pod.is_share
    ]
    places = [(pod, _places(pod, pools)) for pod in gpu_pods]
    # One of them for each pool is enough to say so, and keeps a large set linear.
    large: dict[int, tuple[PodFacts, AdvertisingPool]] = {}
    for pod, landing_pools in places:
        for pool in landing_pools:
            if 2 * pod.gpus >= pool.pool.gpu.count > 2:
                large.setdefault(pool.index, (pod, pool))
    reported_objects: set[int] = set()
    for pod, landing_pools in places:
        if pod.object in reported_objects:
            continue
        number = (pod.count or 1) * (pod.groups or 1)
        for large_pod, big in large.values():
            small = [pool for pool in landing_pools if pool.pool.gpu.count < big.pool.gpu.count]
            fits = [pool for pool in small if pool.pool.gpu.count % pod.gpus == 0]
            whole = big.pool.gpu.count
            # One small pod, a test or a notebook, is no fleet of them.
            is_in_range = 4 * pod.gpus <= whole <= 2 * pod.gpus * number
            if big in landing_pools and is_in_range and fits:
                reported_objects.add(pod.object)
                yield _found(pod, large_pod, big, fits[0])
                break


def _places(pod: PodFacts, pools: list[AdvertisingPool]) -> list[AdvertisingPool]:
    from gpuspec.fleet import advertised
    from gpuspec.fleet.match import selects, untolerated

    resource = pod.devices[0]
    return [
        pool
        for pool in pools
        if advertised(pool.pool, pool.model).get(resource, 0) >= pod.gpus
        and selects(pod.scheduling, pool.labels)
        and not any(
            taint.key != resource
            for taint in untolerated(items(pod.scheduling.get("tolerations")), pool.pool.taints)
        )
    ]


def _found(
    pod: PodFacts, facts: PodFacts, big: AdvertisingPool, small: AdvertisingPool
) -> RawFinding:
    gpus = "1 GPU" if pod.gpus == 1 else f"{pod.gpus} GPUs"
    path: Path = pod.path
    return RawFinding(
        path,
        f"pods of {gpus} may occupy nodes of pool `{big.pool.name}`: {facts.kind} `{facts.name}`, "
        f"which needs {facts.gpus} GPUs of one node, then stays Pending",
        note=(
            f"select pool `{small.pool.name}` for the small pods, which also fit there, with a "
            "`nodeSelector` or a queue's flavor"
        ),
        object=pod.object,
        related=(RelatedPlace(facts.object, facts.path, "the larger pods"),),
        confidence="likely",
    )
