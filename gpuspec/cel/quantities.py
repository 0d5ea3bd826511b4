"""Quantities: `quantity("1Gi")`.

Source: k8s.io/apiserver 1.37, pkg/cel/library.
"""

from __future__ import annotations

import math

from gpuspec.cel.operators import order
from gpuspec.cel.registry import can, each, function
from gpuspec.cel.values import Failure, Opaque
from gpuspec.manifests import Quantity as Amount
from gpuspec.manifests import parse_quantity
from gpuspec.numbers import inexact


class CelQuantity(Opaque):
    """A quantity: `quantity("1Gi")`."""

    NAME = "kubernetes.Quantity"


@function("quantity(string) -> kubernetes.Quantity")
def _quantity(text: str) -> CelQuantity:
    try:
        return CelQuantity(parse_quantity(text))
    except ValueError as error:
        raise Failure(str(error)) from None


function("isQuantity(string) -> bool")(can(_quantity))


@function("sign(kubernetes.Quantity) -> int")
def _sign(value: CelQuantity) -> int:
    return order(value.of, Amount(0))


_ORDERED = ("kubernetes.Quantity", "kubernetes.Semver")


@function(*each("$:compareTo($) -> int", _ORDERED))
def _compare(left: Opaque, right: Opaque) -> int:
    return order(left.of, right.of)


@function(*each("$:isGreaterThan($) -> bool", _ORDERED))
def _is_greater(left: Opaque, right: Opaque) -> bool:
    return bool(left.of > right.of)


@function(*each("$:isLessThan($) -> bool", _ORDERED))
def _is_less(left: Opaque, right: Opaque) -> bool:
    return bool(left.of < right.of)


@function("kubernetes.Quantity:asApproximateFloat() -> double")
def _as_float(value: CelQuantity) -> float:
    return inexact(value.of.value)


@function("kubernetes.Quantity:isInteger() -> bool")
def _is_integer(value: CelQuantity) -> bool:
    return bool(value.of.value.denominator == 1)


@function("kubernetes.Quantity:asInteger() -> int")
def _as_integer(value: CelQuantity) -> int:
    if not _is_integer(value):
        raise Failure("cannot convert value to integer")
    integer: int = math.trunc(value.of.value)
    return integer


@function(
    *each("kubernetes.Quantity:add($) -> kubernetes.Quantity", ("kubernetes.Quantity", "int"))
)
def _more(left: CelQuantity, right: CelQuantity | int) -> CelQuantity:
    return CelQuantity(left.of + (right.of if isinstance(right, CelQuantity) else right))


@function(
    *each("kubernetes.Quantity:sub($) -> kubernetes.Quantity", ("kubernetes.Quantity", "int"))
)
def _less(left: CelQuantity, right: CelQuantity | int) -> CelQuantity:
    return CelQuantity(left.of - (right.of if isinstance(right, CelQuantity) else right))
