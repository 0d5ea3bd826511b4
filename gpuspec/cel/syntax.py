"""The parser of expressions: https://github.com/google/cel-spec, doc/langdef.md."""

from __future__ import annotations

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
from gpuspec.cel.tokens import RESERVED, Token, tokens
from gpuspec.cel.tokens import text as text_of
from gpuspec.cel.values import UnknownResult, Unsigned
from gpuspec.numbers import of_digits, read_decimal

_LOOPS = {
    "all": {2: 1, 3: 2},
    "exists": {2: 1, 3: 2},
    "exists_one": {2: 1, 3: 2},
    "existsOne": {3: 2},
    "map": {2: 1, 3: 1},
    "filter": {2: 1},
    "transformList": {3: 2, 4: 2},
    "transformMap": {3: 2, 4: 2},
    "transformMapEntry": {3: 2, 4: 2},
    "sortBy": {2: 1},
    "optMap": {2: 1},
    "optFlatMap": {2: 1},
    "bind": {2: 1},
}
"""For each comprehension: how many of its arguments are variables, and how many it has."""

_LEVELS = {"||": 0, "&&": 1, "+": 3, "-": 3, "*": 4, "/": 4, "%": 4}
_LONGEST = 100
"""The longest number in digits, with leading zeros."""
_LEVELS |= dict.fromkeys(("<", "<=", ">", ">=", "==", "!=", "in"), 2)


def parse(text: str) -> Node:
    """Parse an expression. Raises `CelError` for a syntax error, and `UnknownResult` for one nested
    too deeply."""
    try:
        return _Parser(tokens(text)).whole()
    except RecursionError:
        raise UnknownResult("how it is nested") from None


class _Parser:
    """Reads tokens from left to right."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._next = 0

    def whole(self) -> Node:
        node = self._expression()
        if self._here.kind != "end":
            raise self._wrong()
        return node

    @property
    def _here(self) -> Token:
        return self._tokens[self._next]

    def _wrong(self) -> CelError:
        token = self._here
        message = f"unexpected `{token.text}`" if token.text else "the expression ends too early"
        return CelError(message, token.at)

    def _take(self, *signs: str) -> Token | None:
        token = self._here
        if token.kind == "sign" and token.text in signs:
            self._next += 1
            return token
        return None

    def _need(self, sign: str) -> Token:
        token = self._take(sign)
        if token is None:
            raise self._wrong()
        return token

    def _word(self) -> Token:
        token = self._here
        if token.kind != "word":
            raise self._wrong()
        self._next += 1
        return token

    def _expression(self) -> Node:
        expression = self._binary(0)
        if token := self._take("?"):
            right = self._binary(0)
            self._need(":")
            expression = CelCall("?", None, (expression, right, self._expression()), token.at)
        return expression

    def _binary(self, least: int) -> Node:
        """Parse operands joined by operators of at least a given precedence."""
        node = self._unary()
        while (level := self._level()) >= least:
            token = self._here
            self._next += 1
            node = CelCall(token.text, None, (node, self._binary(level + 1)), token.at)
        return node

    def _level(self) -> int:
        """Return the precedence of the next operator; -1 if none follows."""
        return _LEVELS.get(self._here.text, -1) if self._here.kind == "sign" else -1

    def _unary(self) -> Node:
        first, count = self._here, 0
        while self._here == first._replace(at=self._here.at) and not self._is_negative():
            if self._take("!", "-") is None:
                break
            count += 1
        node = self._members(self._primary())
        if count % 2:
            return CelCall("!" if first.text == "!" else "negate", None, (node,), first.at)
        return node

    def _is_negative(self) -> bool:
        """Return whether a negative number follows."""
        return self._here.text == "-" and self._tokens[self._next + 1].kind in ("whole", "real")

    def _members(self, operand: Node) -> Node:
        while token := self._take(".", "["):
            optional = self._take("?") is not None
            if token.text == "[":
                index = self._expression()
                self._need("]")
                operand = CelCall("[?]" if optional else "[]", None, (operand, index), token.at)
                continue
            name = self._here
            if name.kind not in ("word", "quoted"):
                raise self._wrong()
            self._next += 1
            if not optional and name.kind == "word" and self._take("("):
                operand = _member(name, operand, self._arguments())
            else:
                operand = Select(operand, name.text.strip("`"), optional, name.at)
        return operand

    def _arguments(self) -> tuple[Node, ...]:
        nodes: list[Node] = []
        while not self._take(")"):
            if nodes:
                self._need(",")
            nodes.append(self._expression())
        return tuple(nodes)

    def _primary(self) -> Node:
        token = self._here
        if token.kind in ("whole", "real", "unsigned") or self._is_negative():
            return self._number()
        if token.kind == "text":
            self._next += 1
            return Constant(text_of(token), token.at)
        if self._take("true", "false", "null"):
            return Constant({"true": True, "false": False}.get(token.text), token.at)
        if self._take("("):
            node = self._expression()
            self._need(")")
            return node
        if self._take("["):
            return Array(tuple(self._items("]")), token.at)
        if self._take("{"):
            return CelMap(tuple(self._entries()), "", token.at)
        self._take(".")
        name = self._word()
        if name.text in RESERVED:
            raise CelError(f"`{name.text}` is a reserved word", name.at)
        if self._take("("):
            return _plain(name, self._arguments())
        return self._message(name) or Name(name.text, name.at)

    def _message(self, name: Token) -> Node | None:
        """Parse an object of a named type, `a.b{c: 1}`; None if none follows."""
        back, kind = self._next, name.text
        while self._take("."):
            if self._here.kind != "word":
                self._next = back
                return None
            kind += "." + self._word().text
        if not self._take("{"):
            self._next = back
            return None
        entries: list[tuple[Node, Node, bool]] = []
        while not self._take("}"):
            if entries:
                self._need(",")
                if self._take("}"):
                    break
            optional = self._take("?") is not None
            field = self._word()
            self._need(":")
            entries.append((Constant(field.text, field.at), self._expression(), optional))
        return CelMap(tuple(entries), kind, name.at)

    def _lone_comma(self, end: str) -> None:
        """Accept a single comma in an empty list or map."""
        if (
            self._tokens[self._next + 1 : self._next + 2]
            and self._tokens[self._next + 1].text == end
        ):
            self._take(",")

    def _items(self, end: str) -> list[tuple[Node, bool]]:
        elements: list[tuple[Node, bool]] = []
        self._lone_comma(end)
        while not self._take(end):
            if elements:
                self._need(",")
                if self._take(end):
                    break
            optional = self._take("?") is not None
            elements.append((self._expression(), optional))
        return elements

    def _entries(self) -> list[tuple[Node, Node, bool]]:
        entries: list[tuple[Node, Node, bool]] = []
        self._lone_comma("}")
        while not self._take("}"):
            if entries:
                self._need(",")
                if self._take("}"):
                    break
            optional = self._take("?") is not None
            key = self._expression()
            self._need(":")
            entries.append((key, self._expression(), optional))
        return entries

    def _number(self) -> Constant:
        at, sign = self._here.at, -1 if self._take("-") else 1
        token = self._here
        self._next += 1
        real = read_decimal(token.text) if token.kind == "real" else None
        if real is not None:
            return Constant(sign * real, at)
        if len(token.text) > _LONGEST or token.kind == "real":
            raise CelError("the number is too large", at)
        base = 16 if token.text.startswith("0x") else 10
        value = sign * of_digits(token.text.rstrip("uU"), base)
        if token.kind == "unsigned" and value < 2**64:
            return Constant(Unsigned(value), at)
        if token.kind == "unsigned" or not -(2**63) <= value < 2**63:
            raise CelError("the number is too large", at)
        return Constant(value, at)


def _plain(name: Token, arguments: tuple[Node, ...]) -> Node:
    """Return a call of a function without a receiver."""
    if name.text != "has" or len(arguments) != 1:
        return CelCall(name.text, None, arguments, name.at)
    if not isinstance(arguments[0], Select) or arguments[0].optional:
        raise CelError("`has` needs a field, as in `has(self.name)`", name.at)
    return Has(arguments[0], name.at)


def _member(name: Token, of: Node, arguments: tuple[Node, ...]) -> Node:
    """Return a call of a function with a receiver."""
    if name.text == "bind" and of == Name("cel", name.at - 4) and len(arguments) == 3:
        return _member(name._replace(kind="bind"), arguments[1], (arguments[0], arguments[2]))
    count = _LOOPS.get(name.text, {}).get(len(arguments))
    if count is None:
        return CelCall(name.text, of, arguments, name.at)
    for argument in arguments[:count]:
        if not isinstance(argument, Name):
            raise CelError(f"`{name.text}` needs the name of a variable first", argument.at)
    names = tuple(argument.name for argument in arguments[:count] if isinstance(argument, Name))
    if len(set(names)) < count:
        raise CelError(f"`{name.text}` needs two different names", name.at)
    return Loop(name.text, of, names, arguments[count:], name.at)
