"""What a node is marked with: labels and taints, against what its pools say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.cluster.discover.faults import broken_mig
from gpuspec.cluster.discover.labels import MIG_CONFIG, lasting_taints, product_keys
from gpuspec.drift.model import Trait
from gpuspec.spec import model_of, shared_node_labels
from gpuspec.spec.pools import REGION_LABEL, ZONE_LABEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpuspec.cluster.discover.input import LiveNode
    from gpuspec.spec import Pool, Topology

_SETTLED = ("", "success")
# Another value of these is said as another place.
_PLACES = (REGION_LABEL, ZONE_LABEL)


def lacking(node: LiveNode, pool: Pool) -> dict[str, Trait]:
    """Return, by key, the pool's labels that the node lacks or has with another value."""
    traits: dict[str, Trait] = {}
    for key, value in pool.labels.items():
        have = node.labels.get(key)
        if have == value or (key in _PLACES and have is not None):
            continue
        if key in product_keys() and _same_product(have, value):
            continue
        if have is None:
            traits[key] = Trait("labels", f"no label {key}, which the pool has as `{value}`")
        else:
            traits[key] = Trait("labels", f"label {key} is `{have}`, but the pool says `{value}`")
    return traits


def _same_product(have: str | None, said: str) -> bool:
    """Return whether a product's name differs only in how the GPU is shared, which is told as
    that."""
    return have is not None and (
        hardware.split_product(have).name == hardware.split_product(said).name
    )


def labels(node: LiveNode, pools: Sequence[Pool], *, renamed: bool) -> Iterator[Trait]:
    """Yield the pools' labels that it lacks; `renamed`: that it has another model is said
    already."""
    traits = {key: trait for pool in pools for key, trait in lacking(node, pool).items()}
    yield from (trait for key, trait in traits.items() if not (renamed and key in product_keys()))


def levels(node: LiveNode, pool: Pool, topology: Topology | None) -> Iterator[Trait]:
    """Yield the levels of the topology that no label of the node tells."""
    if topology is not None and topology.covers(pool.name):
        for level in topology.levels:
            if level.label not in node.labels and level.label not in pool.labels:
                yield Trait("labels", f"no label {level.label}, a level of the topology")


def sharing(node: LiveNode, pools: Sequence[Pool]) -> Iterator[Trait]:
    """Yield labels that tell another sharing, and a MIG layout that is not there yet."""
    state = node.labels.get(f"{MIG_CONFIG}.state", "")
    if state not in _SETTLED:
        yield Trait("sharing", f"its MIG layout is not applied: {MIG_CONFIG}.state is `{state}`")
    if broken_mig(node) is not None:
        # That is why there are no devices, which is said of these.
        return
    if len(pools) > 1 or (pools[0].whole_gpus and pools[0].sharing is not None):
        # Of a node that is shared in two ways a label says one.
        return
    (pool,) = pools
    node_labels = shared_node_labels(node.labels, pool.sharing, model_of(pool))
    for key, value in node_labels.items():
        have = node.labels.get(key)
        if have is None or have == value or (key in pool.labels and key not in product_keys()):
            continue
        if key in product_keys() and hardware.split_product(have).name != (
            hardware.split_product(value or "").name
        ):
            continue
        what = "nothing" if value is None else f"`{value}`"
        yield Trait("sharing", f"label {key} is `{have}`, but the pool's sharing means {what}")
    yield from _turns(node, pool)


def _turns(node: LiveNode, pool: Pool) -> Iterator[Trait]:
    """Yield what GPU Feature Discovery tells of turns and MPS."""
    keys, sharing = hardware.labellers()["gfd"].keys, pool.sharing
    if sharing is not None and sharing.mode == "mig":
        return
    replicas = node.number(keys["replicas"])
    wanted = 1 if sharing is None else sharing.replicas or 1
    if replicas and replicas != wanted and keys["replicas"] not in pool.labels:
        said = f"`{wanted}`" if sharing is not None else "that they are not shared"
        yield Trait(
            "sharing", f"label {keys['replicas']} is `{replicas}`, but the pool says {said}"
        )
    mode = node.labels.get(keys["sharing"], "")
    meant = "none" if sharing is None else sharing.mode
    if mode and mode != meant and keys["sharing"] not in pool.labels:
        yield Trait("sharing", f"label {keys['sharing']} is `{mode}`, but the pool says `{meant}`")


def taints(node: LiveNode, pool: Pool) -> Iterator[Trait]:
    """Yield taints that the pool has and the node has not, and the other way; those that pass
    aside."""
    have = {(key, effect): value for key, value, effect in lasting_taints(node)}
    said = {(taint.key, str(taint.effect)): taint.value for taint in pool.taints}
    for (key, effect), value in said.items():
        if (key, effect) not in have:
            yield Trait("taints", f"no taint {_taint(key, value, effect)}, which the pool has")
        elif have[key, effect] != value:
            taint = _taint(key, have[key, effect], effect)
            yield Trait("taints", f"taint {taint}, but the pool says {_taint(key, value, effect)}")
    for (key, effect), value in have.items():
        if (key, effect) not in said:
            yield Trait(
                "taints", f"taint {_taint(key, value, effect)}, which the pool does not have"
            )


def _taint(key: str, value: str, effect: str) -> str:
    return f"{key}={value}:{effect}" if value else f"{key}:{effect}"
