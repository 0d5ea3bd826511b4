"""Huge pages of a pod: those for its devices' driver, and those for the fabric's library."""

import math

from gpuspec.enumeration import counted
from gpuspec.manifests import Quantity
from gpuspec.plan.decision import Decision, Note, Origin, from_profile
from gpuspec.plan.devices import pod_needs
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.wording import MIB

HUGEPAGES = "hugepages-2Mi"
_PAGE = 2 * MIB


def part_of(pages: Quantity, gpus: int, of: int) -> Quantity:
    """Return the part of a node's huge pages for this number of its GPUs, in whole pages."""
    part = -(-math.floor(pages.value) * gpus // (of * _PAGE)) * _PAGE
    return Quantity.parse(f"{part // MIB}Mi")


def driver_pages(resolution: Resolution) -> dict[str, Decision]:
    """Return the huge pages for the driver of the pod's devices, in the first chosen pool."""
    if not resolution.pools:
        return {}
    first = resolution.pools[0]
    pages, of = first.pool.gpu.hugepages, first.pool.gpu.count * first.device_option.per_gpu
    if pages is None:
        return {}
    words = (
        f"{resolution.gpus}/{of} of the {pages} that a node reserves for its accelerators' driver"
    )
    where = first.path("gpu", "hugepages")
    return {HUGEPAGES: from_profile(where, str(part_of(pages, resolution.gpus, of)), words)}


def added(decision: Decision | None, other_decision: Decision) -> Decision:
    """Return the sum of both, if there are two."""
    if decision is None:
        return other_decision
    total = math.floor(Quantity.parse(decision.value).value) + math.floor(
        Quantity.parse(other_decision.value).value
    )
    return Decision(
        f"{total // MIB}Mi", f"{decision.reason}; {other_decision.reason}", other_decision.origin
    )


def page_notes(resolution: Resolution) -> list[Note]:
    """Return a loud note if the driver needs huge pages, and the profile states none."""
    needed = pod_needs(resolution).hugepages
    if needed is None or not resolution.pools or resolution.pools[0].pool.gpu.hugepages is not None:
        return []
    first = resolution.pools[0]
    text = (
        f"pool {first.pool.name} does not say how many huge pages its nodes have "
        "(gpu.hugepages): the pod requests none with its "
        f"{counted(resolution.gpus, 'accelerator')}, and {needed.why}"
    )
    return [Note(text, Origin("profile", first.path("gpu")), loud=True)]
