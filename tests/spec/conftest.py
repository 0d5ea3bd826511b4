"""What the tests of specs share: short documents, with a mark where a problem is to be found."""

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest

from gpuspec import runtimes
from gpuspec.kubernetes import VERSIONS
from gpuspec.manifests import InputError, Problem, read
from gpuspec.spec import PROFILE_KIND, parse_profile, parse_workload
from gpuspec.spec.quoting import either

MARK = "‹"
_BASE = {
    "Training": "image: ghcr.io/example/w:1",
    "FineTune": "image: ghcr.io/example/w:1\nbaseModel: {id: org/m, source: {pvc: weights}}",
    "BatchInference": "image: ghcr.io/example/w:1",
    "Inference": (
        "image: ghcr.io/example/w:1\nruntime: vllm\nmodel: {id: org/m, source: {pvc: weights}}"
    ),
    "ClusterProfile": 'kubernetes: "1.36"',
}
_KEY = re.compile(r"‹?([-\w]+):")


class Marked(NamedTuple):
    """A document's text without its mark, and the line and column of the mark."""

    text: str
    at: tuple[int, int] | None


def expected(case: dict[str, str]) -> tuple[str, str | None]:
    """A case's message and hint; `<versions>` and `<runtimes>` in them are all that there are."""
    lists = {"<versions>": ", ".join(VERSIONS), "<runtimes>": either(sorted(runtimes.names()))}

    def filled(text: str) -> str:
        for name, names in lists.items():
            text = text.replace(name, names)
        return text

    return filled(case["message"]), filled(case["hint"]) if "hint" in case else None


def document(kind: str, fields: str) -> Marked:
    """A document of a kind whose spec has these fields, beside those that it must have.

    `fields` are lines as they stand in `spec`; a line `metadata: …` takes the place of the
    document's own. The first `‹` marks a place.
    """
    blocks = _blocks(_BASE[kind]) | _blocks(fields)
    metadata = blocks.pop("metadata", "metadata: {name: w}")
    spec = "\n".join(f"  {line}" for block in blocks.values() for line in block.split("\n"))
    text = f"apiVersion: gpuspec.dev/v1alpha1\nkind: {kind}\n{metadata}\nspec:\n{spec}\n"
    before, mark, after = text.partition(MARK)
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return Marked(before + after, (line, column) if mark else None)


def _blocks(fields: str) -> dict[str, str]:
    """Lines by the key they begin with; indented ones belong to the line above."""
    found: dict[str, str] = {}
    key = ""
    for line in filter(None, fields.split("\n")):
        if match := _KEY.match(line):
            key = match[1]
            found[key] = line
        else:
            found[key] += "\n" + line
    return found


Make = Callable[[str, str], Marked]
Problems = Callable[[str], tuple[Problem, ...]]


def parsed(text: str) -> object:
    """The model of a document's text. Raises `InputError`."""
    (found,) = read(text, "w.yaml")
    is_profile = isinstance(found.value, dict) and found.value.get("kind") == PROFILE_KIND
    return (parse_profile(found) if is_profile else parse_workload(found)).model


def problems_of(text: str) -> tuple[Problem, ...]:
    """The problems of a document's text."""
    try:
        parsed(text)
    except InputError as error:
        return error.problems
    return ()


@pytest.fixture(scope="session")
def make() -> Make:
    return document


@pytest.fixture(scope="session")
def problems() -> Problems:
    return problems_of
