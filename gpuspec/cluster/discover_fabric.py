"""The RDMA fabric of a node, by the extended resources that it advertises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests import Quantity, label_key
from gpuspec.spec import Rdma

if TYPE_CHECKING:
    from gpuspec.cluster.discover_input import Node

EFA = "vpc.amazonaws.com/efa"
VIRTUAL_FUNCTION = "nvidia.com/rdma-vf"
SHARED_PREFIX = "rdma/"
PAGES, PAGE = "hugepages-2Mi", 2 << 20
# What the EFA examples of the EKS user guide give a pod beside its interfaces.
EFA_PAGES = 5120 << 20


def fabric(node: Node) -> tuple[Rdma | None, str | None]:
    """The fabric, and what a person should check about it; None without one.

    Interfaces (EFA, virtual functions) are counted and shared out with the GPUs. A shared RDMA
    device's number says only how many pods may hold it: a pod asks for one.
    """
    names = [
        name
        for name in sorted(node.allocatable)
        if _is_fabric(name) and (node.amount(name) or 0) > 0
    ]
    if not names:
        return None, None
    chosen = next((n for n in (EFA, VIRTUAL_FUNCTION) if n in names), names[0])
    others = [name for name in names if name != chosen]
    remark = f"also advertised: {', '.join(others)}" if others else None
    if chosen.startswith(SHARED_PREFIX):
        return Rdma(resource=chosen), remark
    count = node.amount(chosen) or 1
    pages = min(node.amount(PAGES) or 0, EFA_PAGES) // PAGE * PAGE if chosen == EFA else 0
    hugepages = Quantity.of_bytes(pages) if pages > 0 else None
    return Rdma(resource=chosen, count=count, per_gpu=True, hugepages=hugepages), remark


def _is_fabric(name: str) -> bool:
    known = name in (EFA, VIRTUAL_FUNCTION) or name.startswith(SHARED_PREFIX)
    return known and label_key(name) is None
