"""What people see who run the program by hand."""

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Terminal

MIXED = Path(__file__).parents[2] / "examples/clusters/mixed-mig.yaml"
EXPLAIN = ("explain", "train.yaml", "-c", "clusters/eu.yaml")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_terminal_gets_colour_and_the_same_words(gpuspec: Program, terminal: Terminal) -> None:
    sent = terminal(*EXPLAIN)
    assert "\x1b[1mTraining train on eu\x1b[0m" in sent
    assert plain(sent) == gpuspec(*EXPLAIN).out


@pytest.mark.parametrize("changes", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_refused(terminal: Terminal, changes: dict[str, str]) -> None:
    assert "\x1b" not in terminal("explain", "nosuch.yaml", **changes)


@pytest.mark.parametrize(
    ("words", "changes", "colored"),
    [
        ((), {}, False),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ((), {"FORCE_COLOR": ""}, False),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        (("--color=never",), {"FORCE_COLOR": "1"}, False),
        (("--color", "auto"), {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_can_be_forced_into_a_pipe(
    gpuspec: Program, words: tuple[str, ...], changes: dict[str, str], colored: bool
) -> None:
    done = gpuspec(*EXPLAIN, *words, env=changes)
    assert done.code == 0
    assert ("\x1b[1m" in done.out) == colored


def test_a_choice_of_colour_that_there_is_not(gpuspec: Program) -> None:
    done = gpuspec("lint", ".", "--color", "alway")
    assert (done.code, done.err) == (
        2,
        "error: --color alway: no such choice\n  did you mean `always`?\n",
    )


def test_problems_are_folded_for_a_narrow_terminal(terminal: Terminal) -> None:
    sent = terminal("schema", "foo", columns=50)
    assert sent.startswith("\x1b[1;31merror:\x1b[0m no kind `foo`\n")
    assert plain(sent) == (
        "error: no kind `foo`\n"
        "  one of: inference, training, fine-tune,\n"
        "    batch-inference, cluster-profile,\n    configuration, add\n"
    )


def test_what_no_object_can_say_is_folded_too(terminal: Terminal) -> None:
    sent = terminal("cluster", "render", str(MIXED), columns=60)
    assert (
        "\x1b[1;36mnote:\x1b[0m label the nodes of pool t4-turns:\n"
        "  nvidia.com/device-plugin.config=t4-turns\n"
    ) in sent


def test_who_is_asked_to_type_a_spec_is_told_so(terminal: Terminal) -> None:
    sent = plain(terminal("render", "-", typed=b"\x04"))
    assert "reading from the terminal; end with Ctrl-D\n" in sent
    assert "error: no gpuspec workload in standard input\n" in sent


def test_an_error_of_a_spec_shows_its_line(folder: Path, terminal: Terminal) -> None:
    (folder / "bad.yaml").write_text("apiVersion: gpuspec.dev/v1alpha1\nkind: Inferense\n")
    shown = plain(terminal("render", "bad.yaml"))
    assert "2 | kind: Inferense\n  |       ^^^^^^^^^\n  did you mean `Inference`?\n" in shown
