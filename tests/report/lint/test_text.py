"""Excerpts: what is marked is what is meant, and nothing breaks the columns."""

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.lint.model import Edit
from gpuspec.lint.result import LintResult
from gpuspec.report.columns import cells, columns, total, window
from gpuspec.report.lint import Format, lint_report
from gpuspec.report.lint.patch import hunks
from tests.escaping.watch import raw
from tests.report.lint.odd import few, results
from tests.report.lint.samples import LIMIT, finding

FORMS: tuple[Format, ...] = ("text", "full")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@few
@given(results(), st.none() | st.integers(40, 100), st.sampled_from(FORMS))
def test_no_text_breaks_the_report(result: LintResult, width: int | None, form: Format) -> None:
    text = lint_report(result, form, width=width)
    assert not raw(text)
    assert bool(text) == bool(result.findings)


@few
@given(results(), st.sampled_from(FORMS))
def test_colour_changes_nothing_but_colour(result: LintResult, form: Format) -> None:
    plain, painted = (lint_report(result, form, width=80, color=on) for on in (False, True))
    assert ESCAPE.sub("", painted) == plain


@few
@given(results(), st.integers(40, 100))
def test_excerpts_and_diffs_fit(result: LintResult, width: int) -> None:
    # No real path begins as a line of a diff does.
    found = tuple(msgspec.structs.replace(one, path=f"spec{one.path}") for one in result.findings)
    result = msgspec.structs.replace(result, findings=found)
    for line in lint_report(result, "full", width=width).split("\n"):
        if re.match(r" *(\d+|…)? [|+-]( |$)", line):
            assert columns(line) <= width


@few
@given(st.text("ab\t雪e\u0301\x07 ", min_size=1, max_size=200), st.data())
def test_the_caret_stands_below_what_it_marks(line: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(line) - 1))
    end = data.draw(st.integers(start + 1, len(line)))
    one = finding((1, start + 1, 1, end + 1), file="a", object=None)
    result = LintResult(findings=(one,), texts={"a": line})
    _, _, _, shown, caret, *_ = lint_report(result, "full").split("\n")
    marked, below = cells(line[start:end]), caret[4:]
    if total(cells(line)) <= 76 and total(marked):
        assert len(below.lstrip()) == total(marked)
        before = "".join(text for text, _ in cells(line[:start]))
        assert shown[4:].startswith(before.rstrip())
        assert len(below) - len(below.lstrip()) == total(cells(line[:start]))
    else:
        assert 1 <= below.count("^") <= 76


@few
@given(
    st.text("ab\t雪", max_size=200), st.integers(0, 200), st.integers(1, 50), st.integers(10, 90)
)
def test_a_window_is_no_wider_than_its_room(line: str, start: int, length: int, room: int) -> None:
    shown = cells(line)
    end = min(start + length, total(shown))
    view = window(shown, min(start, end), end, room)
    assert columns(view.show(shown)) <= room
    if total(shown) <= room:
        assert view.show(shown) == "".join(text for text, _ in shown)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_all_systems(end: str) -> None:
    text = end.join(["a: 1", "b: 2", "c: 3"])
    one = finding((2, 4, 2, 5), file="a", object=None)
    shown = lint_report(LintResult(findings=(one,), texts={"a": "\ufeff" + text}), "full")
    assert "1 | a: 1\n2 | b: 2\n  |    ^\n" in shown


def test_a_block_of_text_ends_at_its_last_words() -> None:
    text = "a: |\n  x\n\n\nb: 1\n"
    one = finding((1, 4, 5, 1), file="a", object=None)
    shown = lint_report(LintResult(findings=(one,), texts={"a": text}), "full")
    assert "2 | |   x\n  | |___^\n" in shown


LINE = st.text("ab :", max_size=5)


@few
@given(st.lists(LINE, min_size=1, max_size=8), st.data())
def test_hunks_are_what_the_edits_do(lines: list[str], data: st.DataObject) -> None:
    """Edits applied to the whole text give what the hunks give, line by line."""
    text = "\n".join(lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=6)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    news = [data.draw(st.text("xy\n", max_size=6)) for _ in pairs]

    def at(offset: int) -> tuple[int, int]:
        before = text[:offset]
        return before.count("\n") + 1, offset - before.rfind("\n")

    edits = [Edit(*at(a), *at(b), new) for (a, b), new in zip(pairs, news, strict=True)]
    whole, last = "", 0
    for (start, stop), new in zip(pairs, news, strict=True):
        whole += text[last:start] + new
        last = stop
    whole += text[last:]
    made = list(lines)
    for hunk in reversed(hunks(lines, edits)):
        assert made[hunk.line : hunk.line + len(hunk.old)] == hunk.old
        made[hunk.line : hunk.line + len(hunk.old)] = hunk.new
    assert "\n".join(made) == whole


def test_what_is_put_behind_the_last_line_is_a_line_of_its_own() -> None:
    (hunk,) = hunks(["a: 1"], [Edit(2, 1, 2, 1, "b: 2\n")])
    assert (hunk.line, hunk.old, hunk.new) == (1, [], ["b: 2"])
    (hunk,) = hunks(["a: 1", ""], [Edit(2, 1, 2, 1, "b: 2\n")])
    assert (hunk.line, hunk.old, hunk.new) == (1, [], ["b: 2"])


def test_a_long_change_is_whole_in_full_and_left_out_in_brief() -> None:
    assert LIMIT.fix is not None
    fix = msgspec.structs.replace(LIMIT.fix, edits=(Edit(2, 1, 2, 1, "x\n" * 20),))
    one = msgspec.structs.replace(
        LIMIT, fix=fix, file="a", line=1, end_line=1, column=1, end_column=2
    )
    result = LintResult(findings=(one,), texts={"a": "a: 1\nb: 2\n"})
    assert lint_report(result, "full").count("+ x") == 20
    assert "+ x" not in lint_report(result, "text")


def test_a_finding_beyond_its_text_has_no_excerpt() -> None:
    one = finding((9, 1, 9, 2), file="a")
    shown = lint_report(LintResult(findings=(one,), texts={"a": "a: 1\n"}), "full")
    assert "a:9:1" in shown
    assert "|" not in shown


def test_a_line_of_a_megabyte_is_cut_around_the_span() -> None:
    line = "x: 1, " * 200_000
    edit = Edit(1, 600_001, 1, 600_002, "yy")
    assert LIMIT.fix is not None
    fix = msgspec.structs.replace(LIMIT.fix, edits=(edit,))
    one = finding((1, 600_001, 1, 600_002), file="a", object=None, fix=fix)
    many = LintResult(findings=(one,) * 3, texts={"a": line})
    shown = lint_report(many, "full").split("\n")
    mark = shown[4].index("^")
    assert shown[3][mark - 6 : mark + 4] == "x: 1, x: 1"
    assert shown[3].count("…") == 2
    assert shown[7][mark - 6 : mark + 4] == "x: 1, x: 1"
    assert shown[8][mark - 6 : mark + 5] == "x: 1, yy: 1"
