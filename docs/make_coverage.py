"""Fill in which tests hold each row of the coverage page: `python docs/make_coverage.py`.

A test holds a row when its name, its docstring, its parameters or a comment within it say so: `C-04`.
Rows without a test are listed apart.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "coverage.md"
DONE, OPEN, LATER = "## Done", "## Rendered, without a test of its own", "## Not in this version"
HEAD = ("| row | what goes wrong | what gpuspec renders |", "|---|---|---|")
ROW = re.compile(r"^\| (C-\d\d) \|([^|]*)\|([^|]*)\|")
NAMED = re.compile(r"(?<![A-Za-z0-9])C[-_](\d\d)(?!\d)")


def named() -> dict[str, list[str]]:
    """Row to the tests that name it, as pytest writes them, sorted."""
    found: dict[str, list[str]] = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for test, source in _tests(file):
            for number in sorted(set(NAMED.findall(source))):
                found.setdefault(f"C-{number}", []).append(f"{file.relative_to(ROOT)}::{test}")
    return found


def _tests(file: Path) -> Iterator[tuple[str, str]]:
    """Name and source of each test function, decorators included."""
    text = file.read_text()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield node.name, "\n".join(text.splitlines()[first - 1 : node.end_lineno])


def filled(text: str) -> str:
    """The page with its two tables made anew from the rows that it has."""
    introduction, _, rest = text.partition(f"{DONE}\n")
    tables, _, later = rest.partition(f"{LATER}\n")
    rows = sorted(
        (match[1], match[2], match[3]) for match in map(ROW.match, tables.split("\n")) if match
    )
    tests = named()
    done = [
        f"| {row} |{wrong}|{made}| {_cell(tests[row])} |"
        for row, wrong, made in rows
        if row in tests
    ]
    left = [f"| {row} |{wrong}|{made}|" for row, wrong, made in rows if row not in tests]
    lines = [DONE, "", HEAD[0] + " tests |", HEAD[1] + "---|", *done, ""]
    lines += [OPEN, "", *HEAD, *left, ""] if left else []
    return introduction + "\n".join([*lines, LATER, later])


def _cell(tests: list[str]) -> str:
    return "<br>".join(f"`{test}`" for test in tests)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
