"""Expressions of pieces of others: what a server compiles we never refuse, and nothing else goes wrong."""

import json
import re
import subprocess
from random import Random

import pytest

from tests.conftest import Tool
from tests.validation.cel.test_expressions import EXPRESSIONS, X, answer, judged

MANY = 3000
TOKEN = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|[A-Za-z_]\w*|\d+\.?\d*u?|&&|\|\||[<>=!]=|\S")
PIECES = [found for text, _ in EXPRESSIONS if (found := TOKEN.findall(text))]


LITERALS = sorted({piece for found in PIECES for piece in found if re.match("['\"0-9]", piece)})


def mutant(random: Random) -> str:
    """An expression with another literal, or with pieces removed, added, or of another."""
    made = list(random.choice(PIECES))
    at = random.randrange(len(made))
    other = random.choice(PIECES)
    if made[at] in LITERALS:
        made[at] = random.choice(LITERALS) if random.random() < 0.7 else f"({' '.join(other)})"
        return " ".join(made)
    match random.randrange(4):
        case 0:
            del made[at]
        case 1:
            made.insert(at, random.choice(other))
        case 2:
            made[at : at + 1] = ["(", *other, ")"]
        case _:
            made = [*made, random.choice(["==", "&&", "||", "<", "+", "in"]), *other]
    return " ".join(made)


@pytest.mark.binaries
def test_mutants_come_to_what_the_servers_code_says(tool: Tool) -> None:
    random = Random(1)
    texts = [mutant(random) for _ in range(MANY)]
    lines = "\n".join(json.dumps({"expression": text, "variables": {"x": X}}) for text in texts)
    run = subprocess.run(
        [tool("crd-judge"), "-expressions"], input=lines, capture_output=True, text=True, check=True
    )
    theirs = [judged(json.loads(line)) for line in run.stdout.splitlines()]
    ours = list(map(answer, texts))
    assert len(theirs) == MANY
    refused = [
        text
        for text, one, other in zip(texts, ours, theirs, strict=True)
        if one == "no" and other != "no"
    ]
    assert refused == []
    assert sum(map(str.__ne__, ours, theirs)) <= MANY // 500
    assert theirs.count("no") < MANY * 0.85
