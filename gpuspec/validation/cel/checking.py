"""The type of an expression, found before it runs, as the server does when an object has one."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from gpuspec.validation.cel import times
from gpuspec.validation.cel.library import FUNCTIONS
from gpuspec.validation.cel.names import TYPES, dotted, namespaced
from gpuspec.validation.cel.nodes import (
    Array,
    Call,
    Constant,
    Fault,
    Has,
    Loop,
    Name,
    Node,
    Select,
    Table,
)
from gpuspec.validation.cel.regexes import compiled
from gpuspec.validation.cel.types import BOOL, DYN, INT, OPEN, Kind
from gpuspec.validation.cel.values import Failure, Unknown, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gpuspec.validation.cel.registry import Function

_TAKES_NULL = frozenset({"duration", "timestamp", "null_type"})
_SIMPLE = frozenset({"int", "uint", "double", "bool", "string", "bytes", "type"})
_COMPARABLE = _SIMPLE | {"duration", "timestamp"}


def type_of(node: Node, variables: Mapping[str, Kind]) -> Kind:
    """The type of an expression with some variables. Raises `Fault` for what does not compile."""
    checker = _Checker()
    return checker.whole(checker.kind(node, variables))


class _Checker:
    """What is known of the types that are not written out: of an empty list's items."""

    def __init__(self) -> None:
        self._known: dict[str, Kind] = {}
        self._learned: list[tuple[str, Kind | None]] = []
        """What was found out, in order, with what was known before."""
        self._free = count()

    def kind(self, node: Node, variables: Mapping[str, Kind]) -> Kind:
        match node:
            case Constant():
                return Kind(name_of(node.value))
            case Name():
                return self._name(node.name, node.at, variables)
            case Has():
                self._field(self.kind(node.of.of, variables), node.of)
                return BOOL
            case Select():
                full = dotted(node)
                if full in variables or (full in TYPES and full.partition(".")[0] not in variables):
                    return self._name(full, node.at, variables)
                return self._field(self.kind(node.of, variables), node)
            case Call():
                return self._call(node, variables)
            case Array():
                items = [self._item(one, optional, variables) for one, optional in node.items]
                return Kind("list", (self._same(items, node.at),))
            case Table():
                return self._table(node, variables)
        return self._loop(node, variables)

    def whole(self, kind: Kind) -> Kind:
        """A type with what is known of its parts by now."""
        while kind.name in self._known:
            kind = self._known[kind.name]
        if kind.name.startswith("?"):
            return DYN
        return kind._replace(of=tuple(map(self.whole, kind.of))) if kind.of else kind

    def _now(self, kind: Kind) -> Kind:
        while kind.name in self._known:
            kind = self._known[kind.name]
        return kind

    def _new(self) -> Kind:
        return Kind(f"?{next(self._free)}")

    def _name(self, name: str, at: int, variables: Mapping[str, Kind]) -> Kind:
        if name in variables:
            return variables[name]
        if name in TYPES:
            return Kind("type")
        raise Fault(f"there is no variable `{name}`", at)

    def _field(self, of: Kind, node: Select) -> Kind:
        of = self._now(of)
        if of.name == "optional_type":
            return Kind("optional_type", (self._plain_field(self._now(of.of[0]), node),))
        found = self._plain_field(of, node)
        return Kind("optional_type", (found,)) if node.optional else found

    def _plain_field(self, of: Kind, node: Select) -> Kind:
        if of.fields is not None:
            if node.field not in of.fields:
                raise Fault(f"there is no field `{node.field}`", node.at)
            return of.fields[node.field]
        if of.name == "map":
            return of.of[1]
        if of.name in OPEN or of.name.startswith("?"):
            return DYN
        raise Fault(f"{a_type(of)} has no field `{node.field}`", node.at)

    def _same(self, kinds: list[Kind], at: int) -> Kind:
        """The type that all items of a list have."""
        if not kinds:
            return self._new()
        first = kinds[0]
        for one in kinds[1:]:
            is_open = self._now(one).name in OPEN
            if is_open != (self._now(first).name in OPEN) or not self._fits(one, first):
                said = f"its parts are of two types, {a_type(self.whole(first))} and {a_type(self.whole(one))}"
                raise Fault(said, at)
        return first

    def _item(self, node: Node, optional: bool, variables: Mapping[str, Kind]) -> Kind:
        kind = self._now(self.kind(node, variables))
        if not optional or kind.name in OPEN:
            return kind
        if kind.name != "optional_type":
            raise Fault(f"it is {a_type(kind)}, and no optional value", node.at)
        return kind.of[0]

    def _table(self, node: Table, variables: Mapping[str, Kind]) -> Kind:
        if node.kind:
            return self._object(node, variables)
        keys = [self.kind(key, variables) for key, _, _ in node.entries]
        values = [self._item(value, optional, variables) for _, value, optional in node.entries]
        return Kind("map", (self._same(keys, node.at), self._same(values, node.at)))

    def _object(self, node: Table, variables: Mapping[str, Kind]) -> Kind:
        kind = variables.get(f"{node.kind}{{}}")
        if kind is None and node.kind.startswith("Object.") and "Object{}" in variables:
            kind = Kind(node.kind)
        if kind is None:
            raise Fault(f"there is no type `{node.kind}`", node.at)
        for key, value, optional in node.entries:
            assert isinstance(key, Constant)
            found = self._item(value, optional, variables)
            if kind.fields is None:
                continue
            wanted = self._plain_field(kind, Select(value, str(key.value), False, key.at))
            if not self._fits(found, wanted):
                said = f"`{key.value}` needs {a_type(wanted)}, not {a_type(self.whole(found))}"
                raise Fault(said, value.at)
        return kind

    # Calls.

    def _call(self, node: Call, variables: Mapping[str, Kind]) -> Kind:
        name, of, arguments = namespaced(node)
        parts = (*(() if of is None else (of,)), *arguments)
        if name == "format" and len(arguments) == 1 and isinstance(arguments[0], Array):
            # A list of anything, here and nowhere else.
            for item, _ in arguments[0].items:
                self.kind(item, variables)
            _check_count(parts[0], arguments[0])
            parts = (parts[0], Array((), arguments[0].at))
        takes = [self.kind(one, variables) for one in parts]
        forms = FUNCTIONS.get(name)
        if forms is None:
            raise Fault(f"there is no function `{name}`", node.at)
        found: Kind | None = None
        for form in forms:
            gives = self._given(form, takes, is_member=of is not None)
            if gives is not None:
                same = found is None or found == gives
                found = gives if same else DYN
        if found is None:
            raise Fault(_no_form(name, [self.whole(one) for one in takes], of is not None), node.at)
        _check_literals(name, parts)
        return found

    def _given(self, form: Function, takes: list[Kind], *, is_member: bool) -> Kind | None:
        """What a form of a function gives for some arguments; None if it does not take them."""
        signature = form.signature
        if signature.member != is_member or len(signature.takes) != len(takes):
            return None
        letters: dict[str, Kind] = {}
        before = len(self._learned)
        wanted = [self._opened(one, letters) for one in signature.takes]
        if all(self._fits(one, other) for one, other in zip(takes, wanted, strict=True)):
            return self.whole_of(self._opened(signature.gives, letters))
        self._forget(before)
        return None

    def _learn(self, name: str, kind: Kind) -> None:
        self._learned.append((name, self._known.get(name)))
        self._known[name] = kind

    def _forget(self, since: int) -> None:
        while len(self._learned) > since:
            name, kind = self._learned.pop()
            if kind is None:
                del self._known[name]
            else:
                self._known[name] = kind

    def whole_of(self, kind: Kind) -> Kind:
        """A type with what is known of its parts; what is not known stays open."""
        kind = self._now(kind)
        return kind._replace(of=tuple(map(self.whole_of, kind.of))) if kind.of else kind

    def _opened(self, kind: Kind, letters: dict[str, Kind]) -> Kind:
        """A type of a signature with new types for its letters."""
        if len(kind.name) == 1:
            return letters.setdefault(kind.name, self._new())
        return kind._replace(of=tuple(self._opened(one, letters) for one in kind.of))

    def _fits(self, one: Kind, other: Kind) -> bool:
        """Whether a value of one type may be where the other is wanted."""
        letter, one, other = other, self._now(one), self._now(other)
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
            and all(map(self._fits, one.of, other.of))
        )

    def _holds(self, kind: Kind, name: str) -> bool:
        kind = self._now(kind)
        return kind.name == name or any(self._holds(one, name) for one in kind.of)

    # Loops.

    def _loop(self, node: Loop, variables: Mapping[str, Kind]) -> Kind:
        of = self._now(self.kind(node.of, variables))
        if node.name == "bind":
            if "cel.bind" not in variables:
                raise Fault("there is no variable `cel`", node.at)
            return self.kind(node.arguments[0], {**variables, node.variables[0]: of})
        if node.name in ("optMap", "optFlatMap"):
            return self._opt_map(node, of, variables)
        inner = self._around(node, of)
        scope = {**variables, **dict(zip(node.variables, inner, strict=True))}
        kinds = [self.kind(one, scope) for one in node.arguments]
        tests = kinds[:-1] if node.name in ("map", *_MAKERS) else kinds
        if node.name == "sortBy":
            return self._sorted(of, kinds[0], node)
        for test, part in zip(tests, node.arguments, strict=False):
            if not self._fits(test, BOOL):
                said = f"`{node.name}` needs a condition, and this is {a_type(self.whole(test))}"
                raise Fault(said, part.at)
        if node.name == "filter":
            return Kind("list", (inner[0],))
        maker = _MAKERS.get(node.name)
        return maker(inner[0], kinds[-1]) if maker else BOOL

    def _around(self, node: Loop, of: Kind) -> tuple[Kind, ...]:
        """The types of a loop's variables."""
        if of.name == "list":
            return (INT, of.of[0])[2 - len(node.variables) :]
        if of.name == "map":
            return of.of[: len(node.variables)]
        if of.name in OPEN or of.name.startswith("?"):
            return (DYN, DYN)[: len(node.variables)]
        raise Fault(
            f"`{node.name}` goes through a list or a map, and this is {a_type(of)}", node.at
        )

    def _sorted(self, of: Kind, key: Kind, node: Loop) -> Kind:
        key = self._now(key)
        if key.name not in _COMPARABLE and key.name not in OPEN and not key.name.startswith("?"):
            raise Fault(f"`sortBy` cannot order by {a_type(key)}", node.at)
        return of if of.name == "list" else DYN

    def _opt_map(self, node: Loop, of: Kind, variables: Mapping[str, Kind]) -> Kind:
        if of.name not in OPEN and of.name != "optional_type":
            raise Fault(f"`{node.name}` needs an optional value, and this is {a_type(of)}", node.at)
        scope = {**variables, node.variables[0]: of.of[0] if of.of else DYN}
        found = self.kind(node.arguments[0], scope)
        return found if node.name == "optFlatMap" else Kind("optional_type", (found,))


def _entries(_: Kind, made: Kind) -> Kind:
    return made


_MAKERS: dict[str, Callable[[Kind, Kind], Kind]] = {
    "map": lambda _, made: Kind("list", (made,)),
    "transformList": lambda _, made: Kind("list", (made,)),
    "transformMap": lambda key, made: Kind("map", (key, made)),
    "transformMapEntry": _entries,
}

_READERS: dict[str, Callable[[str], object]] = {
    "matches": compiled,
    "duration": times.duration,
    "timestamp": times.timestamp,
    "find": compiled,
    "findAll": compiled,
}


def _check_literals(name: str, parts: tuple[Node, ...]) -> None:
    """Read what is written out: a pattern, a duration, a moment."""
    reader = _READERS.get(name)
    place = 1 if name in ("matches", "find", "findAll") else 0
    if reader is None or len(parts) <= place:
        return
    part = parts[place]
    if isinstance(part, Constant) and isinstance(part.value, str):
        try:
            reader(part.value)
        except Failure as failure:
            raise Fault(str(failure), part.at) from None
        except Unknown:
            return


def _check_count(text: Node, values: Array) -> None:
    """Hold the values that are put into a text to its places, where both are written out."""
    if isinstance(text, Constant) and isinstance(text.value, str):
        places = text.value.replace("%%", "").count("%")
        if places != len(values.items):
            said = f"the text has {places} places for values, and there are {len(values.items)}"
            raise Fault(said, values.at)


def _no_form(name: str, takes: list[Kind], is_member: bool) -> str:
    of = f" of {a_type(takes[0])}" if is_member else ""
    rest = takes[1:] if is_member else takes
    given = " and ".join(map(a_type, rest)) or "nothing"
    return f"`{name}`{of} cannot take {given}"


def a_type(kind: Kind) -> str:
    """A type as a noun."""
    name = str(kind)
    return f"{'an' if name[0] in 'aeiou' and not name.startswith('uint') else 'a'} {name}"
