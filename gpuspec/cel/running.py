"""Expressions compiled to functions from the values of the variables to the value of the
expression."""

from __future__ import annotations

from typing import Any

from gpuspec.cel.library import FUNCTIONS
from gpuspec.cel.loops import Run, Variables, loop
from gpuspec.cel.names import TYPES, dotted, namespaced
from gpuspec.cel.nodes import (
    Array,
    CelCall,
    CelMap,
    Constant,
    Has,
    Name,
    Node,
    Select,
)
from gpuspec.cel.registry import Body, Function
from gpuspec.cel.types import CelType
from gpuspec.cel.values import (
    MISSING,
    CelDuration,
    CelObject,
    Failure,
    Opaque,
    Optional,
    Timestamp,
    Type,
    UnknownResult,
    Unsigned,
    is_truth,
)

_FITS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "uint": (Unsigned,),
    "double": (float,),
    "bool": (bool,),
    "string": (str,),
    "bytes": (bytes,),
    "duration": (CelDuration,),
    "timestamp": (Timestamp,),
    "optional_type": (Optional,),
    "list": (list,),
    "map": (dict, CelObject),
    "type": (Type,),
    **{subclass.NAME: (subclass,) for subclass in Opaque.__subclasses__()},
}


_OF_ANY = frozenset({"==", "!=", "in", "[]", "[?]"})
"""Operators that check their arguments' types themselves."""


def made(node: Node) -> Run:
    """Compile an expression to a function, which raises `Failure` when the expression fails."""
    match node:
        case Constant():
            value = node.value
            return lambda _: value
        case Name():
            return _name(node.name)
        case Has():
            return _has(node.of)
        case Select():
            return _select(node)
        case CelCall():
            return _call(node)
        case Array():
            return _array(node)
        case CelMap():
            return _table(node)
    return loop(node, made)


def _name(name: str) -> Run:
    def run(variables: Variables) -> Any:
        results = variables.get(name, MISSING)
        if results is not MISSING:
            return results
        if name in TYPES:
            return Type(TYPES[name])
        raise Failure(f"no such attribute: {name}")

    return run


def field_of(value: Any, name: str) -> Any:
    """Return a field of a map or an object, or `MISSING`. Raises `Failure` for a value without
    fields."""
    if isinstance(value, CelObject):
        return value.get(name)
    if isinstance(value, dict):
        return value.get(name, MISSING)
    raise Failure("no such overload")


def _has(node: Select) -> Run:
    of, name = made(node.of), node.field

    def run(variables: Variables) -> bool:
        value = of(variables)
        if isinstance(value, Optional):
            return bool(value.values) and field_of(value.values[0], name) is not MISSING
        return field_of(value, name) is not MISSING

    return run


def _select(node: Select) -> Run:
    if (full := dotted(node)) in TYPES:
        return lambda _: Type(TYPES[full])
    of, name, optional = made(node.of), node.field, node.optional

    def run(variables: Variables) -> Any:
        value = of(variables)
        is_optional = isinstance(value, Optional)
        if is_optional and not value.values:
            return value
        results = field_of(value.values[0] if is_optional else value, name)
        if optional or is_optional:
            return Optional() if results is MISSING else Optional((results,))
        if results is MISSING:
            raise Failure(f"no such key: {name}")
        return results

    return run


def _call(node: CelCall) -> Run:
    name, of, arguments = namespaced(node)
    if name == "&&":
        return _joined(*map(made, arguments), decides=False)
    if name == "||":
        return _joined(*map(made, arguments), decides=True)
    if name == "?":
        return _choice(*map(made, arguments))
    parts = [made(part_node) for part_node in ((of,) if of is not None else ()) + tuple(arguments)]
    if name in _OF_ANY:
        body = FUNCTIONS[name][0].body
        return lambda variables: body(*(part(variables) for part in parts))
    forms = [
        form
        for form in FUNCTIONS.get(name, ())
        if form.signature.member == (of is not None) and len(form.signature.takes) == len(parts)
    ]
    return _dispatched(forms, parts)


def _dispatched(forms: list[Function], parts: list[Run]) -> Run:
    body_of_types: dict[tuple[type, ...], Body] = {}

    def run(variables: Variables) -> Any:
        values = [part(variables) for part in parts]
        value_types = tuple(map(type, values))
        if value_types not in body_of_types:
            fitting = (
                form.body for form in forms if all(map(_fits, form.signature.takes, value_types))
            )
            body_of_types[value_types] = next(fitting, _no_form)
        return body_of_types[value_types](*values)

    return run


def _no_form(*_: Any) -> Any:
    raise Failure("no such overload")


def _fits(kind: CelType, value_type: type) -> bool:
    """Return whether a value of a Python type is accepted as an argument."""
    types = _FITS.get(kind.name)
    if kind.name in ("list", "map"):
        return issubclass(value_type, types or ())
    return types is None or value_type in types


def _joined(left: Run, right: Run, *, decides: bool) -> Run:
    """Return `&&` or `||`: if one side decides the result, the other may fail."""

    def run(variables: Variables) -> bool:
        try:
            if is_truth(left(variables)) is decides:
                return decides
        except Failure:
            if is_truth(right(variables)) is decides:
                return decides
            raise
        return is_truth(right(variables))

    return run


def _choice(condition: Run, then: Run, otherwise: Run) -> Run:
    return lambda variables: (then if is_truth(condition(variables)) else otherwise)(variables)


def _array(node: Array) -> Run:
    parts = [(made(element), optional) for element, optional in node.items]

    def run(variables: Variables) -> list[Any]:
        results: list[Any] = []
        for part, optional in parts:
            value = part(variables)
            results += _given(value) if optional else (value,)
        return results

    return run


def _given(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, Optional):
        raise Failure("cannot initialize optional list element from a value that is not optional")
    return value.values


def _table(node: CelMap) -> Run:
    parts = [(made(key), made(value), optional) for key, value, optional in node.entries]

    def run(variables: Variables) -> dict[Any, Any]:
        results: dict[Any, Any] = {}
        for key, value, optional in parts:
            name, entry = key(variables), value(variables)
            if not isinstance(name, str | int):
                raise UnknownResult("a map with such keys")
            for inner in _given(entry) if optional else (entry,):
                results[name] = inner
        return results

    return run
