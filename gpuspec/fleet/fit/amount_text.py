"""Amounts and resources as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.claims.counting import PREFIX

if TYPE_CHECKING:
    pass

_GIB = 1 << 30
_NAMES = {"cpu": "CPU", "ephemeral-storage": "local disk", "pods": "pod slots"}
_BYTES = ("memory", "ephemeral-storage")
_UNITS = (
    ("Gi", _GIB),
    ("Mi", 1 << 20),
    ("G", 10**9),
    ("M", 10**6),
    ("Ki", 1 << 10),
    ("k", 1000),
    ("", 1),
)
"""Units of bytes, the usual ones first."""
# CPU is given in whole cores where a share has several, else in tenths.
_CORE, _TENTH = 1000, 100


def resource(name: str) -> str:
    """Return a resource: those of Kubernetes by their names in prose, others by their own."""
    return _NAMES.get(name, name.removeprefix(PREFIX))


def amount(name: str, value: int) -> str:
    """Format an amount of a resource, given in the units of `Node.allocatable`."""
    if name == "cpu":
        whole, rest = divmod(value, 1000)
        return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)
    if _is_bytes(name):
        if value < _GIB and value:
            unit, size = _unit(value)
            return f"{value // size}{unit}"
        whole = not value % _GIB or value >= 1000 * _GIB
        return f"{value // _GIB}Gi" if whole else f"{value / _GIB:.4g}Gi"
    return str(value)


def amount_of(name: str, value: int) -> str:
    """Return an amount with its resource: `8 nvidia.com/gpu`, `1 pod slot`."""
    amount_text = f"{amount(name, value)} {resource(name)}"
    return amount_text.removesuffix("s") if name == "pods" and value == 1 else amount_text


def beside(name: str, requested: int, has: int) -> tuple[str, str]:
    """Return a requested amount and the smaller available one, in the largest unit in which the
    requested amount is a whole number; the other is rounded down."""
    if not _is_bytes(name):
        return amount(name, requested), amount(name, has)
    unit, size = _unit(requested)
    return f"{requested // size}{unit}", f"{has // size}{unit}" if has // size else "0"


def rounded_down(name: str, value: int) -> int:
    """Round an amount down to a readable one; a positive amount never becomes zero."""
    if name == "cpu":
        step = _CORE if value >= 4 * _CORE else _TENTH
        return value // step * step or value
    if _is_bytes(name):
        return value // _GIB * _GIB or value
    return value


def _unit(value: int) -> tuple[str, int]:
    """Return the first unit that bytes are a whole number of."""
    return next((unit, size) for unit, size in _UNITS if not value % size)


def _is_bytes(name: str) -> bool:
    return name in _BYTES or name.startswith("hugepages-")
