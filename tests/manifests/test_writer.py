"""What is written is read back the same, by every reader."""

import json
from typing import Literal

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from gpuspec.manifests import read, write
from tests.manifests.conftest import Judge

# Each has been read as something else by some reader.
NASTY = [
    *(
        [
            "y",
            "n",
            "Y",
            "N",
            "yes",
            "no",
            "on",
            "off",
            "true",
            "false",
            "null",
            "~",
            "Yes",
            "NO",
            "On",
            "OFF",
            "True",
            "tRue",
            "NULL",
            "None",
            "nil",
        ]
    ),
    *(
        [
            "0",
            "1",
            "-1",
            "+1",
            "012",
            "0o7",
            "0x1f",
            "0b11",
            "1_000",
            "1__0",
            "1e3",
            "1E5",
            "12e03",
            "2e+07",
            "1.0",
            "1.",
            ".5",
            "-.5",
            "+.5",
            ".4_7",
            "1,000",
        ]
    ),
    *(
        [
            ".inf",
            "-.inf",
            "+.INF",
            ".nan",
            ".NaN",
            "inf",
            "nan",
            "-inf",
            "Infinity",
            "1e400",
            "0xFFFFFFFFFFFFFFFF",
            "08",
            "09.5",
        ]
    ),
    *(
        [
            "12:30",
            "190:20:30",
            "1:2",
            "12:30:45.5",
            "2024-01-01",
            "2024-01-01T00:00:00Z",
            "1.2.3",
            "10.0.0.1",
            "0.0.0.0:8080",
        ]
    ),
    *(
        [
            "=",
            "<<",
            "-",
            "--",
            "---",
            "---x",
            "...",
            "...x",
            "?",
            "?x",
            ":",
            ":x",
            ",",
            ",x",
            "[",
            "]",
            "{}",
            "{",
            "&",
            "&a",
            "*",
            "*a",
            "!",
            "!a",
            "|",
            ">",
            "%",
            "%a",
            "@",
            "@a",
            "`",
            "'",
            '"',
            "#",
        ]
    ),
    *(
        [
            "a:b",
            "a:",
            ":a",
            "a#b",
            "-a",
            "--a=b",
            "-1",
            "-e3",
            "./a",
            "../a",
            ".a",
            ".e3",
            "/a",
            "~/a",
            "$a",
            "^a",
            "a?",
            "a,b",
            "a[0]",
            "[a]",
            "{a}",
            "a{b}",
            "<a",
            "(a)",
            "a=b",
        ]
    ),
    *(
        [
            "1h30m",
            "500m",
            "6Gi",
            "25%",
            "5d",
            "0a1b2c",
            "e3b0c44",
            "1e10",
            "12e4567",
            "nvidia.com/gpu",
            "app.kubernetes.io/name",
        ]
    ),
    *(
        [
            "false-ish",
            "nullable",
            "onward",
            "'quoted'",
            '"quoted"',
            "back\\slash",
            "é",
            "😀",
            "日本",
        ]
    ),
    *(
        "",
        " ",
        "  ",
        " a",
        "a ",
        "a b",
        "- a",
        "? a",
        ": a",
        "a: b",
        "a :b",
        "a #b",
        "# a",
        "a\tb",
        "\ta",
    ),
    *(
        "\n",
        "a\n",
        "a\nb",
        "a\nb\n",
        "a\n\n",
        "\na",
        " a\nb",
        "a\n b\n\nc",
        "a \nb",
        "a\n \nb",
        "a\n\tb",
        "a\nb ",
    ),
    *(
        "a\r\nb",
        "\r",
        "\x00",
        "\x07",
        "\x1b[0m",
        "\x7f",
        "\x85",
        "\xa0",
        "\xad",
        "\u2028",
        "\u2029",
        "\u200d",
    ),
    *(
        "\u202e",
        "\ufeff",
        "\ufeffa",
        "\ufffe",
        "\uffff",
        "\ue000",
        "\U0001f468\u200d\U0001f4bb",
        "\U000e0001",
    ),
    *(
        '{"a": "b"}',
        "it's",
        'it\'s "both"',
        "'",
        "---\na\n---\n",
        "#!/bin/sh\nset -e\n\techo $1\n",
        "a: b\nc: d",
    ),
    "x" * 3000,
    "word " * 100,
    "line\n" * 100,
]

characters = st.characters(exclude_categories=["Cs"])
strings = st.one_of(
    st.sampled_from(NASTY),
    st.text(characters, max_size=12),
    st.text("0123456789+-._:eExXoObBtTzZaf ", max_size=8),
    st.text("a \n\t-:#'\"\\|>", max_size=12),
)
# Between 2^53 and 2^63, kubectl makes an integer of a float's shortest digits, which is near it.
floats = st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda number: not 2**53 < abs(number) < 2**63
)
numbers = st.integers(-(2**63), 2**63 - 1) | floats
values = st.recursive(
    st.none() | st.booleans() | numbers | strings,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4),
    max_leaves=12,
)


def come_back(written: object) -> list[object]:
    text = write([written])
    assert not any(line.startswith("---") for line in text.splitlines())
    return [document.value for document in read(text, "x.yaml")]


@given(values.filter(lambda value: value is not None))
def test_reading_is_the_inverse(value: object) -> None:
    assert come_back(value) == [value]


@given(st.lists(values.filter(lambda value: value is not None), max_size=4))
def test_documents_come_back(objects: list[object]) -> None:
    assert [document.value for document in read(write(objects), "x.yaml")] == objects


@given(values)
def test_every_reader_reads_the_same(value: object) -> None:
    text = write([value])
    assert yaml.safe_load(text) == value
    assert yaml.load(text, yaml.CSafeLoader) == value
    assert YAML(typ="safe", pure=True).load(text) == value


@given(st.dictionaries(strings, strings))
def test_strings_and_keys_stay_strings_in_yaml_1_1_and_1_2(value: dict[str, str]) -> None:
    text = write([value])
    for reader in (yaml.SafeLoader, yaml.FullLoader):
        assert yaml.load(text, reader) == value
    assert YAML(typ="safe", pure=True).load(text) == value


@pytest.mark.parametrize("reader", ["ryaml", "fast_yaml"])
def test_readers_in_rust_read_the_same(reader: str) -> None:
    module = pytest.importorskip(reader, reason=f"{reader} is not installed: it is no dependency")
    load = getattr(module, "loads", None) or module.safe_load
    value = {text: [text] for text in NASTY}
    assert load(write([value])) == value


def test_kubectl_reads_the_same(kubectl: Judge) -> None:
    value = [*NASTY, *({text: text} for text in NASTY)]
    assert kubectl(write([value])) == value


def test_kubectl_reads_made_up_values_the_same(kubectl: Judge) -> None:
    """One run of kubectl for all examples."""
    made: list[object] = []
    whole = st.dictionaries(strings, strings | st.lists(strings, max_size=3), max_size=5)

    @settings(max_examples=200, database=None)
    @given(whole)
    def collect(value: object) -> None:
        made.append(value)

    collect()
    assert len(made) > 50
    assert kubectl(write([made])) == made


def test_no_aliases() -> None:
    shared = {"a": [1]}
    assert write([[shared, shared]]) == "- a:\n  - 1\n- a:\n  - 1\n"


def test_lay_out() -> None:
    value = {
        "kind": "Pod",
        "spec": {
            "containers": [
                {"name": "a", "args": ["--port=8000", "-c", "80"], "env": []},
                {"script": "set -e\n\necho done\n", "tail": "a\nb"},
            ],
            "labels": {"y": "yes", "nvidia.com/gpu": "1", "empty": {}},
            "nested": [[1, [2.0, 0.5]], [None, True]],
            "json": '{"a": 1}',
        },
        "last": 1e30,
    }
    assert (
        write([value, {"b": 1e-7}])
        == """\
kind: Pod
spec:
  containers:
  - name: a
    args:
    - --port=8000
    - -c
    - "80"
    env: []
  - script: |
      set -e

      echo done
    tail: |-
      a
      b
  labels:
    "y": "yes"
    nvidia.com/gpu: "1"
    empty: {}
  nested:
  - - 1
    - - 2
      - 0.5
  - - null
    - true
  json: '{"a": 1}'
last: 1.0e+30
---
b: 1.0e-07
"""
    )


def test_lines_are_not_folded() -> None:
    line = "word " * 1000 + "end"
    assert write([{"a": line}]) == f"a: {line}\n"


def test_json() -> None:
    one, two = {"b": "é", "a": [1]}, {"kind": "Pod"}
    assert write([one], "json") == '{\n  "b": "é",\n  "a": [\n    1\n  ]\n}\n'
    assert json.loads(write([one, two], "json")) == {
        "apiVersion": "v1",
        "kind": "List",
        "items": [one, two],
    }
    assert json.loads(write([], "json")) == {"apiVersion": "v1", "kind": "List", "items": []}
    assert write([]) == ""


@pytest.mark.parametrize("format", ["yaml", "json"])
@pytest.mark.parametrize("value", [float("inf"), float("nan"), "\ud800"])
def test_what_cannot_be_written(value: object, format: Literal["yaml", "json"]) -> None:
    with pytest.raises(ValueError):
        write([{"a": value}], format)


@pytest.mark.parametrize("value", [{1: 2}, {"a": {1, 2}}, {"a": object()}])
def test_what_is_not_plain(value: object) -> None:
    with pytest.raises(TypeError):
        write([value])
