"""`docs/coverage.md` names tests that exist and that name its rows."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent


def load(name: str) -> ModuleType:
    """A script of `docs/`, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


coverage = load("make_coverage")
PAGE: str = coverage.PAGE.read_text()
DONE = PAGE.partition(coverage.DONE)[2].partition("\n## ")[0]
ROWS = {
    match[1]: re.findall(r"`(tests/[^`]+)`", match[0])
    for match in re.finditer(r"^\| (C-\d\d) \|.*$", DONE, re.MULTILINE)
}


@pytest.mark.parametrize("row", ROWS)
def test_a_row_that_is_done_has_rules_or_tests_that_exist_and_name_it(row: str) -> None:
    assert ROWS[row] or row in coverage.found_by()
    assert [test for test in ROWS[row] if test not in coverage.named().get(row, [])] == []


def test_each_row_that_rules_find_is_on_the_page_as_done() -> None:
    assert sorted(coverage.found_by().keys() - ROWS.keys()) == []


def test_page_is_up_to_date() -> None:
    assert coverage.filled(PAGE) == PAGE, "stale: python docs/make_coverage.py"


def test_making_the_page_loses_no_row() -> None:
    """Rows move between the two tables when tests come and go."""
    before = re.findall(r"^\| (C-\d\d) \|", PAGE, re.MULTILINE)
    after = re.findall(r"^\| (C-\d\d) \|", coverage.filled(PAGE), re.MULTILINE)
    assert len(ROWS) > 10
    assert sorted(before) == sorted(after) == sorted(set(after))


def test_limits_are_those_that_are_tested() -> None:
    limits = load("make_limits")
    assert limits.PAGE.read_text() == limits.text(), "stale: python docs/make_limits.py"


def test_targets_answer_as_their_page_says() -> None:
    targets = load("make_targets")
    assert targets.PAGE.read_text() == targets.text(), "stale: python docs/make_targets.py"


def test_no_question_to_targets_is_refused_by_all() -> None:
    """Nor is one answered by nobody: a spec that is wrong would ask nothing."""
    targets = load("make_targets")
    for kind, questions in targets.QUESTIONS.items():
        for number, question in enumerate(questions):
            found = targets.answers(kind, number).values()
            assert any(not one.refused for one in found), question.title


def test_servers_are_those_of_the_table() -> None:
    servers = load("make_servers")
    assert servers.PAGE.read_text() == servers.text(), "stale: python docs/make_servers.py"


def test_signals_are_those_of_the_tables() -> None:
    signals = load("make_signals")
    assert signals.PAGE.read_text() == signals.text(), "stale: python docs/make_signals.py"


def test_models_are_those_of_the_table() -> None:
    models = load("make_models")
    assert models.PAGE.read_text() == models.text(), "stale: python docs/make_models.py"


def test_drawn_workloads_are_those_of_the_lists() -> None:
    rebuilt = load("make_rebuilt")
    assert rebuilt.PAGE.read_text() == rebuilt.text(), "stale: python docs/make_rebuilt.py"


def test_keys_are_those_of_the_tables() -> None:
    keys = load("make_keys")
    assert keys.PAGE.read_text() == keys.text(), "stale: python docs/make_keys.py"


def test_options_are_those_of_the_tables() -> None:
    options = load("make_options")
    assert options.PAGE.read_text() == options.text(), "stale: python docs/make_options.py"


def test_controllers_are_those_of_the_table() -> None:
    controllers = load("make_controllers")
    assert controllers.PAGE.read_text() == controllers.text(), (
        "stale: python docs/make_controllers.py"
    )


def test_reference_is_that_of_the_schemas() -> None:
    reference = load("make_reference")
    assert reference.PAGE.read_text() == reference.text(), "stale: python docs/make_reference.py"


def test_the_first_contact_is_the_one_that_is_tested() -> None:
    contact = load("make_first_contact")
    assert contact.PAGE.read_text() == contact.text(), "stale: python docs/make_first_contact.py"
