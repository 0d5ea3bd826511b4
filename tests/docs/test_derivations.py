"""`docs/derivations.md` has every rule that `explain` can name, and its figures are the code's."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "derivations.md").read_text()
# `decision` defines the functions whose calls are looked for.
PLAN = sorted(
    file
    for room in ("plan", "targets")
    for file in (ROOT / "gpuspec" / room).rglob("*.py")
    if file.stem != "decision"
)
FLEET = sorted((ROOT / "gpuspec" / "fleet").glob("*.py"))
# What the plan and the linter reckon with alike.
SHARED = [ROOT / "gpuspec" / "spec" / name for name in ("bandwidth.py", "layout.py")]
UNITS = {"MIB", "GIB"}


def calls(name: str) -> Iterator[ast.Call]:
    """Every call of a function of this name in the rooms `plan` and `targets`."""
    for file in PLAN:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == name:
                yield node


def rules() -> set[str]:
    """Names of rules: of `derived(…)`, and of an `Origin` of that kind."""
    found = {ast.literal_eval(call.args[0]) for call in calls("derived")}
    for call in calls("Origin"):
        if ast.unparse(call.args[0]) == "'derived'":
            (row,) = (word.value for word in call.keywords if word.arg == "row")
            found.add(ast.literal_eval(row))
    return found


def rows() -> set[str]:
    """The first word of each row of the runtimes' table that a decision can name: `probes`, `shm`."""
    texts = [ast.unparse(call) for name in ("from_table", "Origin") for call in calls(name)]
    assigned = [
        ast.unparse(node.value)
        for file in PLAN
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "row"
    ]
    return set(re.findall(r"runtimes/(?:common|\{[^}]*\}) ([a-z_]+)", " ".join(texts + assigned)))


def section(title: str) -> str:
    """The text of a section, up to the next heading."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"there is no section `{title}`"
    return found[1]


def table(title: str) -> list[list[str]]:
    """The cells of a section's table, without its head."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.parametrize("rule", sorted(rules()))
def test_rule_has_a_section(rule: str) -> None:
    assert len(section(rule).split()) > 5


def test_no_section_is_about_a_rule_that_is_gone() -> None:
    """Sections in lower case are named after rules."""
    named = set(re.findall(r"^## ([a-z-]+)$", PAGE, re.MULTILINE))
    assert named == rules()


def test_rows_of_the_runtimes_table_are_described() -> None:
    assert {cells[0] for cells in table("table runtimes")} == rows()


def constants() -> dict[str, int]:
    """Every public number that stands in capitals at the top of a file that derives."""
    found: dict[str, int] = {}
    for file in (*PLAN, *FLEET, *SHARED):
        room = ".".join(file.relative_to(ROOT / "gpuspec").with_suffix("").parts)
        for node in ast.parse(file.read_text()).body:
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            name = node.targets[0].id
            value = getattr(importlib.import_module(f"gpuspec.{room}"), name, None)
            if name.isupper() and name[0] != "_" and name not in UNITS and type(value) is int:
                found[f"{room}.{name}"] = value
    return found


def test_constants_are_those_of_the_code() -> None:
    documented = {cells[0]: int(cells[1]) for cells in table("Constants")}
    assert documented == constants()
    assert all(cells[2] for cells in table("Constants"))
