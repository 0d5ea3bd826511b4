"""Amounts and resources as people say them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.claims.counting import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

_GIB = 1 << 30
_NAMES = {"cpu": "CPU", "ephemeral-storage": "local disk", "pods": "pod slots"}
_BYTES = ("memory", "ephemeral-storage")


def resource(name: str) -> str:
    """A resource: those of Kubernetes by their names in prose, others by their own."""
    return _NAMES.get(name, name.removeprefix(PREFIX))


def amount(name: str, value: int) -> str:
    """So much of a resource, in the units of `Node.allocatable`."""
    if name == "cpu":
        whole, rest = divmod(value, 1000)
        return str(whole) if not rest else f"{value / 1000:g}"
    if name in _BYTES or name.startswith("hugepages-"):
        return f"{value / _GIB:.4g}Gi"
    return str(value)


def count(number: int, one: str, many: str = "") -> str:
    """`1 node`, `2 nodes`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def asked(requests: Mapping[str, int]) -> str:
    """What a pod asks for, devices first."""
    names = sorted(requests, key=lambda name: ("/" not in name, name))
    return ", ".join(f"{amount(name, requests[name])} {resource(name)}" for name in names)
