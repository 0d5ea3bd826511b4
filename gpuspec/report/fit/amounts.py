"""Numbers, resources and places as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.claims.counting import PREFIX, is_gpu

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.fleet.fit.result import MetricChange

_RESOURCES = {
    "cpu": "CPU",
    "memory": "memory",
    "ephemeral-storage": "local disk",
    "pods": "pod slots",
    "podAntiAffinity": "its anti-affinity",
    "hostPort": "its host port",
    "nvidia.com/gpu": "GPUs",
    "amd.com/gpu": "GPUs",
    "gpu.intel.com/i915": "GPUs",
    "gpu.intel.com/xe": "GPUs",
    "habana.ai/gaudi": "accelerators",
    "nvidia.com/gpu.shared": "shared GPUs",
}
_BYTES = ("memory", "ephemeral-storage")
_MIG = "nvidia.com/mig-"
_CLAIMED = {
    f"{PREFIX}gaudi.intel.com": "accelerators",
    f"{PREFIX}devices": "devices for its claims",
}
_CLAIMED_MIG = f"{PREFIX}mig.nvidia.com/"
_HUGE = "hugepages-"
_GI = 1024**3


def resource(name: str) -> str:
    """Return a resource's name for users: `CPU`, `GPUs`, `MIG slices 1g.10gb`; else the resource
    name itself."""
    if name.startswith(_MIG):
        return f"MIG slices {name.removeprefix(_MIG)}"
    if name.startswith(_CLAIMED_MIG):
        return f"MIG slices {name.removeprefix(_CLAIMED_MIG)}"
    if name.startswith(PREFIX):
        return _CLAIMED.get(name) or ("GPUs" if is_gpu(name) else name.removeprefix(PREFIX))
    if name.startswith(_HUGE):
        return f"huge pages of {name.removeprefix(_HUGE)}"
    if name.startswith("rdma/") or "rdma" in name.partition("/")[0]:
        return f"RDMA devices ({name})"
    return _RESOURCES.get(name, name)


def amount(name: str, value: int) -> str:
    """Return an amount of a resource: `12 CPU`, `40Gi memory`, `2 GPUs`. Units of
    `Node.allocatable`."""
    if name in _BYTES or name.startswith(_HUGE):
        gi = value / _GI
        shown = f"{gi:,.0f}Gi" if gi >= 10 else f"{gi:.1f}".removesuffix(".0") + "Gi"
        return f"{shown} {resource(name)}"
    return f"{gpus(value) if name == 'cpu' else f'{value:,}'} {resource(name)}"


def amounts(of: Mapping[str, int]) -> str:
    """Return all amounts, CPU and memory first, without zeros."""
    order_known = list(_RESOURCES)
    order = sorted(
        of,
        key=lambda name: (
            order_known.index(name) if name in order_known else len(order_known),
            name,
        ),
    )
    return ", ".join(amount(name, of[name]) for name in order if of[name])


def gpus(milli: int) -> str:
    """Return thousandths as a number without needless digits: `8`, `0.25`, `6,212`."""
    whole, rest = divmod(milli, 1000)
    return f"{whole:,}" + (f".{rest:03}".rstrip("0") if rest else "")


def figure(value: float) -> str:
    """Return a computed number with three digits: `1,204`, `37.5`, `0.25`."""
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2
    shown = f"{value:,.{digits}f}"
    shown = shown.rstrip("0").rstrip(".") if digits else shown
    return "0" if shown == "-0" else shown


def change(of: MetricChange) -> str:
    """Return `4 → 3.5`, or a single figure if both read the same."""
    before, after = figure(of.before), figure(of.after)
    return before if before == after else f"{before} → {after}"


def percent(part: float, of: float) -> str:
    """Return a fraction in percent: `37 %`; a small positive fraction is not shown as zero."""
    if not of:
        return "0 %"
    share = 100 * part / of
    if 0 < share < 1:
        return "under 1 %"
    return "over 99 %" if 99 < share < 100 else f"{share:.0f} %"


def between(least: int, most: int) -> str:
    """Return `6`, or `6–8`."""
    return f"{least:,}" if least == most else f"{least:,}–{most:,}"


def few(items: list[str], most: int) -> str:
    """Return the first items, and the number of further ones; a single further item is named."""
    if len(items) <= most + 1:
        return ", ".join(items)
    return f"{', '.join(items[:most])} and {len(items) - most:,} more"


def letter(index: int) -> str:
    """Return the letter of a workload in pictures: `A` to `Z`, `a` to `z`; `+` for one of many
    others."""
    if index < 26:
        return chr(ord("A") + index)
    return chr(ord("a") + index - 26) if index < 52 else "+"
