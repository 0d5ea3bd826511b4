"""The fabric of a node, by the extended resources that it advertises."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.hardware import INSTANCE_TYPE
from gpuspec.manifests import Quantity, dns_subdomain, label_key
from gpuspec.numbers import read_whole
from gpuspec.spec import Rdma
from gpuspec.spec.quoting import either
from gpuspec.spec.rules.fabric import GKE_ADDRESS, GKE_NETWORK

if TYPE_CHECKING:
    from gpuspec.cluster.discover.input import LiveNode

EFA = "vpc.amazonaws.com/efa"
VIRTUAL_FUNCTION = "nvidia.com/rdma-vf"
SHARED_PREFIX = "rdma/"
PAGES, PAGE = "hugepages-2Mi", 2 << 20
UNATTACHED = (
    "nodes do not show which networks Multus attaches: add them as `networks`, one for each device"
)
NAMED = "nodes do not show what the interfaces are called in pods: names are in the usual order"


def fabric(node: LiveNode) -> tuple[Rdma | None, tuple[str, ...]]:
    """Return the fabric, with remarks for the user to check; None without a fabric.

    Interfaces (EFA, virtual functions, GKE's networks) are counted and divided among the GPUs. The
    number of a shared RDMA device only limits the pods that hold it: a pod requests one.
    """
    names = [name for name in sorted(node.allocatable) if _advertised(node, name)]
    chosen = next((n for n in (EFA, VIRTUAL_FUNCTION) if n in names), None)
    networks = _networks(names)
    known_as = _recipes(node, names)
    if chosen is None and networks:
        rdma, remarks = _gke(names, networks)
        return rdma, (*remarks, *known_as)
    chosen = chosen or next((name for name in names if name.startswith(SHARED_PREFIX)), None)
    if chosen is None:
        return None, ()
    remarks = (*_beside([name for name in names if name != chosen]), *known_as)
    env = dict(hardware.fabric_settings(node.labels))
    if chosen.startswith(SHARED_PREFIX):
        return Rdma(resource=chosen, env=env), remarks
    count = node.amount(chosen)
    rdma_resource = hardware.provider("eks").rdma_resource(chosen)
    needed = (rdma_resource.hugepages if rdma_resource else None) or 0
    pages = min(node.amount(PAGES) or 0, needed) // PAGE * PAGE
    hugepages = Quantity.of_bytes(pages) if pages > 0 else None
    if chosen == VIRTUAL_FUNCTION:
        remarks += (UNATTACHED,)
    several = count if count and count > 1 else None
    rdma = Rdma(resource=chosen, count=several, per_gpu=True, hugepages=hugepages, env=env)
    return rdma, remarks


def _gke(names: list[str], networks: list[str]) -> tuple[Rdma, tuple[str, ...]]:
    """Return GKE's networks; a pod with all GPUs of a node gets all of them."""
    resources = [GKE_NETWORK + network for network in networks]
    addresses = [name + GKE_ADDRESS for name in resources if name + GKE_ADDRESS in names]
    main, *more = (*resources, *addresses)
    remarks = _beside([name for name in names if name not in (main, *more)])
    interfaces = {f"eth{at}": network for at, network in enumerate(networks, 1)}
    rdma = Rdma(
        resource=main, per_gpu=True, resources=dict.fromkeys(more, 1), interfaces=interfaces
    )
    return rdma, (*remarks, NAMED)


def _recipes(node: LiveNode, names: list[str]) -> tuple[str, ...]:
    """Return the recipes for the node's machine type, if its fabric differs from the resource's
    default."""
    machine = node.labels.get(INSTANCE_TYPE)
    recipes = [recipe for recipe in hardware.recipes().values() if machine in recipe.machines]
    exact = [recipe for recipe in recipes if recipe.fields.get("resource") in names]
    others = [recipe for recipe in recipes if "resource" not in recipe.fields]
    choices = [f"`recipe: {recipe.name}`" for recipe in exact or others]
    if not choices or EFA in names:
        return ()
    return (f"for {machine} there is {either(choices)}, which sets the rest: see docs/fabric.md",)


def _beside(others: list[str]) -> tuple[str, ...]:
    return (f"also advertised: {', '.join(others)}",) if others else ()


def _networks(names: list[str]) -> list[str]:
    """Return GKE's networks of the GPUs, in the order of their numbers.

    A network with addresses and without a device is an ordinary network. If some networks are named
    for RDMA, the others are for other traffic.
    """
    devices = [
        name.removeprefix(GKE_NETWORK)
        for name in names
        if name.startswith(GKE_NETWORK) and not name.endswith(GKE_ADDRESS)
    ]
    legal = [network for network in devices if dns_subdomain(network) is None]
    called = [network for network in legal if "rdma" in network]
    return sorted(called or legal, key=_by_number)


def _by_number(text: str) -> list[tuple[int, str]]:
    """Return a sort key that puts `rdma-10` after `rdma-9`."""
    return [
        (read_whole(digits) or 0, word) for word, digits in re.findall("([^0-9]*)([0-9]*)", text)
    ]


def _advertised(node: LiveNode, name: str) -> bool:
    is_fabric = label_key(name) is None and hardware.fabric(name) is not None
    return is_fabric and (node.amount(name) or 0) > 0
