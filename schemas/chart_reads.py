"""Evaluate a chart's templates over places of values instead of values: which keys they read, and how.

What cannot be followed counts as reading everything below a place, so that no key is taken for unread.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import yaml

from schemas.go_templates import Action, Block, Call, Inclusion, Node, Pipeline, Term
from schemas.template_values import NOTHING, ROOT, Map, Place, Scope, Value, union

MOST_INCLUSIONS = 40
MOST_MERGES = 12
_ALL = "*"
_ROLES = {
    name: role
    for role, names in yaml.safe_load(
        Path(__file__).with_name("template_functions.yaml").read_text()
    ).items()
    for name in names.split()
}
"""What a function does with its arguments."""


@dataclass
class Read:
    """How templates read a place."""

    how: set[str] = field(default_factory=set)
    """`key`: by the name of a key below it; `whole`: all of it; `text`: printed as it is; `print`:
    printed, which lists can be too; `each`: one after the other; `test`: whether it is empty;
    `kind`: what type it has."""
    guards: frozenset[Place] | None = None
    """The places that must be set for each of its uses."""


class Reads:
    """The places that a chart's templates read."""

    def __init__(self, definitions: dict[str, list[Node]]) -> None:
        self.places: dict[Place, Read] = {}
        self.unknown: set[str] = set()
        """Named templates that are not in the chart, such as those of a library."""
        self.aliases: dict[Place, Value] = {}
        self._definitions = definitions
        self._done: set[object] = set()
        self._guards: tuple[Place, ...] = ()
        self._active: list[object] = []
        self._deep = 0

    def templates(self, many: list[list[Node]]) -> None:
        """Evaluate templates: twice, since one may set what another reads."""
        for _ in range(2):
            self._done.clear()
            for nodes in many:
                self._nodes(nodes, ROOT, Scope({"$": ROOT}))

    def use(self, value: Value, how: str) -> None:
        """Note a use of a value."""
        if self._deep > MOST_MERGES:
            return
        self._deep += 1
        try:
            self._use(value, how)
        finally:
            self._deep -= 1

    def _use(self, value: Value, how: str) -> None:
        for place in value.places:
            self._note(place, how)
        if how in ("whole", "text"):
            if value.root:
                self._note((), "whole")
            for one in value.maps:
                for inner in (*one.entries.values(), one.more):
                    self.use(inner, "whole")
            if value.item is not None:
                self.use(value.item, how)
            if value.serial is not None:
                self.use(value.serial, "whole")

    def _note(self, place: Place, how: str) -> None:
        read = self.places.setdefault(place, Read())
        read.how.add(how)
        if how != "key":
            guards = frozenset(self._guards)
            read.guards = guards if read.guards is None else read.guards & guards

    def field(self, value: Value, name: str) -> Value:
        """Return what is under a key of a value."""
        if self._deep > MOST_MERGES:
            return NOTHING
        self._deep += 1
        try:
            return self._field(value, name)
        finally:
            self._deep -= 1

    def _field(self, value: Value, name: str) -> Value:
        results: list[Value] = []
        if value.root and name in ("Values", "Subcharts"):
            results.append(Value(frozenset([()])) if name == "Values" else NOTHING)
        places = set()
        for place in value.places:
            self._note(place, "key")
            inner = (*place, name)
            self.places.setdefault(inner, Read())
            places.add(inner)
            if inner in self.aliases:
                results.append(self.aliases[inner])
            if (*place, _ALL) in self.aliases:
                results.append(self.field(self.aliases[(*place, _ALL)], name))
        if places:
            results.append(Value(frozenset(places)))
        for one in value.maps:
            if name in one.entries:
                results.append(one.entries[name])
            if one.more is not NOTHING:
                results.append(self.field(one.more, name))
        return union(results)

    def each(self, value: Value) -> Value:
        """Return what each item of a value is."""
        if self._deep > MOST_MERGES:
            return NOTHING
        self._deep += 1
        try:
            return self._each(value)
        finally:
            self._deep -= 1

    def _each(self, value: Value) -> Value:
        self.use(Value(value.places), "each")
        results = [Value(frozenset((*place, _ALL) for place in value.places))]
        if value.item is not None:
            results.append(value.item)
        for one in value.maps:
            results += one.entries.values()
            if one.more is not NOTHING:
                results.append(self.each(one.more))
        if value.places:
            for place in value.places:
                self.places.setdefault((*place, _ALL), Read())
        return union(results)

    # Nodes.

    def _nodes(self, nodes: list[Node], dot: Value, scope: Scope) -> None:
        for node in nodes:
            if isinstance(node, Action):
                result = self._pipeline(node.pipeline, dot, scope)
                if not node.pipeline.variables:
                    self.use(result, "text")
            elif isinstance(node, Block):
                self._block(node, dot, scope)
            elif isinstance(node, Inclusion):
                context = NOTHING
                if node.pipeline is not None:
                    context = self._pipeline(node.pipeline, dot, scope)
                self._include(node.name, context)

    def _block(self, node: Block, dot: Value, scope: Scope) -> None:
        inner = Scope({}, scope)
        result = self._pipeline(node.pipeline, dot, inner)
        before = self._guards
        if node.word == "range":
            each = self.each(result)
            names = node.pipeline.variables
            if names:
                inner.values[names[-1]] = each
            if len(names) > 1:
                keys = frozenset(key for one in result.maps for key in one.entries)
                inner.values[names[0]] = Value(constants=keys)
            if not each.constants or len(each.constants) > 24:
                self._nodes(node.body, each, inner)
            else:
                # One after the other, so that what belongs together stays together.
                for constant in sorted(each.constants):
                    one = Value(constants=frozenset([constant]))
                    rounds = Scope(dict.fromkeys(names[-1:], one), inner)
                    self._nodes(node.body, one, rounds)
        else:
            self.use(Value(result.places), "test")
            self._guards = (*before, *self._tested(node.pipeline, dot, inner))
            self._nodes(node.body, result if node.word == "with" else dot, inner)
        self._guards = before
        self._nodes(node.otherwise, dot, Scope({}, inner))

    def _tested(self, pipeline: Pipeline, dot: Value, scope: Scope) -> list[Place]:
        """Return the places that are all set where a condition holds."""
        if len(pipeline.calls) != 1:
            return []
        call = pipeline.calls[0]
        if call.function == "hasKey" and len(call.arguments) == 2:
            holder, key = (self._term(term, dot, scope) for term in call.arguments)
            inner = self.field(holder, next(iter(key.constants))) if key.constants else NOTHING
            return [*inner.places] if len(inner.places) == 1 else []
        if call.function not in ("", "and"):
            return []
        places: list[Place] = []
        for term in call.arguments:
            if term.kind == "pipeline" and isinstance(term.value, Pipeline) and not term.fields:
                places += self._tested(term.value, dot, scope)
                continue
            value = self._term(term, dot, scope)
            if len(value.places) == 1 and not value.maps and not value.root:
                places += value.places
        return places

    # Pipelines.

    def _pipeline(self, pipeline: Pipeline, dot: Value, scope: Scope) -> Value:
        result: Value | None = None
        for call in pipeline.calls:
            arguments = [self._term(term, dot, scope) for term in call.arguments]
            if result is not None:
                arguments.append(result)
            # Without a function, a method can have arguments: `.Files.Get "x"`.
            result = self._call(call, arguments) if call.function else arguments[0]
        assert result is not None
        for name in pipeline.variables:
            if pipeline.assigns:
                scope.assign(name, result)
            else:
                scope.values[name] = result
        return result

    def _term(self, term: Term, dot: Value, scope: Scope) -> Value:
        if term.kind == "constant":
            return Value(constants=frozenset([str(term.value)]))
        if term.kind == "dot":
            value = dot
        elif term.kind == "variable":
            value = scope.get(str(term.value))
        elif term.kind == "pipeline":
            assert isinstance(term.value, Pipeline)
            value = self._pipeline(term.value, dot, scope)
        elif term.kind == "word" and term.value not in ("true", "false", "nil"):
            value = self._call(Call(str(term.value), []), [])
        else:
            value = NOTHING
        for name in term.fields:
            value = self.field(value, name)
        return value

    def _call(self, call: Call, arguments: list[Value]) -> Value:
        name, role = call.function, _ROLES.get(call.function)
        if name == "include":
            context = arguments[1] if len(arguments) > 1 else NOTHING
            for template in arguments[0].constants:
                self._include(template, context)
            if not arguments[0].constants and not context.root:
                # A whole file of the chart is evaluated anyway, with the root.
                self.use(context, "whole")
            return NOTHING
        if name == "dict":
            return self._dict(arguments)
        if name in ("list", "tuple"):
            return Value(item=union(arguments))
        if role == "serial":
            return Value(serial=arguments[-1] if arguments else NOTHING)
        if role == "parse":
            serial = arguments[-1].serial if arguments else None
            return serial if serial is not None else NOTHING
        if role == "sums":
            return NOTHING
        if role == "forms":
            for one in arguments:
                self.use(Value(one.places, maps=one.maps), "text")
            serials = [one.serial for one in arguments if one.serial is not None]
            return Value(serial=union(serials)) if serials else NOTHING
        if name in ("get", "index", "hasKey", "dig", "pluck", "pick", "set"):
            return self._keyed(name, arguments)
        if role == "merges":
            return self._merge(arguments)
        if name in ("first", "last", "mustFirst", "mustLast"):
            return self.each(arguments[-1])
        if name == "values":
            return Value(item=self.each(union(arguments)))
        if role in ("tests", "kinds"):
            for one in arguments:
                self.use(Value(one.places), "test" if role == "tests" else "kind")
            return NOTHING
        if role == "lists":
            # These print lists as well.
            for one in arguments:
                self.use(Value(one.places), "print")
                self.use(Value(maps=one.maps, item=one.item, serial=one.serial), "text")
            return NOTHING
        if role == "texts":
            for one in arguments:
                self.use(one, "text")
            return NOTHING
        if role == "unions":
            return self._united(name, arguments)
        if role != "opaque":
            for one in arguments:
                self.use(one, "whole")
        return NOTHING

    def _united(self, name: str, arguments: list[Value]) -> Value:
        if name == "ternary" and len(arguments) > 2:
            self.use(Value(arguments[2].places), "test")
            return union(arguments[:2])
        if name in ("has", "mustHas"):
            self.use(Value(arguments[-1].places), "each")
            return NOTHING
        if name in ("or", "and"):
            for one in arguments:
                self.use(Value(one.places), "test")
            return union(arguments)
        if name == "required":
            return arguments[-1]
        if name in ("omit", "unset"):
            for constant in union(arguments[1:]).constants:
                self.field(arguments[0], constant)
            return arguments[0]
        if name in ("append", "mustAppend", "prepend", "mustPrepend"):
            return union([arguments[0], Value(item=union(arguments[1:]))])
        return union(arguments)

    def _dict(self, arguments: list[Value]) -> Value:
        made = Map({})
        for key, value in zip(arguments[::2], arguments[1::2], strict=False):
            for constant in key.constants:
                made.entries[constant] = value
            if not key.constants:
                made.more = union([made.more, Value(item=value), value])
        return Value(maps=(made,))

    def _keyed(self, name: str, arguments: list[Value]) -> Value:
        if name == "dig":
            value = arguments[-1]
            for key in arguments[:-2]:
                value = self._under(value, key)
            return union([value, arguments[-2]])
        if name == "pluck":
            return Value(item=union(self._under(one, arguments[0]) for one in arguments[1:]))
        if name == "pick":
            entries = {key: self.field(arguments[0], key) for key in union(arguments[1:]).constants}
            return Value(maps=(Map(entries),))
        if name == "set":
            self._set(arguments)
            return arguments[0]
        value = arguments[0]
        for key in arguments[1:]:
            value = self._under(value, key)
        if name == "hasKey":
            self.use(Value(value.places), "test")
            return NOTHING
        return value

    def _set(self, arguments: list[Value]) -> None:
        if len(arguments) < 3:
            return
        holder, key, value = arguments
        for one in holder.maps:
            for constant in key.constants:
                one.entries[constant] = union([one.entries.get(constant, NOTHING), value])
            if not key.constants:
                one.more = union([one.more, value])
        for place in holder.places:
            for constant in key.constants or (_ALL,):
                inner = (*place, constant)
                if value.places != frozenset([inner]):
                    self.aliases[inner] = union([self.aliases.get(inner, NOTHING), value])

    def _under(self, value: Value, key: Value) -> Value:
        if key.constants:
            return union(self.field(value, constant) for constant in key.constants)
        if value.item is not None and not value.places and not value.maps:
            return value.item
        # By a key, or an index, that only the release knows.
        return self.each(value)

    def _merge(self, arguments: list[Value]) -> Value:
        first, others = arguments[0], union(arguments[1:])
        for one in first.maps:
            one.more = union([one.more, others])
        for place in first.places:
            for other in others.places:
                if other[: len(place)] != place and place[: len(other)] != other:
                    self.aliases[(*place, _ALL)] = union(
                        [self.aliases.get((*place, _ALL), NOTHING), Value(frozenset([other]))]
                    )
        return union([first, Value(others.places, others.root, maps=others.maps)])

    def _include(self, name: str, context: Value) -> None:
        nodes = self._definitions.get(name)
        if nodes is None:
            self.unknown.add(name)
            self.use(Value(context.places), "whole")
            if context.root:
                # What was merged into the values is read there.
                for value in self.aliases.values():
                    self.use(value, "whole")
            for one in context.maps:
                for inner in (*one.entries.values(), one.more):
                    self.use(Value(inner.places, maps=inner.maps, item=inner.item), "whole")
            return
        key = (name, context.key(), frozenset(self._guards))
        if key in self._done or len(self._active) > MOST_INCLUSIONS:
            return
        self._done.add(key)
        self._active.append(key)
        self._nodes(nodes, context, Scope({"$": context}))
        self._active.pop()
