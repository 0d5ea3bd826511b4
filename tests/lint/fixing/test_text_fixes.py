"""Fixes in documents as people write them: to the byte what somebody would have typed."""

from typing import Any

import pytest

from gpuspec.lint.fixing import fixed, text_fix
from gpuspec.lint.model import Change, Drop, Fix, Put, Rename
from gpuspec.manifests import decode, parse_path, read, read_chunk, split


def put(path: str, value: Any) -> Put:
    return Put(parse_path(path), value)


def drop(path: str) -> Drop:
    return Drop(parse_path(path))


def gone(path: str) -> Drop:
    return Drop(parse_path(path), emptied=True)


def rename(path: str, key: str) -> Rename:
    return Rename(parse_path(path), key)


def mended(text: str, *changes: Change, index: int = 0) -> str | None:
    fix = text_fix(read(text, "a.yaml")[index], Fix("mend it", changes, safe=True))
    if fix is None:
        return None
    assert (fix.title, fix.safe) == ("mend it", True)
    return fixed(text, [fix])


PUTS = {
    "a scalar": ("a: 1  # c\nb: 2\n", put("a", 3), "a: 3  # c\nb: 2\n"),
    "what is no number is quoted": ("a: x\n", put("a", "1"), 'a: "1"\n'),
    "a word that is true to some": ("a: x\n", put("a", "on"), 'a: "on"\n'),
    "double quotes stay": ('a: "x"  # c\n', put("a", "y"), 'a: "y"  # c\n'),
    "single quotes stay": ("a: 'x'\n", put("a", "it's"), "a: 'it''s'\n"),
    "no quotes around a number": ('a: "1"\n', put("a", 1), "a: 1\n"),
    "behind a key without a value": ("a:  # c\nb: 2\n", put("a", 1), "a: 1  # c\nb: 2\n"),
    "a null": ("a: ~\n", put("a", "x"), "a: x\n"),
    "a new key": ("a: 1\n# c\n", put("b", "x"), "a: 1\nb: x\n# c\n"),
    "comments of a list stay with it": (
        "a:\n  b:\n    - 1\n    # - 2\n    #   c\n  # of b\nd: 1\n",
        put("a.c", 1),
        "a:\n  b:\n    - 1\n    # - 2\n    #   c\n  # of b\n  c: 1\nd: 1\n",
    ),
    "comments of a list no deeper than its key": (
        "a:\n  b:\n  - 1\n  # - 2\nd: 1\n",
        put("a.c", 1),
        "a:\n  b:\n  - 1\n  # - 2\n  c: 1\nd: 1\n",
    ),
    "no comment gets into a text": (
        "a:\n- b\n- c  # c\n",
        put("a", ["x\ny\n"]),
        "a:\n- |\n  x\n  y\n",
    ),
    "what is commented out in the first column": (
        "a:\n  b:\n    - 1\n#    - 2\n",
        put("a.c", 1),
        "a:\n  b:\n    - 1\n#    - 2\n  c: 1\n",
    ),
    "a comment of the next entry": (
        "a:\n- 1\n# of b\nb: 1\n",
        put("a[1]", 2),
        "a:\n- 1\n- 2\n# of b\nb: 1\n",
    ),
    "comments behind a blank line": (
        "a:\n  b: 1\n\n  # c\nd: 1\n",
        put("a.c", 2),
        "a:\n  b: 1\n  c: 2\n\n  # c\nd: 1\n",
    ),
    "a key that needs quotes": ("a: 1\n", put("on", 1), 'a: 1\n"on": 1\n'),
    "at the end without a line break": ("a: 1", put("b", "x"), "a: 1\nb: x"),
    "a text at an end without a line break": ("a: 1", put("b", "x\n"), 'a: 1\nb: "x\\n"'),
    "windows line ends": ("a:\r\n  b: 1\r\n", put("a.c.d", "x\ny\n"), "a:\r\n  b: 1\r\n  c:\r\n    d: |\r\n      x\r\n      y\r\n"),
    "old macintosh line ends": ("a: # c\r  b: 1\rc: 2\r", put("a.d", 2), "a: # c\r  b: 1\r  d: 2\rc: 2\r"),
    "a byte order mark": ("\ufeffa: 1\n", put("a", 2), "\ufeffa: 2\n"),
    "missing parents": (
        "a:\n    b: 1\n",
        put("c.d[0].e", 1),
        "a:\n    b: 1\nc:\n    d:\n    - e: 1\n",
    ),
    "the file's dashes": (
        "a:\n  - 1\nb: 2\n",
        put("c", [1, {"d": [2]}]),
        "a:\n  - 1\nb: 2\nc:\n  - 1\n  - d:\n      - 2\n",
    ),
    "null parents": ("resources:\nb: 1\n", put("resources.limits.cpu", "1"), 'resources:\n  limits:\n    cpu: "1"\nb: 1\n'),
    "an empty mapping": ("a: {}  # c\nb: 1\n", put("a.x", 1), "a:  # c\n  x: 1\nb: 1\n"),
    "an empty list": ("a: []\nb: 1\n", put("a[0].x", 1), "a:\n- x: 1\nb: 1\n"),
    "an item": ("a:\n- x: 1\n  y: 2  # c\nb: 3\n", put("a[1]", {"x": 4, "z": 5}), "a:\n- x: 1\n  y: 2  # c\n- x: 4\n  z: 5\nb: 3\n"),
    "an item like the others": ("a:\n  - b # c\n", put("a[1]", "-x"), "a:\n  - b # c\n  - -x\n"),
    "in an item": ("- a: 1\n- b: 1\n", put("[0].c", 2), "- a: 1\n  c: 2\n- b: 1\n"),
    "a mapping for a scalar item": ("- a # c\n- b\n", put("[0]", {"x": 1, "z": 2}), "- x: 1 # c\n  z: 2\n- b\n"),
    "a list for a mapping": ("a:\n  b: 1\nc: 2\n", put("a", [1]), "a:\n- 1\nc: 2\n"),
    "a scalar for a mapping": ("a:  # c\n  b: 1\nc: 2\n", put("a", 1), "a: 1  # c\nc: 2\n"),
    "a text for a list with a comment above": ("a: # c\n- 1\nb: 2\n", put("a", "x\ny\n"), 'a: "x\\ny\\n" # c\nb: 2\n'),
    "a mapping for a mapping": ("a: # c\n   b: 1\nc: 2\n", put("a", {"d": 1, "e": 2}), "a: # c\n   d: 1\n   e: 2\nc: 2\n"),
    "after a text": ("a: |\n  x\n\n# c\n", put("b", 1), "a: |\n  x\nb: 1\n\n# c\n"),
    "for a text": ("a: |\n  x\n  y\n\nb: 1\n", put("a", "z"), "a: z\n\nb: 1\n"),
    "in brackets": ("a: {b: 1} # c\n", put("a.c", "x, y"), 'a: {b: 1, c: "x, y"} # c\n'),
    "in brackets, quoted": ('a: {"b": 1}\n', put("a.c", True), 'a: {"b": 1, "c": true}\n'),
    "a mapping in brackets": ("a: {b: 1}\n", put("a", {"c": [1, "é"]}), "a: {c: [1, é]}\n"),
    "in a list in brackets": ("a: [b]\n", put("a[1]", "c"), "a: [b, c]\n"),
    "a trailing comma": ("a: [\n  b,  # c\n]\n", put("a[1]", "d"), "a: [\n  b,  # c\n  d,\n]\n"),
    "brackets over lines": ("a: {\n  b: 1  # c\n}\n", put("a.c", 2), "a: {\n  b: 1,  # c\n  c: 2\n}\n"),
    "in brackets, empty": ("a: [{}]\n", put("a[0].b", 1), "a: [{b: 1}]\n"),
    "an anchor of one's own": ("a: &x 1\nb: 2\n", put("a", 3), "a: &x 3\nb: 2\n"),
    "an anchor of a block": ("a: &x\n  b: 1\n", put("a.c", 2), "a: &x\n  b: 1\n  c: 2\n"),
    "an alias": ("a: &x {b: 1}\nc: *x  # c\n", put("c", 1), "a: &x {b: 1}\nc: 1  # c\n"),
    "below a merge key": ("a: &x {b: 1}\nc:\n  <<: *x\n", put("c.d", 1), "a: &x {b: 1}\nc:\n  <<: *x\n  d: 1\n"),
    "a tag": ("a: !!str 1\nb: 2\n", put("b", 3), "a: !!str 1\nb: 3\n"),
    "json": ('{"a": {}, "b": [1]}', put("a.c", "x"), '{"a": {"c": "x"}, "b": [1]}'),
    "tight json": ('{"a":1,"b":[1]}', put("b[1]", {"x": "y"}), '{"a":1,"b":[1,{"x":"y"}]}'),
    "json over lines": (
        '{\n    "a": {\n        "b": 1\n    }\n}\n',
        put("a.c", {"d": [], "e": [1]}),
        '{\n    "a": {\n        "b": 1,\n        "c": {\n            "d": [],\n            "e": [\n'
        "                1\n            ]\n        }\n    }\n}\n",
    ),
    "empty json over lines": ('{\n  "a": {}\n}\n', put("a.b", 1), '{\n  "a": {\n    "b": 1\n  }\n}\n'),
}  # fmt: skip

DROPS = {
    "the last one of a list, with what it empties": ("a:\n  b:\n    - c\n  d: 1\n", gone("a.b[0]"), "a:\n  d: 1\n"),
    "what it empties, all the way up": ("a:\n  b: {c: {d: 1}}\ne: 1\n", gone("a.b.c.d"), "e: 1\n"),
    "one of several, nothing is empty": ("a:\n- 1\n- 2\n", gone("a[0]"), "a:\n- 2\n"),
    "in JSON, with what it empties": ('{"a": {"b": [1]}, "c": 2}\n', gone("a.b[0]"), '{"c": 2}\n'),
    "the last of a file without an end, behind a text": ("a:\n- |\n x\n- y", drop("a[1]"), "a:\n- |\n x\n"),
    "after a text that keeps its blank lines": ("a: |+\n  x\n\nb: 1\n\nc: 2\n", drop("b"), "a: |+\n  x\n\nc: 2\n"),
    "an entry": ("a: 1\nb: 2  # c\n# d\nc: 3\n", drop("b"), "a: 1\n# d\nc: 3\n"),
    "an entry with its comments": ("a: 1\nb:\n  c: 1\n  # d\n# e\n", drop("b"), "a: 1\n# e\n"),
    "the last one of a document": ("a: 1\nb: 2", drop("b"), "a: 1"),
    "the last one of a mapping": ("a:\n  b: 1\nc: 2\n", drop("a.b"), "a: {}\nc: 2\n"),
    "the last one of a mapping, commented": ("a: # c\n  # d\n  b: 1 # e\n", drop("a.b"), "a: {} # c\n  # d\n"),
    "the last one of a list": ("a:\n- b\nc: 2\n", drop("a[0]"), "a: []\nc: 2\n"),
    "the last one of an item": ("- a: 1\n- b: 1\n", drop("[0].a"), "- {}\n- b: 1\n"),
    "an item": ("a:\n  - b: 1\n    c: 2\n  - d\n", drop("a[0]"), "a:\n  - d\n"),
    "the first entry of an item": ("- a: 1 # x\n  # c\n  b: 2\n", drop("[0].a"), "- # c\n  b: 2\n"),
    "the first entry, plain": ("- a: 1\n  b: 2\n", drop("[0].a"), "- b: 2\n"),
    "the first item of an item": ("- - a\n  - b\n", drop("[0][0]"), "- - b\n"),
    "in brackets, the first": ("a: {b: 1, c: 2}\n", drop("a.b"), "a: {c: 2}\n"),
    "in brackets, the last": ("a: {b: 1, c: 2}\n", drop("a.c"), "a: {b: 1}\n"),
    "in brackets, the only one": ("a: { b: 1 }\n", drop("a.b"), "a: {}\n"),
    "json over lines": ('{\n  "a": 1,\n  "b": 2\n}\n', drop("b"), '{\n  "a": 1\n}\n'),
    "json over lines, the first": ('{\n  "a": 1,\n  "b": 2\n}\n', drop("a"), '{\n  "b": 2\n}\n'),
    "comments in brackets": ("[\n  a, # x\n  b, # y\n  c # z\n]\n", drop("[2]"), "[\n  a, # x\n  b # y\n]\n"),
    "windows line ends": ("a: 1\r\nb:\r\n- 1\r\n", drop("b[0]"), "a: 1\r\nb: []\r\n"),
}  # fmt: skip

RENAMES = {
    "a key": ("a:\n  b: 1 # c\n", rename("a", "d"), "d:\n  b: 1 # c\n"),
    "a quoted key": ('{"a": 1}', rename("a", "b"), '{"b": 1}'),
    "a key that needs quotes": ("a: 1\n", rename("a", "x: y"), '"x: y": 1\n'),
    "in brackets": ("{a: 1}\n", rename("a", "b,c"), '{"b,c": 1}\n'),
    "in an item": ("- &x a : 1\n", rename("[0].a", "b"), "- &x b : 1\n"),
}

ALL = {f"{kind} {name}": case for kind, cases in (("put", PUTS), ("drop", DROPS), ("rename", RENAMES)) for name, case in cases.items()}  # fmt: skip


@pytest.mark.parametrize("case", ALL.values(), ids=ALL)
def test_a_change_is_what_somebody_would_have_typed(case: tuple[str, Change, str]) -> None:
    text, change, wanted = case
    assert mended(text, change) == wanted


REFUSED = {
    "an anchor that is used elsewhere": ("a: &x {b: 1}\nc: *x\n", put("a.b", 2)),
    "through an alias": ("a: &x {b: 1}\nc: *x\n", put("c.b", 2)),
    "a new key through an alias": ("a: &x\n  b: 1\nc: *x\n", put("c.d", 2)),
    "a merged key": ("a: &x {b: 1}\nc:\n  <<: *x\n", put("c.b", 2)),
    "a merged key to drop": ("a: &x {b: 1}\nc:\n  <<: *x\n  d: 1\n", drop("c.b")),
    "an anchor to drop": ("a: &x {b: 1}\nc: *x\n", drop("a")),
    "what is so already": ("a: 1\n", put("a", 1)),
    "what is dropped already": ("a: 1\n", drop("b.c")),
    "what is renamed already": ("a: 1\n", rename("b", "a")),
    "a new key that is there": ("a: 1\nb: 2\n", rename("a", "b")),
    "all of a document": ("a: 1\n", drop("a")),
    "the document itself": ("a: 1\n", put("", {"b": 1})),
    "a step into a scalar": ("a: 1\n", put("a.b", 1)),
    "an item far behind the last": ("a: [1]\n", put("a[2]", 1)),
    "a list that begins in the middle": ("a: 1\n", put("b[1]", 1)),
    "a pair in a list in brackets": ("a: [b: 1]\n", put("a[0].c", 1)),
    "a key without a colon": ("a: {b}\n", put("a.b", 1)),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_spliced_safely_is_not_offered(case: tuple[str, Change]) -> None:
    assert mended(*case) is None


def test_a_document_that_is_wrong_elsewhere_is_left_as_it_is() -> None:
    (document,), problems = read_chunk(split(decode("a: 1\nb: 2\nb: 3\n", "a.yaml"))[0][0])
    assert problems
    assert text_fix(document, Fix("mend it", (put("a", 2),))) is None


def test_1_and_true_are_two_values() -> None:
    assert mended("a: 1\n", put("a", True)) == "a: true\n"


def test_changes_speak_of_the_document_as_it_was() -> None:
    text = "a: [x, y, z]\nb:\n  c: 1\n"
    changes = (drop("a[0]"), rename("b", "d"), drop("a[2]"), put("b.e", 2), put("f", 1))
    assert mended(text, *changes) == "a: [y]\nd:\n  c: 1\n  e: 2\nf: 1\n"


def test_parents_are_made_once() -> None:
    text = "a: {}\n"
    changes = (put("a.limits.cpu", 1), put("a.limits.memory", "1Gi"))
    assert mended(text, *changes) == "a:\n  limits:\n    cpu: 1\n    memory: 1Gi\n"


def test_other_documents_of_the_file_stay_as_they_are() -> None:
    text = "# Source: x\na: 1\n--- # one\nb: 2\n---\n{}\n---\nc: 3"
    assert mended(text, put("b", 4), put("d", 5), index=1) == (
        "# Source: x\na: 1\n--- # one\nb: 4\nd: 5\n---\n{}\n---\nc: 3"
    )


def test_json_objects_in_a_row() -> None:
    text = '{"a": 1} {"b": 2}\n{"c": 3}\n'
    assert mended(text, put("b", 4), index=1) == '{"a": 1} {"b": 4}\n{"c": 3}\n'


def test_edits_are_told_in_lines_and_columns() -> None:
    document = read("a: 1\n---\nb:\n  c: é2 # x\n", "a.yaml")[1]
    fix = text_fix(document, Fix("mend it", (put("b.c", 3),)))
    assert fix is not None
    (edit,) = fix.edits
    assert (edit.line, edit.column, edit.end_line, edit.end_column) == (4, 6, 4, 8)
    assert edit.text == "3"
