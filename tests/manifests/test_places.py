"""Where values and keys are written."""

import pytest

from gpuspec.manifests import InputError, Path, Place, read

TEXT = """\
# a comment
kind: Pod
spec:
  containers:
  - name: é
    image: "x"   # here
    limits: {nvidia.com/gpu: 1}
  - &second
    name: b
  extra: &base
    a: 1
    deep: {b: 2}
  merged:
    <<: *base
    a: 9
  alias: *base
  text: |
    one
    two

---
next: 1
"""


def test_places() -> None:
    first, second = read(TEXT, "dir/x.yaml")

    def at(*path: str | int, key: bool = False) -> tuple[int, int]:
        place = first.place(path, key=key)
        assert place.file == "dir/x.yaml"
        return place.line, place.column

    assert at() == (2, 1)
    assert at("kind") == (2, 7)
    assert at("kind", key=True) == (2, 1)
    assert at("spec", "containers", 0) == (5, 5)
    assert at("spec", "containers", 0, "image") == (6, 12)
    assert at("spec", "containers", 0, "image", key=True) == (6, 5)
    assert at("spec", "containers", 0, "limits", "nvidia.com/gpu") == (7, 30)
    assert at("spec", "containers", 1) == (8, 5)
    assert at("spec", "merged", "a") == (15, 8), "written over"
    assert at("spec", "merged", "deep", "b") == (12, 15), "merged: where it is written"
    assert at("spec", "alias") == (16, 10)
    assert at("spec", "alias", "a") == (11, 8)
    assert at("spec", "containers", 0, "none", "such") == (5, 5), "the nearest parent"
    assert at("spec", "containers", 7) == (5, 3)
    assert at("spec", "containers", "name") == (5, 3)
    assert at("spec", "none", key=True) == (3, 1)
    assert second.place(("next",)) == Place("dir/x.yaml", 22, 7)
    assert (first.index, second.index) == (0, 1)
    assert TEXT[second.offset :] == second.text == "next: 1\n"
    assert first.source.name == "dir/x.yaml"
    assert first.source.text == TEXT


@pytest.mark.parametrize(
    ("path", "end"),
    [
        (("kind",), (2, 10)),
        (("spec", "containers", 0), (7, 32)),
        (("spec", "containers", 0, "image"), (6, 15)),
        (("spec", "containers", 0, "limits"), (7, 32)),
        (("spec", "extra"), (12, 17)),
        # A block takes the blank lines behind it with it.
        (("spec", "text"), (21, 1)),
    ],
)
def test_spans_end_behind_what_is_written(path: Path, end: tuple[int, int]) -> None:
    document = read(TEXT, "x.yaml")[0]
    start, behind = document.span(path)
    assert start == document.place(path)
    assert (behind.line, behind.column) == end


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_lines_are_counted_over_documents(newline: str) -> None:
    text = newline.join(["\ufeffa: 1", "---", "# c", "b:", "  c: 1", ""])
    _, second = read(text, "x.yaml")
    assert second.place(("b", "c")) == Place("x.yaml", 5, 6)


@pytest.mark.parametrize("mark", ["\x85", "\u2028", "\u2029"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_only_yaml_takes_for_a_line_break_begins_no_line(mark: str, newline: str) -> None:
    text = newline.join(
        [f"a: 1  # {mark}", f'b: "x{mark}{mark}y"', "c: {d: 2}", "---", "e:", "  f: 3", ""]
    )
    first, second = read(text, "x.yaml")
    assert first.span(("b",)) == (Place("x.yaml", 2, 4), Place("x.yaml", 2, 10))
    assert first.place(("c", "d")) == Place("x.yaml", 3, 8)
    assert second.place(("e", "f")) == Place("x.yaml", 6, 6)
    with pytest.raises(InputError) as refused:
        read(f"a: '{mark}'{newline}b: [1{newline}c: 2{newline}", "x.yaml")
    assert refused.value.problems[0].place == Place("x.yaml", 3, 2)


def test_old_macs_lines_count_before_a_later_document_too() -> None:
    text = "a: 1\rb: 2\n---\nc: 3\n"
    first, second = read(text, "x.yaml")
    assert first.place(("b",)) == Place("x.yaml", 2, 4)
    assert second.place(("c",)) == Place("x.yaml", 4, 4)
    assert read('{"a": 1}\r\r{"b": 2}', "x.json")[1].place(("b",)) == Place("x.json", 3, 7)


def test_json_has_places() -> None:
    text = '{"a": 1}{"b": "\\ud83d\\ude00", "c": 2}\n{\n  "d": {"e": 3}}'
    first, second, third = read(text, "x.json")
    assert first.place(("a",)) == Place("x.json", 1, 7)
    assert second.place(()) == Place("x.json", 1, 9)
    assert second.place(("c",), key=True) == Place("x.json", 1, 31)
    assert third.place(("d", "e")) == Place("x.json", 3, 14)


def test_json_that_yaml_cannot_hold_is_at_its_beginning() -> None:
    text = '{"a": 1}\n{"%s": 1}' % ("k" * 2000)
    second = read(text, "x.json")[1]
    assert second.place(("k" * 2000,)) == Place("x.json", 2, 1)
