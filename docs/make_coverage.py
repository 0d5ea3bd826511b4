"""Fill in what holds each row of the coverage page: `python docs/make_coverage.py`.

A test holds a row when its name, its docstring, its parameters or a comment within it say so: `C-04`.
A rule of the linter finds a row when `tests/lint/rows.py` says so, which a test proves. Rows with
neither are listed apart.
"""

import ast
import re
import runpy
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "coverage.md"
RULES = ROOT / "tests" / "lint" / "rows.py"
DONE, OPEN, LATER = "## Done", "## Rendered, without a test", "## Not in this version"
HEAD = ("| row | fault | remedy |", "|---|---|---|")
NONE = "–"
ROW = re.compile(r"^\| (C-\d\d) \|([^|]*)\|([^|]*)\|")
NAMED = re.compile(r"(?<![A-Za-z0-9])C[-_](\d\d)(?!\d)")


@cache
def named() -> dict[str, list[str]]:
    """Row to the tests that name it, as pytest writes them, sorted."""
    found: dict[str, list[str]] = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for test, source in _tests(file):
            for number in sorted(set(NAMED.findall(source))):
                found.setdefault(f"C-{number}", []).append(f"{file.relative_to(ROOT)}::{test}")
    return found


def found_by() -> dict[str, tuple[str, ...]]:
    """Row to the rules of the linter that find it."""
    rows: dict[str, tuple[str, ...]] = runpy.run_path(str(RULES))["ROWS"]
    return rows


def _tests(file: Path) -> Iterator[tuple[str, str]]:
    """Name and source of each test function, decorators included."""
    text = file.read_text()
    if not NAMED.search(text):
        return
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield node.name, "\n".join(lines[first - 1 : node.end_lineno])


def filled(text: str) -> str:
    """The page with its two tables made anew from the rows that it has."""
    introduction, _, rest = text.partition(f"{DONE}\n")
    tables, _, later = rest.partition(f"{LATER}\n")
    rows = sorted(
        (match[1], match[2], match[3]) for match in map(ROW.match, tables.split("\n")) if match
    )
    tests, rules = named(), found_by()
    held = tests.keys() | rules.keys()
    done = [
        f"| {row} |{wrong}|{made}| {_links(rules.get(row, ()))} | {_cell(tests.get(row, []))} |"
        for row, wrong, made in rows
        if row in held
    ]
    left = [f"| {row} |{wrong}|{made}|" for row, wrong, made in rows if row not in held]
    lines = [DONE, "", HEAD[0] + " found by | tests |", HEAD[1] + "---|---|", *done, ""]
    lines += [OPEN, "", *HEAD, *left, ""] if left else []
    return introduction + "\n".join([*lines, LATER, later])


def _cell(tests: list[str]) -> str:
    return "<br>".join(f"`{test}`" for test in tests) or NONE


def _links(rules: tuple[str, ...]) -> str:
    return " ".join(f"[{code}](rules.md#{code.lower()})" for code in rules) or NONE


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
