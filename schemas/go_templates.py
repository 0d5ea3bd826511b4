"""Parse Go templates as Helm's charts have them, into the few nodes that `chart_reads` evaluates."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_ACTION = re.compile(
    r"\{\{-?\s*(?:/\*.*?\*/\s*|((?:\"(?:\\.|[^\"\\])*\"|`[^`]*`|'(?:\\.|[^'\\])*'|[^\"`'])*?))-?\}\}",
    re.DOTALL,
)
_TOKEN = re.compile(
    r"\s+|(?P<string>\"(?:\\.|[^\"\\])*\"|`[^`]*`|'(?:\\.|[^'\\])*')|(?P<field>(?:\.[A-Za-z_]\w*)+)"
    r"|(?P<variable>\$\w*)|(?P<word>[A-Za-z_]\w*)|(?P<number>[-+]?\d[\w.]*)|(?P<sign>:=|[()|,=.])"
)


class TemplateSyntaxError(Exception):
    """A text that is no template."""


@dataclass
class Text:
    """Text as it is written."""

    text: str


@dataclass
class Term:
    """A constant, a variable, the dot, or a pipeline in parentheses, with fields behind it."""

    kind: str
    value: object
    fields: tuple[str, ...] = ()


@dataclass
class Call:
    """A function with its arguments, or a single term."""

    function: str
    arguments: list[Term]


@dataclass
class Pipeline:
    """Calls, each with the result of the one before it as its last argument."""

    calls: list[Call]
    variables: list[str] = field(default_factory=list)
    assigns: bool = False


@dataclass
class Action:
    """A pipeline whose result is printed, unless it sets a variable."""

    pipeline: Pipeline


@dataclass
class Block:
    """`if`, `with` or `range`, with the branch for `else`."""

    word: str
    pipeline: Pipeline
    body: list[Node]
    otherwise: list[Node]


@dataclass
class Inclusion:
    """The output of a named template."""

    name: str
    pipeline: Pipeline | None


Node = Text | Action | Block | Inclusion


def parse(text: str, definitions: dict[str, list[Node]]) -> list[Node]:
    """Return the nodes of a template; add the templates that it defines to `definitions`."""
    pieces: list[str | list[tuple[str, str]]] = []
    end = 0
    for match in _ACTION.finditer(text):
        pieces.append(text[end : match.start()])
        if match.group(1) is not None:
            pieces.append(_tokens(match.group(1)))
        end = match.end()
    pieces.append(text[end:])
    return _Parser(pieces, definitions).body()[0]


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise TemplateSyntaxError(text)
        if match.lastgroup:
            # A field right behind something belongs to it; one behind a space is an argument.
            joined = (
                position and not text[position - 1].isspace() and text[position - 1] not in "(|,="
            )
            kind = "fields" if match.lastgroup == "field" and joined else match.lastgroup
            tokens.append((kind, match.group()))
        position = match.end()
    return tokens


class _Parser:
    def __init__(
        self, pieces: list[str | list[tuple[str, str]]], definitions: dict[str, list[Node]]
    ) -> None:
        self._pieces = pieces
        self._next = 0
        self._definitions = definitions

    def body(self) -> tuple[list[Node], list[tuple[str, str]]]:
        """Return the nodes up to an `end` or `else`, and its tokens."""
        nodes: list[Node] = []
        while self._next < len(self._pieces):
            piece = self._pieces[self._next]
            self._next += 1
            if isinstance(piece, str):
                if piece:
                    nodes.append(Text(piece))
                continue
            if not piece:
                continue
            word = piece[0][1] if piece[0][0] == "word" else ""
            if word in ("end", "else"):
                return nodes, piece
            nodes += self._node(word, piece)
        return nodes, []

    def _node(self, word: str, tokens: list[tuple[str, str]]) -> list[Node]:
        if word in ("if", "with", "range"):
            return [self._block(word, tokens[1:])]
        if word in ("define", "block"):
            name = _string(tokens[1][1])
            self._definitions[name], _ = self.body()
            rest = tokens[2:]
            return [Inclusion(name, _pipeline(rest) if rest else None)] if word == "block" else []
        if word == "template":
            rest = tokens[2:]
            return [Inclusion(_string(tokens[1][1]), _pipeline(rest) if rest else None)]
        if word in ("break", "continue"):
            return []
        return [Action(_pipeline(tokens))]

    def _block(self, word: str, tokens: list[tuple[str, str]]) -> Block:
        body, end = self.body()
        otherwise: list[Node] = []
        if end and end[0][1] == "else":
            if len(end) > 1:
                otherwise = [self._block(end[1][1], end[2:])]
            else:
                otherwise, _ = self.body()
        return Block(word, _pipeline(tokens), body, otherwise)


def _string(token: str) -> str:
    return token[1:-1]


def _pipeline(tokens: list[tuple[str, str]]) -> Pipeline:
    variables: list[str] = []
    for index, (_, text) in enumerate(tokens):
        if text in (":=", "="):
            variables = [name for kind, name in tokens[:index] if kind == "variable"]
            pipeline, rest = _calls(tokens[index + 1 :])
            pipeline.variables, pipeline.assigns = variables, text == "="
            break
        if text not in (",",) and tokens[index][0] != "variable":
            pipeline, rest = _calls(tokens)
            break
    else:
        pipeline, rest = _calls(tokens)
    if rest:
        raise TemplateSyntaxError(str(rest))
    return pipeline


def _calls(tokens: list[tuple[str, str]]) -> tuple[Pipeline, list[tuple[str, str]]]:
    calls: list[Call] = []
    terms: list[Term] = []
    while tokens:
        kind, text = tokens[0]
        if (kind, text) == ("sign", ")"):
            break
        tokens = tokens[1:]
        if (kind, text) == ("sign", "|"):
            calls.append(_call(terms))
            terms = []
        elif (kind, text) == ("sign", "("):
            inner, tokens = _calls(tokens)
            if not tokens:
                raise TemplateSyntaxError("an open parenthesis")
            tokens = tokens[1:]
            terms.append(Term("pipeline", inner))
        elif kind == "fields" and terms:
            terms[-1].fields = (*terms[-1].fields, *text[1:].split("."))
        elif kind in ("field", "fields"):
            terms.append(Term("dot", None, tuple(text[1:].split("."))))
        elif (kind, text) == ("sign", "."):
            terms.append(Term("dot", None))
        elif kind == "string":
            terms.append(Term("constant", _string(text)))
        elif kind in ("variable", "word", "number"):
            terms.append(Term(kind, text))
        else:
            raise TemplateSyntaxError(text)
    calls.append(_call(terms))
    return Pipeline(calls), tokens


def _call(terms: list[Term]) -> Call:
    if not terms:
        raise TemplateSyntaxError("an empty call")
    first = terms[0]
    if first.kind == "word" and first.value not in ("true", "false", "nil"):
        return Call(str(first.value), terms[1:])
    return Call("", terms)
