"""Kubernetes quantities: ``500m``, ``6Gi``, ``1e3``; exact, and printed as the API server does."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Self

from gpuspec.manifests.limits import MAX_DIGITS
from gpuspec.numbers import INT64, of_digits

if TYPE_CHECKING:
    from fractions import Fraction

Family = Literal["decimal", "binary", "exponent"]
"""The notation of a quantity: ``5M``, ``5Mi`` or ``5e6``. Arithmetic keeps it."""

_NANO = 10**9
# From billionths upwards, by thousands.
_DECIMAL_SUFFIXES = ("n", "u", "m", "", "k", "M", "G", "T", "P", "E")
_EXPONENTS = ("e-9", "e-6", "e-3", "", "e3", "e6", "e9", "e12", "e15", "e18")
_BINARY_SUFFIXES = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_NUMBER = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(.*)", re.DOTALL)
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]{1,3})")


class Quantity:
    """An exact amount in whole billionths, and its family of suffixes.

    Equal amounts compare and hash equal in any notation, also with numbers.
    """

    __slots__ = ("_nanos", "family")

    family: Family

    def __init__(self, value: "int | Fraction", family: Family = "decimal") -> None:
        """Store an amount of any size, because a sum can exceed what `parse` accepts.

        Digits below a billionth are rounded away from zero, as Kubernetes does.
        """
        self._nanos = _divided(value.numerator * _NANO, value.denominator)
        self.family = family

    @classmethod
    def parse(cls, source: str | int | float) -> Self:
        """Parse a quantity from YAML: a string, or a number (``cpu: 0.5``).

        Raises:
            ValueError: not a quantity; the message says what may have been meant. Or more than
                2^63-1, which is how far Kubernetes' whole numbers go.
        """
        quantity = cls.read(source)
        if abs(quantity._nanos) > INT64 * _NANO:
            raise ValueError("a quantity above 2^63-1, about 8Ei, is more than Kubernetes can hold")
        return quantity

    @classmethod
    def read(cls, source: str | int | float) -> Self:
        """Parse a quantity of any size, which the API server accepts too."""
        if isinstance(source, bool):
            raise ValueError(f"{source} is not a quantity: write a number, such as 500m or 6Gi")
        if isinstance(source, int):
            return cls(source)
        return cls._of(*_read(source if isinstance(source, str) else repr(source)))

    @classmethod
    def of_bytes(cls, count: int) -> Self:
        """Return an integer number of bytes in the binary family (``6Gi``)."""
        return cls(count, "binary")

    @classmethod
    def _of(cls, nanos: int, family: Family) -> Self:
        quantity = cls(0, family)
        quantity._nanos = nanos
        return quantity

    @property
    def value(self) -> "Fraction":
        """The exact amount."""
        return _exact(self._nanos)

    @property
    def int_value(self) -> int:
        """The amount as Kubernetes' ``Value()`` returns it: an integer, rounded away from zero."""
        return _divided(self._nanos, _NANO)

    @property
    def milli_value(self) -> int:
        """The amount in thousandths as ``MilliValue()`` returns it, rounded away from zero."""
        return _divided(self._nanos, _NANO // 1000)

    def __str__(self) -> str:
        # Small and broken amounts print in decimals, because binary suffixes would round them.
        if self.family == "binary" and abs(self) >= 1024 and self._nanos % _NANO == 0:
            return _scaled(self.int_value, 1024, _BINARY_SUFFIXES)
        suffixes = _EXPONENTS if self.family == "exponent" else _DECIMAL_SUFFIXES
        return _scaled(self._nanos, 1000, suffixes)

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Quantity):
            return self._nanos == other._nanos
        return self.value == other

    def __lt__(self, other: "Quantity | int | Fraction") -> bool:
        return self._nanos < _nanos(other)

    def __le__(self, other: "Quantity | int | Fraction") -> bool:
        return self._nanos <= _nanos(other)

    def __gt__(self, other: "Quantity | int | Fraction") -> bool:
        return self._nanos > _nanos(other)

    def __ge__(self, other: "Quantity | int | Fraction") -> bool:
        return self._nanos >= _nanos(other)

    def __bool__(self) -> bool:
        return self._nanos != 0

    def __add__(self, other: "Quantity | int") -> Self:
        return self._of(self._nanos + _as_quantity(other)._nanos, self._family_with(other))

    __radd__ = __add__

    def __sub__(self, other: "Quantity | int") -> Self:
        return self._of(self._nanos - _as_quantity(other)._nanos, self._family_with(other))

    def __neg__(self) -> Self:
        return self._of(-self._nanos, self.family)

    def __abs__(self) -> Self:
        return self._of(abs(self._nanos), self.family)

    def __mul__(self, factor: "int | Fraction") -> Self:
        nanos = _divided(self._nanos * factor.numerator, factor.denominator)
        return self._of(nanos, self.family)

    __rmul__ = __mul__

    def __truediv__(self, divisor: "Quantity | int | Fraction") -> "Fraction":
        """Return the exact quotient by a quantity or a number."""
        return self.value / (divisor.value if isinstance(divisor, Quantity) else divisor)

    def __floordiv__(self, divisor: "Quantity | int | Fraction") -> int:
        """Return the integer quotient by a quantity or a number."""
        return self._nanos // _nanos(divisor)

    def _family_with(self, other: "Quantity | int") -> Family:
        # Kubernetes lets a zero take over the family of what is added to it.
        return other.family if isinstance(other, Quantity) and not self else self.family


def parse_quantity(source: str | int | float) -> Quantity:
    """Parse a quantity; the same as :meth:`Quantity.parse`."""
    return Quantity.parse(source)


@lru_cache(1024)
def _exact(nanos: int) -> "Fraction":
    # Making one is slow, and a run meets the same few amounts over and over.
    from fractions import Fraction

    return Fraction(nanos, _NANO)


def _as_quantity(other: Quantity | int) -> Quantity:
    return other if isinstance(other, Quantity) else Quantity(other)


def _nanos(other: "Quantity | int | Fraction") -> "int | Fraction":
    return other._nanos if isinstance(other, Quantity) else other * _NANO


def _divided(amount: int, divisor: int) -> int:
    """Return a quotient rounded away from zero."""
    return -(-amount // divisor) if amount > 0 else amount // divisor


def _scaled(amount: int, base: int, suffixes: tuple[str, ...]) -> str:
    """Return an amount with the largest suffix that leaves an integer."""
    if amount == 0:
        return "0"
    power = 0
    while power < len(suffixes) - 1 and amount % base == 0:
        amount //= base
        power += 1
    return f"{amount}{suffixes[power]}"


def _read(text: str) -> tuple[int, Family]:
    match = _NUMBER.fullmatch(text)
    assert match is not None
    sign, whole, decimals, suffix = match[1], match[2], match[3] or "", match[4]
    if not whole + decimals or len(text) > MAX_DIGITS:
        raise ValueError(f"{text[:40]!r} is not a quantity: write a number, such as 500m or 6Gi")
    digits = of_digits(f"{sign}{whole}{decimals}")
    power = 9 - len(decimals)
    family: Family = "decimal"
    if suffix in _DECIMAL_SUFFIXES:
        power += 3 * _DECIMAL_SUFFIXES.index(suffix) - 9
    elif suffix in _BINARY_SUFFIXES:
        digits *= 1024 ** _BINARY_SUFFIXES.index(suffix)
        # What is less than one prints in decimals, for ever after.
        family = "decimal" if 0 < digits < 10 ** len(decimals) else "binary"
    elif exponent := _EXPONENT.fullmatch(suffix):
        power += of_digits(exponent[1])
        family = "exponent"
    else:
        advice = _advice(text[: -len(suffix)], suffix)
        raise ValueError(f"{text!r} is not a quantity: {advice}")
    return _divided(digits * 10 ** max(power, 0), 10 ** max(-power, 0)), family


def _advice(number: str, suffix: str) -> str:
    letter = suffix.strip()[:1].lower()
    plain = re.fullmatch(r"\s*([kmgtpe])(i?)b?(ytes)?\s*", suffix, re.IGNORECASE)
    if plain is None:
        return "the suffixes are m, k, M, G, T, P, E and Ki, Mi, Gi, Ti, Pi, Ei"
    power = "kmgtpe".index(letter) + 1
    decimal = "k" if letter == "k" else letter.upper()
    binary = f"{number}{letter.upper()}i (2^{power * 10})"
    if plain[2]:
        return f"did you mean {binary}?"
    return f"did you mean {number}{decimal} (10^{power * 3}) or {binary}?"
