"""Type inference while an expression is checked: type parameters of signatures, items of empty
lists."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from gpuspec.cel.types import DYN, OPEN, CelType

if TYPE_CHECKING:
    from gpuspec.cel.registry import Function

_TAKES_NULL = frozenset({"duration", "timestamp", "null_type"})


class Unifier:
    """The types inferred so far for type variables."""

    def __init__(self) -> None:
        self._known: dict[str, CelType] = {}
        self._learned: list[tuple[str, CelType | None]] = []
        """The inferred variables in order, each with its previous type."""
        self._free = count()

    def whole(self, kind: CelType) -> CelType:
        """Return a type with its variables replaced; one that is still unknown becomes `dyn`."""
        while kind.name in self._known:
            kind = self._known[kind.name]
        if kind.name.startswith("?"):
            return DYN
        return kind._replace(of=tuple(map(self.whole, kind.of))) if kind.of else kind

    def now(self, kind: CelType) -> CelType:
        """Return the type that a variable stands for by now; any other type unchanged."""
        while kind.name in self._known:
            kind = self._known[kind.name]
        return kind

    def new(self) -> CelType:
        """Return a new type variable."""
        return CelType(f"?{next(self._free)}")

    def given(self, form: Function, takes: list[CelType], *, is_member: bool) -> CelType | None:
        """Return the result type of an overload for some argument types; None if it does not accept
        them."""
        signature = form.signature
        if signature.member != is_member or len(signature.takes) != len(takes):
            return None
        letters: dict[str, CelType] = {}
        before = len(self._learned)
        cel_types = [self._opened(cel_type, letters) for cel_type in signature.takes]
        if all(
            self.fits(cel_type, parameter_type)
            for cel_type, parameter_type in zip(takes, cel_types, strict=True)
        ):
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
        """Return a type with its known variables replaced; the others stay."""
        kind = self.now(kind)
        return kind._replace(of=tuple(map(self.so_far, kind.of))) if kind.of else kind

    def _opened(self, kind: CelType, letters: dict[str, CelType]) -> CelType:
        """Return a type of a signature with new variables for its type parameters."""
        if len(kind.name) == 1:
            return letters.setdefault(kind.name, self.new())
        return kind._replace(of=tuple(self._opened(cel_type, letters) for cel_type in kind.of))

    def fits(self, cel_type: CelType, wanted_type: CelType) -> bool:
        """Return whether a value of one type is accepted where the other is wanted."""
        letter, cel_type, wanted_type = wanted_type, self.now(cel_type), self.now(wanted_type)
        if letter.name in self._known and cel_type.name in OPEN:
            self._learn(letter.name, cel_type)
        if cel_type == wanted_type:
            return True
        for open_one, known_type in ((wanted_type, cel_type), (cel_type, wanted_type)):
            if open_one.name.startswith("?"):
                if not self._holds(known_type, open_one.name):
                    self._learn(open_one.name, known_type)
                return True
        if cel_type.name in OPEN or wanted_type.name in OPEN:
            return True
        if "null_type" in (cel_type.name, wanted_type.name):
            rest = wanted_type if cel_type.name == "null_type" else cel_type
            return rest.name in _TAKES_NULL or rest.fields is not None or "." in rest.name
        return (
            cel_type.name == wanted_type.name
            and len(cel_type.of) == len(wanted_type.of)
            and all(map(self.fits, cel_type.of, wanted_type.of))
        )

    def _holds(self, kind: CelType, name: str) -> bool:
        kind = self.now(kind)
        return kind.name == name or any(self._holds(cel_type, name) for cel_type in kind.of)
