"""Parts of cards under HAMi: a pod has an amount of each card's memory and cores. kube-scheduler
adds resources up and does not distinguish cards, so a card counts in equal parts: if a card
holds four pods, each takes a quarter of it, even if memory is left over.

For pods of several sizes the sum is an upper bound.
"""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gpuspec.hardware.hami import GPU, HAMI, MOST_PODS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.fleet.fit.demand import PodDemand
    from gpuspec.fleet.nodes.node import FleetNode

_PART = "nvidia.com/gpu.part"
"""A resource of gpuspec's own: HAMi has no name for it."""


def parts_of(demands: Iterable[PodDemand]) -> int | None:
    """Return how many parts a card counts as, so that pods of each demand take a whole number of
    them; None if HAMi places none of them."""
    card_shares = [demand.a_card for demand in demands if demand.a_card]
    return lcm(*card_shares) if card_shares else None


def in_parts(demand: PodDemand, parts: int) -> PodDemand:
    """Return the demand in parts of cards: HAMi also places pods that request only a number of
    cards, and gives them whole ones."""
    requests = dict(demand.shape.requests)
    if GPU not in requests and not demand.a_card:
        return demand
    cards = requests.setdefault(GPU, 1)
    if demand.a_card:
        requests = {name: amount for name, amount in requests.items() if name not in HAMI}
    requests[_PART] = cards * parts // (demand.a_card or 1)
    return replace(demand, shape=replace(demand.shape, requests=requests))


def divided(node: FleetNode, parts: int) -> FleetNode:
    """Return a node whose cards count in parts; one without cards of HAMi's as it is."""
    from gpuspec.fleet.nodes.layout import pieces_of

    inside = node.gpus
    if inside is None or inside.sharing is not None or list(inside.pieces) != [GPU]:
        return node
    have = {**node.allocatable, GPU: inside.count * MOST_PODS, _PART: inside.count * parts}
    pieces = {_PART: pieces_of(inside.count, parts)}
    return replace(node, allocatable=have, gpus=replace(inside, pieces=pieces))
