"""Whatever stands where a rule reads: a list where it looks for a word stops nothing."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

import gpuspec
from gpuspec.lint.rows import ROWS, Row
from gpuspec.manifests import Path, read, write
from tests.lint.pages import page

ODD: list[list[str]] = [[]]
"""It is no key of a map, no member of a set, and has no fields."""


def places(value: Any, base: Path = ()) -> Iterator[Path]:
    """Every place in a document."""
    if isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*base, step)
            yield from places(inner, (*base, step))


def changed(value: Any, path: Path) -> Any:
    """A document with something odd at a place."""
    whole = copy.deepcopy(value)
    holder = whole
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = ODD
    return whole


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.scope != "text"], ids=lambda row: row.code
)
def test_a_list_where_a_word_is_looked_for_stops_no_rule(row: Row) -> None:
    for block in page(row.module).blocks("Wrong")[:1]:
        documents = [one.value for one in read(block.text, "page.yaml")]
        for at, document in enumerate(documents):
            for path in places(document):
                texts = [*documents[:at], changed(document, path), *documents[at + 1 :]]
                result = gpuspec.lint_text(write(texts), "page.yaml", select=[row.code])
                assert {one.rule for one in result.findings} <= {row.code}
