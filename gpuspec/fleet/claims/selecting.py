"""Evaluate the expressions by which a class or a request selects devices.

Source: k8s.io/dynamic-resource-allocation 1.37, cel/compile.go.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gpuspec.cel.checking import type_of
from gpuspec.cel.nodes import CelError
from gpuspec.cel.quantities import CelQuantity
from gpuspec.cel.running import made
from gpuspec.cel.scopes import DEVICES
from gpuspec.cel.syntax import parse
from gpuspec.cel.values import MISSING, CelObject, Failure, UnknownResult
from gpuspec.cel.versions import version
from gpuspec.fleet.claims.faults import SelectorError, Unreadable
from gpuspec.manifests import parse_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.cel.loops import Run
    from gpuspec.fleet.claims.model import Attribute, SliceDevice


def means(expression: str, device: SliceDevice) -> bool:
    """Return whether an expression selects a device. Raises `Broken` and `Unreadable`."""
    run = _run(expression)
    if run is None:
        raise Unreadable(expression)
    try:
        result = run({"device": seen(device)})
    except Failure as failure:
        raise SelectorError(str(failure)) from None
    except (UnknownResult, RecursionError):
        raise Unreadable(expression) from None
    if not isinstance(result, bool):
        raise Unreadable(expression)
    return result


@lru_cache(1024)
def _run(expression: str) -> Run | None:
    """Return the expression as a function; None if it does not compile."""
    try:
        tree = parse(expression)
        if str(type_of(tree, DEVICES)) not in ("bool", "any", "dyn"):
            return None
        return made(tree)
    except (CelError, UnknownResult, RecursionError):
        return None


@lru_cache(65536)
def seen(device: SliceDevice) -> dict[str, Any]:
    """Return a device as the variables of an expression."""
    attributes = {name: _value(attribute) for name, attribute in device.attributes.items()}
    capacity = {
        name: CelQuantity(parse_quantity(capacity.written))
        for name, capacity in device.capacity.items()
    }
    return {
        "driver": device.id.driver,
        "allowMultipleAllocations": device.shared,
        "attributes": _Domains(attributes, device.id.driver),
        "capacity": _Domains(capacity, device.id.driver),
    }


def _value(attribute: Attribute) -> Any:
    kind, value = attribute
    return version(str(value)) if kind == "version" else value


class _Domains(CelObject):
    """Values by domain and name; a missing domain is empty."""

    __slots__ = ("_of",)

    def __init__(self, values: Mapping[str, Any], driver: str) -> None:
        self._of: dict[str, dict[str, Any]] = {}
        for full, value in values.items():
            domain, slash, name = full.partition("/")
            if not slash:
                domain, name = driver, full
            self._of.setdefault(domain, {})[name] = value

    def get(self, name: str) -> Any:
        """See `Record`."""
        return self._of.get(name, {})

    def has(self, name: str) -> bool:
        """See `Record`: `in` does not create a domain."""
        return self._of.get(name, MISSING) is not MISSING

    def plain(self) -> dict[str, Any]:
        """See `Record`."""
        return self._of
