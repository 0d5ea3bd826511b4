"""What is known of types while an expression is gone through: letters of signatures, items of empty lists."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from gpuspec.cel.types import DYN, OPEN, CelType

if TYPE_CHECKING:
    from gpuspec.cel.registry import Function

_TAKES_NULL = frozenset({"duration", "timestamp", "null_type"})


class Unifier:
    """What is known of the types that are not written out."""

    def __init__(self) -> None:
        self._known: dict[str, CelType] = {}
        self._learned: list[tuple[str, CelType | None]] = []
        """What was found out, in order, with what was known before."""
        self._free = count()

    def whole(self, kind: CelType) -> CelType:
        """Return a type with what is known of its parts by now."""
        while kind.name in self._known:
            kind = self._known[kind.name]
        if kind.name.startswith("?"):
            return DYN
        return kind._replace(of=tuple(map(self.whole, kind.of))) if kind.of else kind

    def now(self, kind: CelType) -> CelType:
        """Return a type as it is known by now."""
        while kind.name in self._known:
            kind = self._known[kind.name]
        return kind

    def new(self) -> CelType:
        """Return a type of which nothing is known yet."""
        return CelType(f"?{next(self._free)}")

    def given(self, form: Function, takes: list[CelType], *, is_member: bool) -> CelType | None:
        """Return what a form of a function gives for some arguments; None if it does not take
        them."""
        signature = form.signature
        if signature.member != is_member or len(signature.takes) != len(takes):
            return None
        letters: dict[str, CelType] = {}
        before = len(self._learned)
        cel_types = [self._opened(one, letters) for one in signature.takes]
        if all(self.fits(one, other) for one, other in zip(takes, cel_types, strict=True)):
            return self.so_far(self._opened(signature.gives, letters))
        self._forget(before)
        return None

    def _learn(self, name: str, kind: CelType) -> None:
        self._learned.append((name, self._known.get(name)))
        self._known[name] = kind

    def _forget(self, since: int) -> None:
        while len(self._learned) > since:
            name, kind = self._learned.pop()
            if kind is None:
                del self._known[name]
            else:
                self._known[name] = kind

    def so_far(self, kind: CelType) -> CelType:
        """Return a type with what is known of its parts; what is not known stays open."""
        kind = self.now(kind)
        return kind._replace(of=tuple(map(self.so_far, kind.of))) if kind.of else kind

    def _opened(self, kind: CelType, letters: dict[str, CelType]) -> CelType:
        """Return a type of a signature with new types for its letters."""
        if len(kind.name) == 1:
            return letters.setdefault(kind.name, self.new())
        return kind._replace(of=tuple(self._opened(one, letters) for one in kind.of))

    def fits(self, one: CelType, other: CelType) -> bool:
        """Return whether a value of one type may be where the other is wanted."""
        letter, one, other = other, self.now(one), self.now(other)
        if letter.name in self._known and one.name in OPEN:
            self._learn(letter.name, one)
        if one == other:
            return True
        for open_one, known in ((other, one), (one, other)):
            if open_one.name.startswith("?"):
                if not self._holds(known, open_one.name):
                    self._learn(open_one.name, known)
                return True
        if one.name in OPEN or other.name in OPEN:
            return True
        if "null_type" in (one.name, other.name):
            rest = other if one.name == "null_type" else one
            return rest.name in _TAKES_NULL or rest.fields is not None or "." in rest.name
        return (
            one.name == other.name
            and len(one.of) == len(other.of)
            and all(map(self.fits, one.of, other.of))
        )

    def _holds(self, kind: CelType, name: str) -> bool:
        kind = self.now(kind)
        return kind.name == name or any(self._holds(one, name) for one in kind.of)
