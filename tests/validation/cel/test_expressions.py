"""Expressions come to what they come to on a server: each answer is its own code's, of Kubernetes 1.37."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gpuspec.cel.checking import type_of
from gpuspec.cel.nodes import CelError
from gpuspec.cel.running import made
from gpuspec.cel.syntax import parse
from gpuspec.cel.types import DYN
from gpuspec.cel.values import Failure, name_of
from tests.conftest import Tool

X: dict[str, Any] = {"a": "v", "n": None, "list": [{"name": "p", "n": 5}, {"name": "a"}]}
LINES = (Path(__file__).parent / "expressions.jsonl").read_text(encoding="utf-8").splitlines()
EXPRESSIONS: list[tuple[str, str]] = [tuple(json.loads(line)) for line in LINES]
"""Expressions, and their answers: `no` for what does not compile, `fails`, or a type and the value."""
SHOWN = {"bool", "int", "uint", "double", "string", "null_type"}


def answer(expression: str) -> str:
    try:
        node = parse(expression)
        type_of(node, {"x": DYN})
    except CelError:
        return "no"
    try:
        return shown(made(node)({"x": X}))
    except Failure:
        return "fails"


def shown(value: Any) -> str:
    name = name_of(value)
    if name not in SHOWN:
        return name
    if isinstance(value, bool):
        return f"{name}: {str(value).lower()}"
    if isinstance(value, float):
        text = f"{value:g}".replace("inf", "Inf")
        return f"{name}: {'+' if text == 'Inf' else ''}{text}"
    return f"{name}: {'<nil>' if value is None else value}"


def test_an_expression_comes_to_what_it_comes_to_on_a_server() -> None:
    wrong = [(text, said, answer(text)) for text, said in EXPRESSIONS if answer(text) != said]
    assert wrong == []
    kinds = {said.partition(":")[0] for _, said in EXPRESSIONS}
    assert {"no", "fails", "bool", "int", "uint", "double", "string"} <= kinds


@pytest.mark.binaries
def test_the_answers_are_those_of_the_servers_code(tool: Tool) -> None:
    lines = [json.dumps({"expression": text, "variables": {"x": X}}) for text, _ in EXPRESSIONS]
    run = subprocess.run(
        [tool("crd-judge"), "-expressions"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = [judged(json.loads(line)) for line in run.stdout.splitlines()]
    assert theirs == [said for _, said in EXPRESSIONS]


def judged(said: dict[str, str]) -> str:
    if "compile" in said:
        return "no"
    if "error" in said:
        return "fails"
    name = said["value"].partition(":")[0]
    return said["value"] if name in SHOWN else name


@pytest.mark.parametrize(
    ("expression", "message", "at"),
    [
        ("self.a >", "the expression ends too early", 8),
        ("self.a > > 1", "unexpected `>`", 9),
        ("self.a == 'it", "unexpected `'`", 10),
        ("sel.a == 1", "there is no variable `sel`", 0),
        ("self.a && foo(1)", "there is no function `foo`", 10),
        ("1 + 'a'", "`+` does not accept an int and a string", 2),
        ("'a'.contains(1)", "`contains` of a string does not accept an int", 4),
        ("[1].all(x, x)", "`all` needs a condition, not an int", 11),
        ("'a'.matches('(')", "error parsing regexp: missing closing )", 12),
    ],
)
def test_what_does_not_compile_is_told_with_its_place(
    expression: str, message: str, at: int
) -> None:
    with pytest.raises(CelError) as raised:
        type_of(parse(expression), {"self": DYN})
    assert (str(raised.value), raised.value.at) == (message, at)
