"""Comprehensions compiled to functions: `all`, `exists`, `map` and similar macros."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuspec.cel.lists import sort
from gpuspec.cel.nodes import Loop, Node
from gpuspec.cel.operators import find
from gpuspec.cel.values import Failure, Optional, is_truth, items

Variables = dict[str, Any]
Run = Callable[[Variables], Any]
Make = Callable[[Node], Run]


def loop(node: Loop, make: Make) -> Run:
    """Compile a comprehension; `make` compiles its parts."""
    return _LOOPS[node.name](node, make)


def _pairs(value: Any, count: int) -> list[tuple[Any, ...]]:
    """Return the values of a comprehension's variables, one item per iteration."""
    if count == 1:
        return [(item,) for item in items(value)]
    if isinstance(value, list):
        return list(enumerate(value))
    return [(key, find(value, key)) for key in items(value)]


def _rounds(node: Loop, make: Make) -> Callable[[Variables], Any]:
    of, names = make(node.of), node.variables

    def rounds(variables: Variables) -> Any:
        inner = dict(variables)
        for values in _pairs(of(variables), len(names)):
            inner.update(zip(names, values, strict=True))
            yield inner, values

    return rounds


def _quantifier(decides: bool) -> Callable[[Loop, Make], Run]:
    """Return `all` or `exists`: once one iteration decides the result, the others may fail."""

    def quantified(node: Loop, make: Make) -> Run:
        rounds, test = _rounds(node, make), make(node.arguments[0])

        def run(variables: Variables) -> bool:
            failed: Failure | None = None
            for inner, _ in rounds(variables):
                try:
                    if is_truth(test(inner)) is decides:
                        return decides
                except Failure as failure:
                    failed = failed or failure
            if failed is not None:
                raise failed
            return not decides

        return run

    return quantified


def _exists_one(node: Loop, make: Make) -> Run:
    rounds, test = _rounds(node, make), make(node.arguments[0])
    return lambda variables: sum(is_truth(test(inner)) for inner, _ in rounds(variables)) == 1


def _filter(node: Loop, make: Make) -> Run:
    rounds, test = _rounds(node, make), make(node.arguments[0])
    return lambda variables: [
        values[0] for inner, values in rounds(variables) if is_truth(test(inner))
    ]


def _map(node: Loop, compile_node: Make) -> Run:
    rounds, test, make = _rounds(node, compile_node), *_tested(node, compile_node)
    return lambda variables: [
        make(inner) for inner, _ in rounds(variables) if is_truth(test(inner))
    ]


def _tested(node: Loop, make: Make) -> tuple[Run, Run]:
    """Return the optional filter of a comprehension and the expression for its items."""
    *tests, result = map(make, node.arguments)
    return tests[0] if tests else (lambda _: True), result


def _transform_map(node: Loop, compile_node: Make) -> Run:
    rounds, test, make = _rounds(node, compile_node), *_tested(node, compile_node)
    return lambda variables: {
        values[0]: make(inner) for inner, values in rounds(variables) if is_truth(test(inner))
    }


def _transform_entries(node: Loop, compile_node: Make) -> Run:
    rounds, test, make = _rounds(node, compile_node), *_tested(node, compile_node)

    def run(variables: Variables) -> dict[Any, Any]:
        entries: dict[Any, Any] = {}
        for inner, _ in rounds(variables):
            for key, value in make(inner).items() if is_truth(test(inner)) else ():
                if key in entries:
                    raise Failure(f"insert failed: key {key} already exists")
                entries[key] = value
        return entries

    return run


def _sort_by(node: Loop, make: Make) -> Run:
    of, rounds, key = make(node.of), _rounds(node, make), make(node.arguments[0])

    def run(variables: Variables) -> list[Any]:
        value = of(variables)
        keys = [key(inner) for inner, _ in rounds(variables)]
        pairs = list(zip(keys, value, strict=True))
        sorted_items = []
        for sort_key in sort(keys):
            at = next(index for index, (pair_key, _) in enumerate(pairs) if pair_key == sort_key)
            sorted_items.append(pairs.pop(at)[1])
        return sorted_items

    return run


def _optional(wrapped: bool) -> Callable[[Loop, Make], Run]:
    """Return `optMap` or `optFlatMap`."""

    def mapped(node: Loop, compile_node: Make) -> Run:
        of, (name,), make = compile_node(node.of), node.variables, compile_node(node.arguments[0])

        def run(variables: Variables) -> Any:
            value = of(variables)
            if not isinstance(value, Optional):
                raise Failure("no such overload")
            if not value.values:
                return value
            result = make({**variables, name: value.values[0]})
            return Optional((result,)) if wrapped else result

        return run

    return mapped


def _bind(node: Loop, compile_node: Make) -> Run:
    """Return `cel.bind(x, value, expression)`."""
    of, (name,), make = compile_node(node.of), node.variables, compile_node(node.arguments[0])
    return lambda variables: make({**variables, name: of(variables)})


_LOOPS: dict[str, Callable[[Loop, Make], Run]] = {
    "all": _quantifier(False),
    "exists": _quantifier(True),
    "exists_one": _exists_one,
    "existsOne": _exists_one,
    "filter": _filter,
    "map": _map,
    "transformList": _map,
    "transformMap": _transform_map,
    "transformMapEntry": _transform_entries,
    "sortBy": _sort_by,
    "optMap": _optional(True),
    "optFlatMap": _optional(False),
    "bind": _bind,
}
