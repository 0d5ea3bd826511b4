"""SARIF by its own schema, and what code scanning needs of it."""

import json
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given

from gpuspec.lint.pages import page
from gpuspec.lint.result import LintResult
from gpuspec.report.lint.sarif import sarif_report
from tests.report.lint.odd import few, results
from tests.report.lint.samples import CLEAN, LIMIT, MANY, RESULT

SCHEMA = Path(__file__).parent / "sarif" / "sarif-schema-2.1.0.json"


@cache
def validator() -> jsonschema_rs.Draft4Validator:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return jsonschema_rs.Draft4Validator(schema, validate_formats=True)


def run_of(result: LintResult) -> dict[str, Any]:
    """The run of a valid report."""
    log = json.loads(sarif_report(result))
    assert [str(error) for error in validator().iter_errors(log)] == []
    return log["runs"][0]


@pytest.mark.parametrize("result", [RESULT, CLEAN, MANY], ids=["findings", "clean", "many"])
def test_a_report_is_valid(result: LintResult) -> None:
    run_of(result)


@few
@given(results())
def test_any_report_is_valid(result: LintResult) -> None:
    run_of(result)


def test_the_schema_refuses_what_is_wrong() -> None:
    log = json.loads(sarif_report(RESULT))
    log["runs"][0]["results"][0]["level"] = "info"
    assert list(validator().iter_errors(log))


def test_a_rule_comes_with_its_page() -> None:
    known = msgspec.structs.replace(LIMIT, rule="GPU102")
    (rule,) = run_of(LintResult(findings=(known, known)))["tool"]["driver"]["rules"]
    assert rule["help"]["markdown"] == page("GPU102")
    assert rule["fullDescription"]["text"].startswith("An extended resource")
    assert rule["defaultConfiguration"] == {"level": "error"}


def test_fingerprints_are_apart_and_know_no_lines() -> None:
    moved = msgspec.structs.replace(LIMIT, line=90, end_line=90)
    here, again, there = (
        [
            one["partialFingerprints"]["gpuspec/v1"]
            for one in run_of(LintResult(findings=found))["results"]
        ]
        for found in [(LIMIT, LIMIT), (LIMIT, LIMIT), (moved, moved)]
    )
    assert here == again == there
    assert len(set(here)) == 2


def test_what_is_suppressed_is_no_alert() -> None:
    """GitHub shows a result with `suppressions` as an open alert."""
    run = run_of(CLEAN)
    assert run["results"] == []
    assert run["properties"] == {"suppressed": 1, "baselined": 0}


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("k8s/a.yaml", "k8s/a.yaml"),
        ("./k8s/a.yaml", "k8s/a.yaml"),
        ("k8s\\a.yaml", "k8s/a.yaml"),
        ("/k8s/a b.yaml", "file:///k8s/a%20b.yaml"),
        ("C:\\k8s\\a.yaml", "file:///C%3A/k8s/a.yaml"),
        ("a:b#c?d%.yaml", "a%3Ab%23c%3Fd%25.yaml"),
        ("雪.yaml", "%E9%9B%AA.yaml"),
        ("caf\udce9.yaml", "caf%E9.yaml"),
        ("<stdin>", "%3Cstdin%3E"),
    ],
)
def test_a_file_is_a_uri(file: str, uri: str) -> None:
    (one,) = run_of(LintResult(findings=(msgspec.structs.replace(LIMIT, file=file),)))["results"]
    assert one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


@few
@given(results())
def test_fixes_say_the_edits_as_they_are(result: LintResult) -> None:
    for finding, one in zip(result.findings, run_of(result)["results"], strict=True):
        edits = () if finding.fix is None else finding.fix.edits
        changes = [change for fix in one.get("fixes", ()) for change in fix["artifactChanges"]]
        made = [
            (
                replacement["deletedRegion"]["startLine"],
                replacement["deletedRegion"]["startColumn"],
                replacement["deletedRegion"]["endLine"],
                replacement["deletedRegion"]["endColumn"],
                replacement["insertedContent"]["text"],
            )
            for change in changes
            for replacement in change["replacements"]
        ]
        assert made == [(e.line, e.column, e.end_line, e.end_column, e.text) for e in edits]
        if changes:
            assert unquote(changes[0]["artifactLocation"]["uri"]).endswith(
                finding.file.lstrip("./")
            )


def test_no_word_becomes_a_link() -> None:
    """`[words](target)` is one in a message; brackets of paths stay as they are."""
    told = msgspec.structs.replace(LIMIT, message="kind [x](https://e) at a[0]", note="at b[1]")
    (one,) = run_of(LintResult(findings=(told,)))["results"]
    assert one["message"]["text"].split("\n")[:2] == [r"kind \[x\](https://e) at a\[0\]", "at b[1]"]
