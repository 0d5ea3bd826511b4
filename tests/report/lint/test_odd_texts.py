"""No text, in a message, a name or a file, breaks a format or leaves its place in it."""

import json
import re
from xml.etree import ElementTree

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.escaping.characters import visible
from gpuspec.escaping.markdown import prose
from gpuspec.lint.model import Finding
from gpuspec.lint.result import LintResult
from gpuspec.report.lint import FORMATS, lint_report
from gpuspec.settings.severity import Severity
from tests.escaping.watch import raw
from tests.report.lint.odd import TEXT, few, results
from tests.report.lint.samples import LIMIT, RESULT

COUNTS = ("tests", "failures", "errors", "skipped")


@few
@given(results())
def test_json_reads_back(result: LintResult) -> None:
    made = json.loads(lint_report(result, "json"))
    assert msgspec.convert(made, tuple[Finding, ...]) == result.findings
    assert all(tuple(one) == Finding.__struct_fields__ for one in made)


@few
@given(results(), st.sampled_from(["error", "warning", "info", None]))
def test_junit_is_xml_of_the_form_that_readers_know(
    result: LintResult, fail_on: Severity | None
) -> None:
    root = ElementTree.fromstring(lint_report(result, "junit", fail_on=fail_on).encode())
    assert root.tag == "testsuites"
    assert set(root.attrib) <= {"name", *COUNTS}
    cases = 0
    for suite in root:
        assert suite.tag == "testsuite"
        assert set(suite.attrib) == {"name", *COUNTS}
        inner = [case.find(tag) for case in suite for tag in ("failure", "skipped", "system-out")]
        tags = [one.tag for one in inner if one is not None]
        assert suite.attrib["tests"] == str(len(suite))
        assert suite.attrib["failures"] == str(tags.count("failure"))
        assert suite.attrib["skipped"] == str(tags.count("skipped"))
        assert all(set(case.attrib) == {"name", "classname"} for case in suite)
        cases += len(suite)
    assert root.attrib["tests"] == str(cases)
    assert cases == max(len(result.findings) + len(result.suppressed), 1)
    if fail_on == "info":
        assert root.attrib["failures"] == str(len(result.findings))
    if fail_on is None:
        assert root.attrib["failures"] == "0"


@few
@given(TEXT)
def test_junit_keeps_what_xml_can_say(text: str) -> None:
    told = LintResult(findings=(msgspec.structs.replace(LIMIT, message=text),))
    root = ElementTree.fromstring(lint_report(told, "junit").encode())
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None
    if re.fullmatch("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*", text):
        assert failure.attrib["message"] == text


COMMAND = re.compile(r"::(error|warning|notice) ((?:[a-zA-Z]+=[^,:\r\n]*,?)+)::([^\r\n]*)")


def decoded(text: str) -> str:
    for escape, char in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(escape, char)
    return text


@few
@given(results())
def test_annotations_are_one_command_for_each_finding(result: LintResult) -> None:
    text = lint_report(result, "github")
    lines = text.split("\n")[:-1]
    assert len(lines) == len(result.findings)
    for line, finding in zip(lines, result.findings, strict=True):
        found = COMMAND.fullmatch(line)
        assert found is not None
        properties = dict(pair.split("=", 1) for pair in found[2].split(","))
        assert ("col" in properties) == ("endColumn" in properties)
        assert "col" not in properties or finding.line == finding.end_line
        if finding.file == "<stdin>":
            assert "file" not in properties
            assert decoded(found[3]).startswith(f"<stdin>:{finding.line}:")
        else:
            assert decoded(properties["file"]) == finding.file
            assert decoded(found[3]).startswith(visible(finding.message))
            assert properties["line"] == str(finding.line)


@few
@given(results())
def test_gitlab_tells_all_findings_apart(result: LintResult) -> None:
    made = json.loads(lint_report(result, "gitlab"))
    assert len({one["fingerprint"] for one in made}) == len(made) == len(result.findings)
    for one, finding in zip(made, result.findings, strict=True):
        assert set(one) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert one["description"].startswith(f"{finding.rule} {finding.name}: ")
        assert one["severity"] in ("info", "minor", "major")


@few
@given(results())
def test_concise_is_one_printable_line_for_each_finding(result: LintResult) -> None:
    lines = lint_report(result, "concise").split("\n")[:-1]
    assert len(lines) == len(result.findings)
    assert not any(map(raw, lines))


@few
@given(results())
def test_markdown_is_a_table_that_no_text_leaves(result: LintResult) -> None:
    text = lint_report(result, "markdown")
    rows = text.split("\n")[2:-1]
    assert len(rows) == (2 + len(result.findings) if result.findings else 0)
    for row in rows:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 4
    assert not re.search(r"<(?!br>|stdin>)", re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text))


@few
@given(TEXT)
def test_prose_keeps_code_and_wakes_nobody(text: str) -> None:
    made = prose(text)
    assert "\n" not in made
    outside = re.sub(r"(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)", "", made)
    assert not re.search(r"@(?!\u200b)", outside)


def test_a_file_whose_name_is_no_text_can_be_written() -> None:
    odd = msgspec.structs.replace(LIMIT, file="caf\udce9.yaml", message="half \ud800")
    for format in FORMATS:
        lint_report(LintResult(findings=(odd,)), format).encode()
    assert json.loads(lint_report(LintResult(findings=(odd,)), "json"))[0]["file"] == odd.file


def test_a_comment_is_no_longer_than_hosts_take() -> None:
    text = lint_report(LintResult(findings=RESULT.findings * 1000), "markdown")
    assert len(text) < 65_536
    assert re.search(r"… and \d+ more", text)
