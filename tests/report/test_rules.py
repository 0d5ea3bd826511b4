"""The page of a rule, and the table of all of them."""

import json
from pathlib import Path

import pytest

from gpuspec.lint import rules as package
from gpuspec.lint.model import Rule
from gpuspec.lint.pages import page
from gpuspec.lint.registry import load, rules
from gpuspec.lint.rows import ROWS, Row
from gpuspec.report.markdown import sections
from gpuspec.report.rules import (
    rule_json,
    rule_markdown,
    rule_text,
    rules_json,
    rules_markdown,
    rules_text,
)

RULE = Rule("GPU190", "a-rule", "warning", "What `is` wrong | and how", fix="both")
PAGE = """\
# a-rule

## What

A device is asked for
and not used.

- one thing that is long enough to go over the line's end
- another

## Wrong

```yaml on=pod
spec:

  x: 1   # \x1b[31m
```

## Sources

| a | b |
|---|---|
"""
TEXT = """\
GPU190 a-rule (warning, safe and unsafe fixes)
What `is` wrong | and how
`--fix` applies a safe fix: the intent
is provable. `--unsafe-fixes` applies an
unsafe one, which changes what runs:
review it first.

What

A device is asked for and not used.

- one thing that is long enough to go
  over the line's end
- another

Wrong

    spec:

      x: 1   # \\x1b[31m

Sources

| a | b |
|---|---|
"""


def test_a_page_on_a_terminal() -> None:
    assert rule_text(RULE, PAGE, width=40) == TEXT


def test_a_page_as_markdown_and_json() -> None:
    made = rule_markdown(RULE, PAGE)
    assert made.startswith(
        "# GPU190 a-rule\n\nWhat `is` wrong | and how (warning, safe and unsafe fixes).\n\n## What\n"
    )
    assert json.loads(json.dumps(rule_json(RULE, PAGE)))["page"] == PAGE


def test_the_sections_of_a_page() -> None:
    found = sections(PAGE)
    assert list(found) == ["What", "Wrong", "Sources"]
    assert found["What"].startswith("A device is asked for\nand not used.")


def test_the_table() -> None:
    other = Rule("GPU290", "another-rule", "error", "Words that go on and on and on and on")
    assert rules_text([RULE, other], width=60) == (
        "GPU190  a-rule        warning  both\n"
        "        What `is` wrong | and how\n"
        "GPU290  another-rule  error    -\n"
        "        Words that go on and on and on and on\n"
    )
    for width in (None, 80):
        assert rules_text([RULE, other], width=width) == (
            "GPU190  a-rule        warning  both  What `is` wrong | and how\n"
            "GPU290  another-rule  error    -     Words that go on and on and on and on\n"
        )
    assert rules_markdown([RULE]).splitlines()[-1] == (
        "| GPU190 | a-rule | warning | both | What `is` wrong \\| and how |"
    )
    assert rules_json([RULE]) == [
        {
            "code": "GPU190",
            "name": "a-rule",
            "severity": "warning",
            "title": "What `is` wrong | and how",
            "fix": "both",
            "gives_way": [],
        }
    ]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_every_rule_has_a_page_that_reads_well(row: Row) -> None:
    rule = load(row).rule
    text = rule_text(rule, page(rule.code), width=80)
    assert text.startswith(f"{rule.code} {rule.name} ({rule.severity}")
    assert "```" not in text
    # Links, paths and manifests may be longer than a line.
    assert all(
        len(line) <= 80 or line.startswith("    ") or len(line.split()) < 4
        for line in text.splitlines()
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_a_rule_says_in_the_table_which_fixes_it_has(row: Row) -> None:
    source = Path(package.__path__[0], *row.module.split(".")).with_suffix(".py").read_text()
    if "Fix(" in source:
        assert load(row).rule.fix is not None


def test_no_rule_has_no_page() -> None:
    with pytest.raises(KeyError):
        page("GPU999")
    assert len(rules()) == len(ROWS)
