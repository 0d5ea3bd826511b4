"""Documents, and input that is refused."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.manifests import InputError, read, write


def values(text: str | bytes) -> list[object]:
    return [document.value for document in read(text, "x.yaml")]


def problems(text: str | bytes) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(text, "x.yaml")
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    "text",
    ["", "\n", "# nothing\n", "---\n", "---\n---\n# c\n---\nnull\n---\n~\n", "\ufeff"],
)
def test_empty_documents_are_dropped(text: str) -> None:
    assert values(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\n---\n# none\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
        ("--- # first\na: 1\n---  \nb: 2", [{"a": 1}, {"b": 2}]),
        ("\ufeffa: 1\n", [{"a": 1}]),
        ("\ufeff---\na: 1\n", [{"a": 1}]),
        ("a: 1\r\nb: |\r\n  x\r\n---\r\nc: 2\r\n", [{"a": 1, "b": "x\n"}, {"c": 2}]),
        ("a: |\n  ---\n  x\n", [{"a": "---\nx\n"}]),
        ("a: 1\n...\n", [{"a": 1}]),
        ("- 1\n- two\n", [[1, "two"]]),
        ("word", ["word"]),
        ("a: &x {b: 1}\nc: *x\nd: *x\n", [{"a": {"b": 1}, "c": {"b": 1}, "d": {"b": 1}}]),
        ("a: &x 1\nb: &x 2\nc: *x\n", [{"a": 1, "b": 2, "c": 2}]),
        ("a: &x k\n*x : 1\n", [{"a": "k", "k": 1}]),
        (
            "a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\n",
            [{"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}}],
        ),
        # Here kubectl leaves the standard: what comes last wins, merged or not.
        ("{c: 3, <<: {c: 2}}", [{"c": 2}]),
        ("<<: [{a: 1}, {a: 2, b: 2}]\n", [{"a": 1, "b": 2}]),
        ("a: x?y\n", [{"a": "x?y"}]),
    ],
)
def test_documents(text: str, expected: list[object]) -> None:
    assert values(text) == expected
    assert values(text.encode()) == expected


def test_aliases_are_copies() -> None:
    (value,) = values("a: &x [1]\nb: *x\n")
    assert isinstance(value, dict)
    value["a"].append(2)
    assert value["b"] == [1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '{"a": 1.0, "b": 1e3, "c": 12345678901234567890}',
            [{"a": 1, "b": 1000, "c": 1.2345678901234567e19}],
        ),
        ('{"a": "\\ud83d\\ude00\\/", "b": "\\u00e9"}', [{"a": "😀/", "b": "é"}]),
        ('{"a": 1}{"b": 2}\n {"c": 3}', [{"a": 1}, {"b": 2}, {"c": 3}]),
        ('{"a": 1}\n---\n{"b": [true, null]}', [{"a": 1}, {"b": [True, None]}]),
        ('{"a":\t1}', [{"a": 1}]),
        ("{a: 1}", [{"a": 1}]),
        ('{"%s": 1}' % ("k" * 2000), [{"k" * 2000: 1}]),
    ],
)
def test_json(text: str, expected: list[object]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "where", "what", "hint"),
    [
        ("a: 1\nb: 2\na: 3\n", "3:1", "duplicate key 'a'", "`a` is already at x.yaml:1:1"),
        ("apiVersion: v1\napiVersion: v1\n", "2:1", "duplicate key 'apiVersion'", "a line `---`"),
        ("x: {y: 1, true: 2}\n", "1:11", "duplicate key 'true'", "x.yaml:1:5"),
        ('{"a": {"b": 1,\n "b": 2}}', "2:2", "duplicate key 'b'", "x.yaml:1:8"),
        ("a: !Ref b\n", "1:4", "the tag !Ref", "remove the tag"),
        ("a: !custom {b: 1}\n", "1:4", "the tag !custom", "remove the tag"),
        ("a: *b\n", "1:4", "no anchor &b", ""),
        ("a: &b [*b]\n", "1:8", "&b contains itself", ""),
        ("a: {<<: 1}\n", "1:9", "merges a map", ""),
        ("a:\n\tb: 1\n", "2:1", "cannot start any token", "a tab cannot indent"),
        ("a: @b\n", "1:4", "cannot start any token", "quote a value that begins with @"),
        ("a: {b}/c:1\n", "1:7", "did not find expected key", "quote a value that continues after"),
        (
            "a: [b] c\nd: e\n",
            "1:8",
            "did not find expected key",
            "quote a value that continues after",
        ),
        ("a: [b]\n  c: d\n", "2:3", "did not find expected key", "line the key up"),
        ("a: b: c\n", "1:5", "mapping values are not allowed", "quote a value"),
        ('a: "b\nc: d\n', "1:4", "unexpected end of stream", "close the quote"),
        ("a: {{ .Values.b }}\n", "1:5", "cannot be a key", "template"),
        ("{{- if .Values.b }}\na: 1\n", "1:3", "did not find", "template"),
        ("a: [b?c]\n", "1:5", "unquoted '?'", "quotes"),
        ('a: "b\\/c"\n', "1:4", "escape \\/", "write /"),
        ("a: 1\n...\nb: 2\n", "3:1", "document start", "'---' line"),
        ("a: 1\n...\n{b: 2}\n", "3:1", "document start", "'---' line"),
        ("%YAML 1.1\n---\na: 1\n", "2:1", "document start", "directives"),
        ("--- {a: 1}\n", "1:1", "only a comment may follow", "line below"),
        (
            "a: |\n-----BEGIN CERTIFICATE-----\n",
            "2:1",
            "only a comment may follow",
            "indent the cert",
        ),
        ("a: \x01\n", "1:4", "U+0001", "escape"),
        ("é: \x01\n", "1:4", "U+0001", "escape"),
        ('{"a": "\\ud83d"}', "1:10", "invalid Unicode", ""),
        (b"a: \xe9\n", "1:4", "0xe9 is not UTF-8", "save the file as UTF-8"),
        (b"\xc3\xa9: \xe9\n", "1:4", "0xe9 is not UTF-8", "save the file as UTF-8"),
        (b"\xff\xfea\x00", "1:1", "UTF-16", "save it as UTF-8"),
        (b"\x00\x01\x02", "1:1", "binary", ""),
        (b"\x7fELF\x02\x01\x00\xff", "1:1", "binary", ""),
        ("a\0b", "1:1", "binary", ""),
        ("a: \ud800\n", "1:4", "surrogate", ""),
    ],
)
def test_refused(text: str | bytes, where: str, what: str, hint: str) -> None:
    (problem,) = problems(text)
    message, _, advice = problem.partition("\n")
    assert message.startswith(f"x.yaml:{where}: ")
    assert what in message
    assert hint in advice


def test_all_problems_at_once_in_order() -> None:
    text = "a: .inf\na: !Ref b\n---\nx: [1\n---\nfine: 1\n--- no\ny: *z\n"
    places = [problem.split(": ")[0] for problem in problems(text)]
    assert places == [
        "x.yaml:1:4",
        "x.yaml:2:1",
        "x.yaml:2:4",
        "x.yaml:5:1",
        "x.yaml:7:1",
        "x.yaml:8:4",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{a: " * 100_000,
        '{"a":' * 100_000,
        "- " * 100_000,
        "? " * 10_000,
        "[" * 101 + "]" * 101,
    ],
)
def test_deep_nesting_is_refused(text: str) -> None:
    (problem,) = problems(text)
    assert "deeper than 100 levels" in problem


def test_nesting_up_to_the_limit_is_read() -> None:
    value: object = 1
    for _ in range(50):
        value = {"a": [value]}
    assert values(json.dumps(value)) == [value]
    assert values(write([value])) == [value]


def _laughs(leaf: str, line: str) -> str:
    lines = [f"l0: &l0 {leaf}"]
    lines += [line.format(n=n, m=n - 1) for n in range(1, 20)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        _laughs("[x, x]", "l{n}: &l{n} [*l{m}, *l{m}, *l{m}]"),
        _laughs("{k: 1}", "l{n}: &l{n} {{a: *l{m}, b: *l{m}, c: *l{m}}}"),
        _laughs("{k: 1}", "l{n}: &l{n} {{<<: [*l{m}, *l{m}, *l{m}]}}"),
        "a: &l0 [x]\n" + "".join(f"k{n}: &l{n} [*l{n - 1}]\n" for n in range(1, 500)),
        "a: &l0 {x: 1}\n" + "".join(f"k{n}: &l{n} {{<<: *l{n - 1}}}\n" for n in range(1, 500)),
    ],
)
def test_bombs_are_refused(text: str) -> None:
    (problem,) = problems(text)
    assert "aliases make this more than" in problem


def test_much_input_is_refused() -> None:
    (problem,) = problems(b"#" * (64 * 1024 * 1024 + 1))
    assert "64 MiB" in problem


@given(st.binary(max_size=40))
def test_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        read(data, "x.yaml")
    except InputError as error:
        assert error.problems
        assert all(problem.place for problem in error.problems)


PIECES = st.sampled_from(
    [
        *"ab -:?,[]{}#&*!|>'\"%@`\n\t",
        "\n  ",
        "- ",
        ": ",
        "&a ",
        "*a",
        "<<: ",
        "---\n",
        "...\n",
        "!!int ",
        "k: v\n",
        "k: {a: 1}\n",
        "|\n  t\n",
        "~",
        "1",
        "\r\n",
        "é",
        "\\/",
        "\x85",
        "{{",
    ]
)


@given(st.lists(PIECES, max_size=15).map("".join))
def test_text_is_read_or_refused_and_has_places(text: str) -> None:
    try:
        documents = read(text, "x.yaml")
    except InputError as error:
        assert all(problem.place for problem in error.problems)
        return
    for document in documents:
        assert document.place(("a", 0, "b")) <= document.span(())[1]


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_an_anchor_changes_nothing(text: str) -> None:
    """The fast way and the node graph agree."""
    try:
        documents = read(f"- {text}", "x.yaml")
    except InputError:
        return
    if len(documents) == 1 and isinstance(documents[0].value, list) and "---" not in text:
        (slow,) = read(f"- &unseen 1\n- {text}", "x.yaml")
        assert repr(slow.value) == repr([1, *documents[0].value])


def test_a_fault_behind_the_last_line_has_a_place() -> None:
    """libyaml counts a break that is no line's end to it here."""
    with pytest.raises(InputError) as error:
        read("k: v\n\x85a", "x.yaml")
    (problem,) = error.value.problems
    assert problem.place is not None
