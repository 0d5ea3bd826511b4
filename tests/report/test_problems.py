"""Problems, refusals and notes, as they are read on stderr."""

import re

import pytest

from gpuspec.manifests import Place, Problem
from gpuspec.plan import Note, Origin, Refusal, RefusalReason
from gpuspec.report.problems import notes_text, problems_text, refusals_text
from gpuspec.spec.sets import OptionPlace

PLACE = Place("specs/chat.yaml", 9, 12)
HINT = "did you mean `vllm`?"


def note(text: str) -> Note:
    return Note(text, Origin("derived", row="x"), loud=True)


def test_a_problem_begins_with_its_place_so_that_editors_link_it() -> None:
    text = problems_text([Problem("`spec.runtime`: not known", PLACE, HINT)])
    assert text == (
        "specs/chat.yaml:9:12: error: `spec.runtime`: not known\n  did you mean `vllm`?\n"
    )


def test_a_problem_without_a_place_begins_with_what_it_is() -> None:
    assert problems_text([Problem("no such file")]) == "error: no such file\n"


def test_several_problems_are_counted() -> None:
    assert problems_text([Problem("a"), Problem("b")]) == "error: a\nerror: b\n2 errors\n"


def test_a_setting_is_its_own_place() -> None:
    problem = Problem("unknown field", OptionPlace("--set chat:imag=y", 1, 1))
    assert problems_text([problem]) == "--set chat:imag=y: error: unknown field\n"


def test_without_a_terminal_a_problem_is_one_line_and_its_hint_another() -> None:
    text = problems_text([Problem("word " * 60, PLACE, "more " * 60)])
    assert len(text.splitlines()) == 2


def test_on_a_terminal_lines_are_folded_and_the_place_stays_whole() -> None:
    place = Place("a folder/chat.yaml", 9, 12)
    text = problems_text([Problem("a long message " * 9, place, "a long hint " * 9)], width=60)
    lines = text.splitlines()
    assert lines[0].startswith("a folder/chat.yaml:9:12: error: a long message")
    assert all(len(line) <= 60 for line in lines)
    assert all(line.startswith("  ") for line in lines[1:])


def test_a_place_wider_than_the_terminal_stays_whole() -> None:
    place = Place("a/" * 40 + "chat.yaml", 9, 12)
    assert problems_text([Problem("wrong", place)], width=40).splitlines() == [
        f"{place}: error:",
        "  wrong",
    ]


@pytest.mark.parametrize("width", [None, 40, 80])
def test_colour_adds_nothing_but_colour(width: int | None) -> None:
    problems = [Problem("a long message " * 9, PLACE, HINT), Problem("b")]
    coloured = problems_text(problems, width=width, color=True)
    assert "\x1b[1;31merror:\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == problems_text(problems, width=width)


@pytest.mark.parametrize("width", [None, 80])
def test_a_name_cannot_steer_the_terminal(width: int | None) -> None:
    problem = Problem("a\x1b[2J\nb", Place("\x1b]0;x\x07\n.yaml", 1, 1), "h\x9bint\nmore")
    text = problems_text([problem], width=width)
    assert all(line.isprintable() for line in text.splitlines())
    assert text.startswith("\\x1b]0;x\\x07\\n.yaml:1:1: error: a\\x1b[2J\\nb\n")


def test_a_refusal_says_its_reasons_under_the_line_they_hang_on() -> None:
    reasons = [
        RefusalReason("pool l4: its L4 is not acceptable", PLACE),
        RefusalReason("the model needs 40Gi", Place("specs/chat.yaml", 20, 3), "ask for more GPUs"),
        RefusalReason("pool t4: its T4 is not acceptable", PLACE),
    ]
    assert refusals_text([Refusal("chat", "eu", reasons)]) == (
        "specs/chat.yaml:9:12: refused: chat cannot run on eu\n"
        "  pool l4: its L4 is not acceptable\n"
        "  pool t4: its T4 is not acceptable\n"
        "specs/chat.yaml:20:3: refused: chat cannot run on eu\n"
        "  the model needs 40Gi\n"
        "    ask for more GPUs\n"
    )


def test_a_hint_that_neighbours_share_is_said_once() -> None:
    reasons = [RefusalReason(f"pool {name}", PLACE, "add one of these") for name in "ab"]
    reasons.insert(1, RefusalReason("pool c", PLACE, "name it"))
    assert refusals_text([Refusal("chat", "eu", reasons)]).splitlines()[1:] == [
        "  pool a",
        "    add one of these",
        "  pool c",
        "    name it",
        "  pool b",
        "    add one of these",
    ]
    del reasons[1]
    assert refusals_text([Refusal("chat", "eu", reasons)]).splitlines()[1:] == [
        "  pool a",
        "  pool b",
        "    add one of these",
    ]


def test_refusals_among_several_renderings_are_counted() -> None:
    refusals = [Refusal(name, "eu", [RefusalReason("no GPUs")]) for name in ("chat", "train")]
    assert refusals_text(refusals, 6).endswith("\n2 of 6 refused, nothing was written\n")


def test_a_note_that_workloads_share_is_said_once() -> None:
    notes = [(name, note("no autoscaler")) for name in ("a", "b", "b", "c", "d", "e")]
    assert notes_text([*notes, ("a", note("assumed"))]) == (
        "note: a, b, c and 2 more: no autoscaler\nnote: a: assumed\n"
    )


def test_no_notes_say_nothing() -> None:
    assert notes_text([]) == ""


TEXT = "spec:\n  runtime: vlm  # typo\n  image: \x1b[31mred\n"


def at(line: int, column: int, text: str | None = TEXT, width: int | None = 80) -> str:
    problem = Problem("not known", Place("chat.yaml", line, column), HINT)
    return problems_text([problem], width=width, source=lambda file: text)


def test_on_a_terminal_the_line_is_shown_with_its_word_marked() -> None:
    assert at(2, 12) == (
        "chat.yaml:2:12: error: not known\n"
        "1 | spec:\n"
        "2 |   runtime: vlm  # typo\n"
        "  |            ^^^\n"
        "  did you mean `vllm`?\n"
    )


def test_the_line_of_a_refusal_is_shown_too() -> None:
    refusal = Refusal("chat", "eu", [RefusalReason("no", Place("chat.yaml", 2, 3), None)])
    text = refusals_text([refusal], width=80, source=lambda file: TEXT)
    assert "2 |   runtime: vlm  # typo\n  |   ^^^^^^^\n  no\n" in text


@pytest.mark.parametrize(
    ("line", "column", "text"), [(9, 1, TEXT), (2, 99, TEXT), (1, 1, None), (2, 1, "")]
)
def test_a_place_that_is_not_in_the_text_shows_no_line(
    line: int, column: int, text: str | None
) -> None:
    assert at(line, column, text) == at(line, column, width=None)


def test_what_stands_in_the_line_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in at(3, 10)


def test_in_a_pipe_no_line_is_shown() -> None:
    assert at(2, 12, width=None).count("\n") == 2
