"""Fill in which tests hold each row of the coverage table: `python docs/make_coverage.py`.

A test holds a row when its name, its docstring, its parameters or a comment within it say so: `C-04`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "coverage.md"
ROW = re.compile(r"^\| (C-\d\d) \|.*\|.*\|.*\|$")
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
    """The page with the last column of each row made anew."""
    tests = named()
    lines: list[str] = []
    for line in text.splitlines():
        row = ROW.match(line)
        if row:
            cells = line.rstrip("|").split("|")
            held = "<br>".join(f"`{test}`" for test in tests.get(row[1], ()))
            line = "|".join([*cells[:-1], f" {held or 'none yet'} |"])
        lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text()))
