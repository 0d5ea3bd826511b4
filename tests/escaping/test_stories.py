"""What people and logs see of an untrusted change, to the letter."""

import json
from pathlib import Path

from tests.escaping.program import Case, run

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n"
WITHOUT_LIMIT = f"{POD}  - name: a\n    resources: {{requests: {{nvidia.com/gpu: 1}}}}\n"


def test_a_kind_with_line_breaks_is_one_word_of_one_note(tmp_path: Path) -> None:
    kind = "X\n::error file=a::b\n\x1b]0;t\x07"
    text = json.dumps({"apiVersion": "a/v1", "kind": kind, "metadata": {"name": "n"}, "spec": {}})
    (tmp_path / "a.json").write_text(text)
    done = run(tmp_path, Case(("lint", "a.json")))
    shown = r"X\n::error file=a::b\n\x1b]0;t\x07"
    assert [line for line in done.err.split("\n") if shown in line] == done.err.split("\n")[:1]


def test_a_file_whose_name_is_a_command_begins_no_line_with_it(tmp_path: Path) -> None:
    name = "::error file=x::y.yaml"
    (tmp_path / name).write_text(WITHOUT_LIMIT)
    done = run(tmp_path, Case(("lint", name, "--select", "GPU102", "--format", "concise")))
    assert done.out.startswith(r"\x3a:error file=x::y.yaml:7:28: GPU102 error ")
    plain = tmp_path / "plain.yaml"
    plain.write_text(WITHOUT_LIMIT)
    done = run(tmp_path, Case(("lint", plain.name, "--select", "GPU102", "--format", "concise")))
    assert done.out.startswith("plain.yaml:7:28: GPU102 error ")


def test_the_mark_below_an_excerpt_stands_where_it_did(tmp_path: Path) -> None:
    text = WITHOUT_LIMIT.replace("requests:", '"##[x]\\u202e": 1, requests:').replace(
        "\\u202e", "\u202e"
    )
    (tmp_path / "a.yaml").write_text(text)
    done = run(tmp_path, Case(("lint", "a.yaml", "--select", "GPU102")))
    line, mark = done.out.split("\n")[2:4]
    assert r'"\x23#[x]\u202e": 1, requests:' in line
    assert line[mark.index("^") :].startswith("nvidia.com/gpu")


def test_an_option_that_is_not_known_cannot_colour_its_refusal(tmp_path: Path) -> None:
    done = run(tmp_path, Case(("lint", ".", "--x\x1b[31m")))
    assert done.err.startswith(r"error: gpuspec lint has no option `--x\x1b[31m`")
    done = run(tmp_path, Case(("\x1b[2J",)))
    assert done.err.startswith(r"error: no command `\x1b[2J`")
