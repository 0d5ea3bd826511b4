"""Compare a node's labels and taints with its pools."""

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


def _same_product(have: str | None, stated: str) -> bool:
    """Return whether two product names differ only in the sharing of the GPU, which is reported as
    sharing."""
    return have is not None and (
        hardware.split_product(have).name == hardware.split_product(stated).name
    )


def labels(node: LiveNode, pools: Sequence[Pool], *, renamed: bool) -> Iterator[Trait]:
    """Yield missing labels of the pools. With `renamed`, another GPU model is already reported."""
    traits = {key: trait for pool in pools for key, trait in lacking(node, pool).items()}
    yield from (trait for key, trait in traits.items() if not (renamed and key in product_keys()))


def levels(node: LiveNode, pool: Pool, topology: Topology | None) -> Iterator[Trait]:
    """Yield the levels of the topology that no label of the node has."""
    if topology is not None and topology.covers(pool.name):
        for level in topology.levels:
            if level.label not in node.labels and level.label not in pool.labels:
                yield Trait("labels", f"no label {level.label}, a level of the topology")


def sharing(node: LiveNode, pools: Sequence[Pool]) -> Iterator[Trait]:
    """Yield labels that show another sharing, and a MIG layout that is not applied yet."""
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
        expectation = "nothing" if value is None else f"`{value}`"
        yield Trait(
            "sharing", f"label {key} is `{have}`, but the pool's sharing means {expectation}"
        )
    yield from _turns(node, pool)


def _turns(node: LiveNode, pool: Pool) -> Iterator[Trait]:
    """Yield differences in GPU Feature Discovery's labels of time-slicing and MPS."""
    keys, sharing = hardware.labellers()["gfd"].keys, pool.sharing
    if sharing is not None and sharing.mode == "mig":
        return
    replicas = node.number(keys["replicas"])
    expected_replicas = 1 if sharing is None else sharing.replicas or 1
    if replicas and replicas != expected_replicas and keys["replicas"] not in pool.labels:
        expectation = (
            f"`{expected_replicas}`" if sharing is not None else "that they are not shared"
        )
        yield Trait(
            "sharing", f"label {keys['replicas']} is `{replicas}`, but the pool says {expectation}"
        )
    mode = node.labels.get(keys["sharing"], "")
    expected_mode = "none" if sharing is None else sharing.mode
    if mode and mode != expected_mode and keys["sharing"] not in pool.labels:
        yield Trait(
            "sharing", f"label {keys['sharing']} is `{mode}`, but the pool says `{expected_mode}`"
        )


def taints(node: LiveNode, pool: Pool) -> Iterator[Trait]:
    """Yield taints that only the pool or only the node has, without those of a transient condition."""
    have = {(key, effect): value for key, value, effect in lasting_taints(node)}
    stated = {(taint.key, str(taint.effect)): taint.value for taint in pool.taints}
    for (key, effect), value in stated.items():
        if (key, effect) not in have:
            yield Trait("taints", f"no taint {_taint(key, value, effect)}, which the pool has")
        elif have[key, effect] != value:
            taint = _taint(key, have[key, effect], effect)
            yield Trait("taints", f"taint {taint}, but the pool says {_taint(key, value, effect)}")
    for (key, effect), value in have.items():
        if (key, effect) not in stated:
            yield Trait(
                "taints", f"taint {_taint(key, value, effect)}, which the pool does not have"
            )


def _taint(key: str, value: str, effect: str) -> str:
    return f"{key}={value}:{effect}" if value else f"{key}:{effect}"
