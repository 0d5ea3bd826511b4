"""Type checking of an expression before it runs, as the API server does when it stores one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.cel.library import FUNCTIONS
from gpuspec.cel.literals import check_count, check_literals
from gpuspec.cel.names import TYPES, dotted, namespaced
from gpuspec.cel.nodes import (
    Array,
    CelCall,
    CelError,
    CelMap,
    Constant,
    Has,
    Loop,
    Name,
    Node,
    Select,
)
from gpuspec.cel.types import BOOL, DYN, INT, OPEN, CelType, a_type
from gpuspec.cel.unifying import Unifier
from gpuspec.cel.values import name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SIMPLE = frozenset({"int", "uint", "double", "bool", "string", "bytes", "type"})
_COMPARABLE = _SIMPLE | {"duration", "timestamp"}


def type_of(node: Node, variables: Mapping[str, CelType]) -> CelType:
    """Return the type of an expression, given the types of its variables. Raises `CelError` if it
    does not compile."""
    types = Unifier()
    return types.whole(_Checker(types).kind(node, variables))


class _Checker:
    """Walks an expression from the inside out."""

    def __init__(self, types: Unifier) -> None:
        self._types = types

    def kind(self, node: Node, variables: Mapping[str, CelType]) -> CelType:
        match node:
            case Constant():
                return CelType(name_of(node.value))
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
            case CelCall():
                return self._call(node, variables)
            case Array():
                items = [self._item(item, optional, variables) for item, optional in node.items]
                return CelType("list", (self._same(items, node.at),))
            case CelMap():
                return self._table(node, variables)
        return self._loop(node, variables)

    def _name(self, name: str, at: int, variables: Mapping[str, CelType]) -> CelType:
        if name in variables:
            return variables[name]
        if name in TYPES:
            return CelType("type")
        raise CelError(f"there is no variable `{name}`", at)

    def _field(self, of: CelType, node: Select) -> CelType:
        of = self._types.now(of)
        if of.name == "optional_type":
            return CelType("optional_type", (self._plain_field(self._types.now(of.of[0]), node),))
        cel_type = self._plain_field(of, node)
        return CelType("optional_type", (cel_type,)) if node.optional else cel_type

    def _plain_field(self, of: CelType, node: Select) -> CelType:
        if of.fields is not None:
            if node.field not in of.fields:
                raise CelError(f"there is no field `{node.field}`", node.at)
            return of.fields[node.field]
        if of.name == "map":
            return of.of[1]
        if of.name in OPEN or of.name.startswith("?"):
            return DYN
        raise CelError(f"{a_type(of)} has no field `{node.field}`", node.at)

    def _same(self, kinds: list[CelType], at: int) -> CelType:
        """Return the common type of a list's items."""
        if not kinds:
            return self._types.new()
        first = kinds[0]
        for kind in kinds[1:]:
            is_open = self._types.now(kind).name in OPEN
            if is_open != (self._types.now(first).name in OPEN) or not self._types.fits(
                kind, first
            ):
                message = (
                    f"its parts have two types, {a_type(self._types.whole(first))} "
                    f"and {a_type(self._types.whole(kind))}"
                )
                raise CelError(message, at)
        return first

    def _item(self, node: Node, optional: bool, variables: Mapping[str, CelType]) -> CelType:
        kind = self._types.now(self.kind(node, variables))
        if not optional or kind.name in OPEN:
            return kind
        if kind.name != "optional_type":
            raise CelError(f"it is {a_type(kind)}, not an optional value", node.at)
        return kind.of[0]

    def _table(self, node: CelMap, variables: Mapping[str, CelType]) -> CelType:
        if node.kind:
            return self._object(node, variables)
        keys = [self.kind(key, variables) for key, _, _ in node.entries]
        values = [self._item(value, optional, variables) for _, value, optional in node.entries]
        return CelType("map", (self._same(keys, node.at), self._same(values, node.at)))

    def _object(self, node: CelMap, variables: Mapping[str, CelType]) -> CelType:
        kind = variables.get(f"{node.kind}{{}}")
        if kind is None and node.kind.startswith("Object.") and "Object{}" in variables:
            kind = CelType(node.kind)
        if kind is None:
            raise CelError(f"there is no type `{node.kind}`", node.at)
        for key, value, optional in node.entries:
            assert isinstance(key, Constant)
            cel_type = self._item(value, optional, variables)
            if kind.fields is None:
                continue
            field_type = self._plain_field(kind, Select(value, str(key.value), False, key.at))
            if not self._types.fits(cel_type, field_type):
                message = f"`{key.value}` needs {a_type(field_type)}, not {a_type(self._types.whole(cel_type))}"
                raise CelError(message, value.at)
        return kind

    # Calls.

    def _call(self, node: CelCall, variables: Mapping[str, CelType]) -> CelType:
        name, of, arguments = namespaced(node)
        parts = (*(() if of is None else (of,)), *arguments)
        if name == "format" and len(arguments) == 1 and isinstance(arguments[0], Array):
            # A list of anything, here and nowhere else.
            for item, _ in arguments[0].items:
                self.kind(item, variables)
            check_count(parts[0], arguments[0])
            parts = (parts[0], Array((), arguments[0].at))
        takes = [self.kind(part, variables) for part in parts]
        forms = FUNCTIONS.get(name)
        if forms is None:
            raise CelError(f"there is no function `{name}`", node.at)
        result_type: CelType | None = None
        for form in forms:
            gives = self._types.given(form, takes, is_member=of is not None)
            if gives is not None:
                same = result_type is None or result_type == gives
                result_type = gives if same else DYN
        if result_type is None:
            raise CelError(
                _no_form(name, [self._types.whole(cel_type) for cel_type in takes], of is not None),
                node.at,
            )
        check_literals(name, parts)
        return result_type

    # Loops.

    def _loop(self, node: Loop, variables: Mapping[str, CelType]) -> CelType:
        of = self._types.now(self.kind(node.of, variables))
        if node.name == "bind":
            if "cel.bind" not in variables:
                raise CelError("there is no variable `cel`", node.at)
            return self.kind(node.arguments[0], {**variables, node.variables[0]: of})
        if node.name in ("optMap", "optFlatMap"):
            return self._opt_map(node, of, variables)
        inner = self._around(node, of)
        scope = {**variables, **dict(zip(node.variables, inner, strict=True))}
        kinds = [self.kind(argument, scope) for argument in node.arguments]
        tests = kinds[:-1] if node.name in ("map", *_MAKERS) else kinds
        if node.name == "sortBy":
            return self._sorted(of, kinds[0], node)
        for test, part in zip(tests, node.arguments, strict=False):
            if not self._types.fits(test, BOOL):
                message = f"`{node.name}` needs a condition, not {a_type(self._types.whole(test))}"
                raise CelError(message, part.at)
        if node.name == "filter":
            return CelType("list", (inner[0],))
        maker = _MAKERS.get(node.name)
        return maker(inner[0], kinds[-1]) if maker else BOOL

    def _around(self, node: Loop, of: CelType) -> tuple[CelType, ...]:
        """Return the types of a comprehension's variables."""
        if of.name == "list":
            return (INT, of.of[0])[2 - len(node.variables) :]
        if of.name == "map":
            return of.of[: len(node.variables)]
        if of.name in OPEN or of.name.startswith("?"):
            return (DYN, DYN)[: len(node.variables)]
        raise CelError(f"`{node.name}` needs a list or a map, not {a_type(of)}", node.at)

    def _sorted(self, of: CelType, key: CelType, node: Loop) -> CelType:
        key = self._types.now(key)
        if key.name not in _COMPARABLE and key.name not in OPEN and not key.name.startswith("?"):
            raise CelError(f"`sortBy` cannot order by {a_type(key)}", node.at)
        return of if of.name == "list" else DYN

    def _opt_map(self, node: Loop, of: CelType, variables: Mapping[str, CelType]) -> CelType:
        if of.name not in OPEN and of.name != "optional_type":
            raise CelError(f"`{node.name}` needs an optional value, not {a_type(of)}", node.at)
        scope = {**variables, node.variables[0]: of.of[0] if of.of else DYN}
        cel_type = self.kind(node.arguments[0], scope)
        return cel_type if node.name == "optFlatMap" else CelType("optional_type", (cel_type,))


def _entries(_: CelType, cel_type: CelType) -> CelType:
    return cel_type


_MAKERS: dict[str, Callable[[CelType, CelType], CelType]] = {
    "map": lambda _, cel_type: CelType("list", (cel_type,)),
    "transformList": lambda _, cel_type: CelType("list", (cel_type,)),
    "transformMap": lambda key, cel_type: CelType("map", (key, cel_type)),
    "transformMapEntry": _entries,
}


def _no_form(name: str, takes: list[CelType], is_member: bool) -> str:
    of = f" of {a_type(takes[0])}" if is_member else ""
    rest = takes[1:] if is_member else takes
    types_text = " and ".join(map(a_type, rest)) or "nothing"
    return f"`{name}`{of} does not accept {types_text}"
