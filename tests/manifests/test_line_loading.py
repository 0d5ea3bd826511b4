"""Documents that are read line by line mean what they mean to libyaml, and where, or are left to it."""

import pathlib
from collections.abc import Iterator
from functools import cache
from itertools import product
from random import Random

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.manifests import InputError, Path, Place, decode, positions, read, reader, split
from gpuspec.manifests.limits import MAX_DEPTH
from gpuspec.manifests.line_loading import LineReader
from gpuspec.manifests.plain_scalars import PlainScalars, UnusualError
from gpuspec.manifests.positions import Positions

ROOT = pathlib.Path(__file__).parents[2]
READER = LineReader(PlainScalars())


def by_line(text: str) -> object:
    """A document as the line reader has it. A test in itself: what comes first in a source, ``read``
    reads without the line reader."""
    value = READER.load(text)
    documents = read(text, "x.yaml")
    assert repr(value) == repr(documents[0].value if documents else None)
    if documents:
        chunk = split(decode(text, "x.yaml"))[0][0]
        by_graph = Positions(chunk)
        for path, key in product(paths(value), (False, True)):
            # A fresh one each time: where the lines do not tell one place, the graph tells the next.
            by_lines = Positions(chunk, by_lines=True)
            assert by_lines.span(path, key=key) == by_graph.span(path, key=key)
    return value


def paths(value: object, path: Path = ()) -> Iterator[Path]:
    """The paths of all that is in a value, and of some that is not."""
    yield from (path, (*path, "absent"), (*path, 99))
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths(inner, (*path, index))


def is_left(text: str) -> bool:
    """Whether a document is left to libyaml. If not, both must have the same value."""
    try:
        by_line(text)
    except UnusualError:
        return True
    return False


def test_a_usual_document() -> None:
    text = """\
# With "quotes", [brackets], a: colon and Wörter.
kind: "Deployment"
empty:
metadata: {name: x, labels: { app: x,tier: 'a b' }, annotations: {}, finalizers: [ ]}   # ends
spec:

  replicas: 012
  on: y
  image: vllm/vllm-openai:v0.33.0@sha256:00ff
  template:
    containers:
    - args: [--port=8000, "b c", 'http://x:80/y', 1e3, ~, [x, {a: [1, b c]}], [[]], {}]
      nothing:   # but a comment
      command:
      - python
      -   --flag
      - '-'
      - {name: http, containerPort: 8000}
    -   name: wide
        x: a:b
    - when:
    # between
  more: 'it is'
"""
    flow = [["x", {"a": [1, "b c"]}], [[]], {}]
    main = {
        "args": ["--port=8000", "b c", "http://x:80/y", 1000, None, *flow],
        "nothing": None,
        "command": ["python", "--flag", "-", {"name": "http", "containerPort": 8000}],
    }
    assert by_line(text) == {
        "kind": "Deployment",
        "empty": None,
        "metadata": {
            "name": "x",
            "labels": {"app": "x", "tier": "a b"},
            "annotations": {},
            "finalizers": [],
        },
        "spec": {
            "replicas": 10,
            "true": True,
            "image": "vllm/vllm-openai:v0.33.0@sha256:00ff",
            "template": {"containers": [main, {"name": "wide", "x": "a:b"}, {"when": None}]},
            "more": "it is",
        },
    }


_BEHIND_DASHES = """\
items:
- # of the first
  a: 1
  b:
  - # nothing

  -   # a list

    - c
    - # deeper
        d: e
  - f
- # only a comment
# and one below
- g
more:
  - # text
    h: |
      i
last: j
"""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "# nothing",
        "  \n",
        "- a",
        "  a: 1\n  b: 2",
        "a:\n- b\nc:",
        _BEHIND_DASHES,
        "- # a\n",
    ],
)
def test_more_that_is_read(text: str) -> None:
    by_line(text)


def test_a_document_of_many_pieces() -> None:
    item = "- name: main # one of many\n  args: [a, b]\n  script: |\n    set -eu\n\n    true\n"
    text = "apiVersion: v1\nkind: List\nitems:\n" + item * 8000
    assert READER.load(text) == yaml.load(text, yaml.CSafeLoader)


def test_a_place_in_a_line_is_told_without_the_graph_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chunk = split(decode("a:\n" + "- b: {c: 1, d: [x, y]}\n" * 3, "x.yaml"))[0][0]
    monkeypatch.setattr(positions, "compose", None)
    told = Positions(chunk, by_lines=True)
    assert told.span(("a", 2, "b", "d", 1))[0] == Place("x.yaml", 4, 20)
    assert told.span(("a", 0, "b", "d"), key=True)[0].column == 13
    assert told.span(("a", 0, "b", "absent"), key=True)[0].column == 3


def test_a_long_document_is_read_by_lines_though_it_comes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reader, "load_yaml", None)
    item = "- name: main\n  args: [a, b]\n"
    (document,) = read(f"kind: List\nitems:\n{item * 5000}", "x.yaml")
    assert document.value == {
        "kind": "List",
        "items": [{"name": "main", "args": ["a", "b"]}] * 5000,
    }


def test_a_line_that_is_longer_than_a_piece() -> None:
    assert is_left(f"a: [{'b, ' * 50_000}c]\nd: {'e' * 200_000}\n")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: |\n  b\n", {"a": "b\n"}),
        ("a: |-\n  b\n\n\nc: 1\n", {"a": "b", "c": 1}),
        ("a: |\n\n   b\n     c: |\n       d # e\n\n   # f\n# g\nh:\n", None),
        ("a:\n- |\n b\n- c: |-\n   d\n  e: |\n   f\n", None),
        ("a:\n  - |\n    set -eu\n    x: [\n  - b\n", {"a": ["set -eu\nx: [\n", "b"]}),
        ("a: |\n  b\n    \n  \nc: d\n", {"a": "b\n  \n", "c": "d"}),
        ("- a: |\n    b\n  c: 1\n", [{"a": "b\n", "c": 1}]),
    ],
)
def test_blocks_of_text(text: str, value: object) -> None:
    found = by_line(text)
    assert value is None or found == value


# One to a line, with ⏎ for a line break.
_LEFT = """
a: |⏎  b
a: |
a: |⏎
a: |⏎b: 1
a: |⏎  b⏎ c
a: |⏎   ⏎  b⏎
a: |⏎  é⏎
a: | # b⏎  c⏎
a: |2⏎  b⏎
a: |+⏎  b⏎
a: >⏎  b⏎
|⏎ a⏎
- a: |⏎  b⏎
- - |⏎   a⏎
"a": |⏎  b⏎
a: >-⏎  b
a: b⏎  c
a: "b⏎  c"
a:⏎  b
a: [⏎  b]
a: &x b
a: *x
a: !x b
a: !!str 1
<<: {a: 1}
? a⏎: b
a: 1⏎a: 2
a: {b: 1, b: 2}
y: 1⏎true: 2
null: 1
a: .inf
a: [.inf]
a: b: c
a: - b
a: b:
- - a
-
a
{a: 1}
a : 1
a: 1⏎  b: 2
a:⏎    b: 1⏎  c: 2
  a: 1⏎b: 2
a: 1⏎- b
- a⏎b: 1
- a: 1⏎ - b: 1
- a: 1⏎  - b
- a⏎  - b
a:⏎  - b⏎ - c
a:⏎ - b⏎ c: 1
a: [b
a: [b]]
a: [b}
a: {b}
a: [b: c]
a: [b] c
a: [b], c
a: [b, ]
a: [, b]
a: [b{c]
a: [b?]
a: [b:]
a: {b:c}
a: ['b, c']
a: "b\\n"
a: 'it''s'
a: "b" c
a: 'b # c'
a: "b #"c"
a: [b #]
a: b#c
a: @b
a: `b`
a: é
a: 1⏎...
%YAML 1.1
"""


@pytest.mark.parametrize(
    "text",
    [
        *(line.replace("⏎", "\n") for line in _LEFT.strip("\n").split("\n")),
        *("a:\tb\n", "\ta: b\n", "a: b\t# c\n", "a: 1\r\n"),
        *("# \x07\n", "a: b # \x7f\n", "# \x85a: 1\n", "# \u2028a: 1\n"),
        pytest.param("k" * 2000 + ": 1\n", id="a long key"),
        pytest.param("a: " + "b" * 200_000, id="a long text"),
    ],
)
def test_what_is_left_to_libyaml(text: str) -> None:
    assert is_left(text)


def test_places_are_told_by_the_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(positions, "compose", asked.append)
    text = """\
kind: Pod  # a comment
spec:
  # another
  containers:
  - name: main
    command:
    - sh
    args:
    - |
      # no comment
      exec server

    image: a
  - name: side
"""
    document = read("a: 1\n---\n" * 100 + text, "x.yaml")[-1]

    def span(*path: str | int, key: bool = False) -> tuple[int, int, int, int]:
        start, end = document.span(path, key=key)
        return start.line - 200, start.column, end.line - 200, end.column

    assert span() == (1, 1, 14, 15)
    assert span("kind") == (1, 7, 1, 10)
    assert span("spec", "containers", key=True) == (4, 3, 4, 13)
    assert span("spec", "containers", 0) == (5, 5, 13, 13)
    assert span("spec", "containers", 0, "command", 0) == (7, 7, 7, 9)
    assert span("spec", "containers", 0, "args", 0) == (9, 7, 13, 1)
    assert span("spec", "containers", 1, "resources", "limits") == (14, 5, 14, 15)
    assert asked == []


def test_nesting_ends_where_it_does_for_libyaml() -> None:
    for around in ("", *("\n".join(" " * n + "a:" for n in range(m)) + "\n" for m in (1, 50, 98))):
        deep = MAX_DEPTH - around.count("a")
        indent = " " * around.count("a")
        by_line(f"{around}{indent}- {'[' * (deep - 1)}{']' * (deep - 1)}\n")
        assert is_left(f"{around}{indent}- {'[' * deep}{']' * deep}\n")
        by_line(f"{around}{indent}a: {'[' * (deep - 1)}{']' * (deep - 1)}\n")
        assert is_left(f"{around}{indent}a: {'[' * deep}{']' * deep}\n")
    lines = [" " * n + "a:\n" for n in range(MAX_DEPTH + 1)]
    by_line("".join(lines[:-1]))
    assert is_left("".join(lines))


@cache
def manifests() -> list[str]:
    """Documents of the examples; they are written as manifests usually are."""
    files = sorted((ROOT / "examples" / "rendered").rglob("*.yaml"))
    sources = [decode(file.read_bytes(), file.name) for file in files]
    return [chunk.text for source in sources for chunk in split(source)[0]]


def test_manifests_are_read_line_by_line() -> None:
    for text in manifests():
        by_line(text)


_PIECES = [
    *" \n:-#\"'{}[],?!&*|>%@`\\~=.01ayn$(<é\t\r\x85",
    *(
        "  ",
        "- ",
        ": ",
        ", ",
        " # ",
        "\n  ",
        "\n    ",
        "\n- ",
        "\n  - ",
        "\n\n",
        "a: b",
        "k:\n",
        "- a",
        "a: |\n  b\n",
        " |\n",
        "|-\n",
    ),
    *(
        "{a: b}",
        "[a, b]",
        "{}",
        "[]",
        '""',
        "''",
        '"a"',
        "012",
        "1e3",
        ".inf",
        "yes",
        "<<: ",
        "...",
    ),
]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join))
def test_any_text_is_read_alike_or_left(text: str) -> None:
    for whole in (text, f"a: {text}", f"a: {{b: {text}}}", f"- [{text}]"):
        if "\n---" not in f"\n{whole}":
            is_left(whole)


@settings(max_examples=300)
@given(st.randoms(use_true_random=False))
def test_edited_manifests_are_read_alike_or_left(random: Random) -> None:
    lines = random.choice(manifests()).split("\n")
    at = random.randrange(len(lines))
    lines = lines[at : at + 12]
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(lines))
        lines[at] = _edited(lines[at], random)
    text = "\n".join(lines)
    if "\n---" not in f"\n{text}":
        is_left(text)


def _edited(line: str, random: Random) -> str:
    at = random.randrange(len(line) + 1)
    bare = line.lstrip(" ")
    return random.choice(
        [
            line[:at] + line[at + 1 :],
            line[:at] + random.choice(_PIECES) + line[at:],
            line[:at] + random.choice(_PIECES) + line[at + 1 :],
            line[:at] + "\n" + " " * random.randrange(8) + line[at:],
            " " * max(0, len(line) - len(bare) + random.choice((-2, -1, 1, 2))) + bare,
            f"{line}\n{line}",
        ]
    )


@pytest.mark.parametrize(
    "text", ["a: {b: [1, c]}\n", "a: |\n  # b\n", "a: &x 1\nb: *x\n", "a: 1\na: 2\n", "a: b: c\n"]
)
def test_the_last_of_many_documents_is_read_as_the_first(text: str) -> None:
    def outcome(text: str) -> list[object]:
        try:
            return [document.value for document in read(text, "x.yaml")][-1:]
        except InputError as error:
            return [problem.message for problem in error.problems]

    assert outcome("a: 1\n---\n" * 500 + text) == outcome(text)
