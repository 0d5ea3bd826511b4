"""The random numbers of Go's package math/rand, draw for draw, as a seeded Go program has them.

The generator is an additive lagged Fibonacci one over 64 bits, by D. P. Mitchell and J. A. Reeds:
each number is the sum of the ones 607 and 273 before it. Its documentation (`math/rand/rng.go` and
`gen_cooked.go`) gives the parameters. Go promises that seeded streams never change.
"""

from collections.abc import Iterable, MutableSequence
from functools import cache
from typing import TypeVar

T = TypeVar("T")

_LONG, _SHORT = 607, 273
_WORD, _SIGNLESS = (1 << 64) - 1, (1 << 63) - 1

# Seeds go through the minimal standard generator of Park and Miller, in its version of 1993.
_PRIME, _FACTOR, _INSTEAD_OF_ZERO, _SKIPPED = (1 << 31) - 1, 48271, 89482311, 20

# A seed's numbers are mixed with what the generator itself has after so many steps from seed 1.
_STEPS = 7_800_000_000_000

# Polynomials are packed into integers: a product's coefficient is below 607 · 2^128, and reduction
# adds three of them.
_SLOT = 144


class GoRand:
    """What `rand.Seed(seed)` and then Go's functions of these names give."""

    def __init__(self, seed: int) -> None:
        mixed = zip(_seeded(seed, 40, 20), _warm(), strict=True)
        self._held = [one ^ other for one, other in mixed]
        self._tap, self._feed = 0, _LONG - _SHORT

    def int63(self) -> int:
        """At least 0 and below 2^63."""
        tap = self._tap = (self._tap or _LONG) - 1
        feed = self._feed = (self._feed or _LONG) - 1
        held = self._held
        found = held[feed] = (held[feed] + held[tap]) & _WORD
        return found & _SIGNLESS

    def intn(self, bound: int) -> int:
        """At least 0 and below the bound, which is below 2^31. One draw, rarely more."""
        if bound & (bound - 1) == 0:
            return self.int63() >> 32 & (bound - 1)
        most = (1 << 31) - (1 << 31) % bound
        while (found := self.int63() >> 32) >= most:
            pass
        return found % bound

    def perm(self, number: int) -> list[int]:
        """The numbers below this one in random order."""
        made = [0] * number
        for index in range(number):
            other = self.intn(index + 1)
            made[index] = made[other]
            made[other] = index
        return made

    def shuffle(self, line: MutableSequence[T]) -> None:
        """In place. Draws by multiplication, which is another stream than that of `intn`."""
        for index in range(len(line) - 1, 0, -1):
            other = self._below(index + 1)
            line[index], line[other] = line[other], line[index]

    def _below(self, bound: int) -> int:
        """After D. Lemire: the upper half of a product, without those that would be too many."""
        product = (self.int63() >> 31) * bound
        while product & 0xFFFF_FFFF < (1 << 32) % bound:
            product = (self.int63() >> 31) * bound
        return product >> 32


def _seeded(seed: int, upper: int, middle: int) -> list[int]:
    """What a seed fills the generator with: of three small numbers each, moved and mixed."""
    small = seed % _PRIME or _INSTEAD_OF_ZERO
    for _ in range(_SKIPPED):
        small = small * _FACTOR % _PRIME
    held: list[int] = []
    for _ in range(_LONG):
        word = 0
        for shift in (upper, middle, 0):
            small = small * _FACTOR % _PRIME
            word ^= small << shift
        held.append(word & _WORD)
    return held


@cache
def _warm() -> tuple[int, ...]:
    """The generator's own numbers after `_STEPS` steps, without doing so many.

    Counted from the oldest number that a fresh generator holds, number n is the sum of numbers
    n - 607 and n - 273. So it is a sum of the first 607, each times a coefficient of x^n modulo
    x^607 - x^334 - 1, and that takes 43 squarings. Position p of the generator is first overwritten
    at step 333 - p, modulo 607.
    """
    fresh = _seeded(1, 20, 10)
    line = [fresh[(_LONG - _SHORT - 1 - step) % _LONG] for step in range(_LONG)]
    for index in range(_LONG, 2 * _LONG - 1):
        line.append(line[index - _LONG] + line[index - _SHORT] & _WORD)
    power = _power(_STEPS)
    # Number _STEPS + j is Σ power[i] · line[i + j]: a product's coefficient, with one side reversed.
    product = _packed(reversed(_unpacked(power, _LONG))) * _packed(line)
    last = _unpacked(product, 3 * _LONG)[_LONG - 1 : 2 * _LONG - 1]
    held = [0] * _LONG
    for index, word in enumerate(last):
        held[(_LONG - _SHORT - 1 - _STEPS - index) % _LONG] = word & _WORD
    return tuple(held)


def _power(exponent: int) -> int:
    """x to this power modulo x^607 - x^334 - 1, coefficients modulo 2^64."""
    kept, mask = (1 << _LONG * _SLOT) - 1, _mask(_LONG)
    found = 1
    for bit in f"{exponent:b}":
        found *= found
        if bit == "1":
            found <<= _SLOT
        while over := found >> _LONG * _SLOT:
            found = (found & kept) + over + (over << (_LONG - _SHORT) * _SLOT)
        found &= mask
    return found


def _packed(coefficients: Iterable[int]) -> int:
    width = _SLOT // 8
    return int.from_bytes(b"".join(one.to_bytes(width, "little") for one in coefficients), "little")


def _unpacked(packed: int, number: int) -> list[int]:
    width = _SLOT // 8
    held = packed.to_bytes(number * width, "little")
    return [int.from_bytes(held[at : at + width], "little") for at in range(0, len(held), width)]


def _mask(number: int) -> int:
    """Keeps 64 bits of each of so many coefficients."""
    return int.from_bytes(((_WORD).to_bytes(_SLOT // 8, "little")) * number, "little")
