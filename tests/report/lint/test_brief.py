"""The text format is short: what matters most is nearest to the prompt, and nothing takes long to read."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gpuspec.kinds import ObjectIdentity
from gpuspec.lint import pages
from gpuspec.lint.model import Also, Finding
from gpuspec.lint.result import LintResult
from gpuspec.report.lint import lint_report
from gpuspec.report.lint.block import MOST
from tests.report.lint.odd import few, results
from tests.report.lint.samples import LIMIT, MANY, PROBE, RESULT, WIDE, finding

POD = ObjectIdentity("v1", "Pod", "ml", "p")


def info(rule: str, line: int, **fields: Any) -> Finding:
    return finding(
        (line, 1, line, 2), rule=rule, name=rule.lower(), severity="info", object=POD, **fields
    )


def heads(text: str) -> list[str]:
    return re.findall(r"^(?:error|warning|info)\b", text, re.MULTILINE)


@few
@given(results(), st.none() | st.integers(40, 100))
def test_no_finding_takes_many_lines(result: LintResult, width: int | None) -> None:
    text = lint_report(result, "text", width=width, least="info")
    *blocks, summary = text.split("\n\n") if text else [""]
    assert all(block.count("\n") < MOST for block in blocks)
    assert "document" in summary or not result.findings


def test_the_worst_stands_last() -> None:
    shown = heads(lint_report(RESULT, "text", least="info"))
    assert shown == sorted(shown, key=["info", "warning", "error"].index)
    assert shown == heads(lint_report(RESULT, "full"))
    assert set(shown) == {"info", "warning", "error"}


def test_infos_are_counted_until_somebody_asks() -> None:
    infos = replace(RESULT, findings=(info("GPU991", 1), info("GPU992", 2)))
    assert lint_report(infos, "text") == (
        "2 infos (shown with --severity info) in 14 documents of 3 files; 1 suppressed, 3 in the "
        "baseline\n"
    )
    shown = lint_report(infos, "text", least="info")
    assert heads(shown) == ["info", "info"]
    assert "shown with" not in shown


def test_policies_that_nobody_states_take_a_line_for_each_object() -> None:
    other = ObjectIdentity("v1", "Pod", "ml", "q")
    found = (
        info("GPU601", 1),
        info("GPU602", 2),
        info("GPU612", 3),
        replace(info("GPU612", 9), object=other),
        info("GPU990", 4),
    )
    text = lint_report(LintResult(findings=found), "text", least="info")
    assert text.startswith(
        "info k8s/train.yaml:1:1: Pod ml/p breaks policies that no given file states: GPU601 gpu601, "
        "GPU602 gpu602, GPU612 gpu612 (gpuspec rule CODE)\n\n"
    )
    # One alone, and what is no policy, is said as ever; and so is all of it in full.
    assert re.findall(r"^info\[(\w+)\]", text, re.MULTILINE) == ["GPU612", "GPU990"]
    assert lint_report(LintResult(findings=found), "full").count("info[") == len(found)


def test_a_policy_that_is_stated_is_said_by_itself() -> None:
    found = tuple(replace(info(code, 1), severity="error") for code in ("GPU602", "GPU612"))
    assert lint_report(LintResult(findings=found), "text").count("error[") == len(found)


def test_the_same_in_several_files_is_said_once_with_its_places() -> None:
    files = [f"k8s/{n}.yaml" for n in range(6)]
    same = tuple(replace(LIMIT, file=file, line=n + 1) for n, file in enumerate(files))
    text = lint_report(LintResult(findings=same), "text")
    assert text.count("error[") == 1
    assert (
        "= also: 5 more like it, at k8s/1.yaml:2:15, k8s/2.yaml:3:15, k8s/3.yaml:4:15 and 2 more"
        in text
    )
    full = lint_report(LintResult(findings=same), "full")
    assert all(f"--> {file}:" in full for file in files)


def test_each_finding_ends_in_the_way_to_its_page_and_to_what_is_left_out() -> None:
    long = replace(PROBE, note="\n".join("abcdefgh"), related=(Also("a", 1, 1, "x"),) * 3)
    for one, rest in ((WIDE, ""), (long, "; the rest: --format full")):
        result = replace(RESULT, findings=(one,))
        block = lint_report(result, "text").partition("\n\n")[0]
        assert block.endswith(f"= more: gpuspec rule {one.rule}{rest}")
        assert lint_report(result, "full").partition("\n\n")[0].endswith(f"rule {one.rule}")


def test_what_to_write_stands_before_the_line_that_should_hold_it() -> None:
    """Of a field that is missing the line shows nothing: help and notes come first."""
    absent = replace(
        PROBE, path="spec.tolerations", end_line=PROBE.line, end_column=PROBE.column + 3
    )
    words = replace(absent, message=" ".join(["words"] * 20))
    assert words.fix is not None
    narrow = lint_report(replace(RESULT, findings=(words,)), "text", width=60)
    assert "help:" in narrow
    assert "note:" in narrow
    assert "^^^" not in narrow


def test_infos_that_are_not_shown_are_told_from_what_can_be_fixed() -> None:
    found = (LIMIT, replace(LIMIT, rule="GPU999", severity="info"))
    result = replace(RESULT, findings=found, offered=(0, 0))
    hidden = lint_report(result, "text")
    assert "2 can be fixed with --fix (hidden infos: 1)" in hidden
    assert "hidden infos" not in lint_report(result, "text", least="info")


def test_a_message_of_many_lines_is_cut_and_whole_in_full() -> None:
    words = " ".join(f"word{n}" for n in range(100))
    result = LintResult(findings=(replace(WIDE, message=words),))
    brief = lint_report(result, "text", width=60).splitlines()
    assert brief[3].endswith(" …")
    assert max(map(len, brief)) <= 60
    assert "word99" in lint_report(result, "full", width=60)


def test_no_report_names_an_address_until_the_pages_have_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def links() -> tuple[bool, Any]:
        text = lint_report(RESULT, "text", color=True)
        (run,) = json.loads(lint_report(MANY, "sarif"))["runs"]
        rule = run["tool"]["driver"]["rules"][0]
        return "\x1b]8;;" in text, rule.get("helpUri")

    assert links() == (False, None)
    monkeypatch.setattr(pages, "ADDRESS", "https://docs.example.com/rules/")
    assert links() == (True, "https://docs.example.com/rules/GPU691")
    painted = lint_report(RESULT, "text", color=True)
    start = "\x1b]8;;https://docs.example.com/rules/GPU190\x1b\\"
    assert f"gpuspec rule {start}GPU190\x1b]8;;\x1b\\" in painted
    assert "\x1b" not in lint_report(RESULT, "text")
