"""Characters and syntaxes one by one: what is escaped, how, and that good words stay as they are."""

import csv
import io
import json
import sys
from unicodedata import category
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.escaping import formats, markdown
from gpuspec.escaping.characters import escapes, hidden, visible
from gpuspec.escaping.lines import guarded
from gpuspec.report.columns import cells, columns
from tests.escaping.foreign import ODD
from tests.escaping.watch import SHOWN, obeyed, raw

TEXT = st.lists(ODD | st.text(max_size=5), max_size=5).map("".join)
GOOD = "chat-7b: `nvidia.com/gpu` is 1,5 (50 %) #3 → 雪 ✔️ é C# a::b"


def test_all_that_does_not_show_is_in_the_table() -> None:
    """By the categories of Unicode; signs before Arabic and Indic numbers are of them, and show."""
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs") and char not in f" {SHOWN}":
            assert hidden().fullmatch(char), hex(code)
        if category(char)[0] in "LNPS" and code < 0xE0000:
            assert not hidden().fullmatch(char) or char == "\u1680", hex(code)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (GOOD, GOOD),
        ("a\x1b[2J\r\n\t\x7f\x85", r"a\x1b[2J\r\n\t\x7f\x85"),
        ("\u202eabc\u2028\ud800\U000e0001", r"\u202eabc\u2028\ud800\U000e0001"),
        ("##[group] ##vso[x] ###[y]", r"\x23#[group] \x23#vso[x] #\x23#[y]"),
        ("## heading", "## heading"),
    ],
)
def test_a_word_is_shown_on_one_line(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(TEXT)
def test_what_is_shown_once_is_shown_so_again(text: str) -> None:
    made = visible(text)
    assert not raw(made, kept="")
    assert visible(made) == made
    assert made == "".join(escapes(text).get(at, char) for at, char in enumerate(text))
    assert columns(made) == columns(text.replace("\t", "abcd"[:2]))


@given(TEXT)
def test_each_character_of_a_line_has_its_columns(text: str) -> None:
    made = cells(text)
    assert len(made) == len(text)
    line = "".join(shown for shown, _ in made)
    assert not raw(line, kept="")
    assert line == visible(text.replace("\t", "    "))


@given(TEXT, st.booleans())
def test_no_line_of_a_report_is_obeyed(text: str, color: bool) -> None:
    made = guarded(text, color=color)
    assert not obeyed(made)
    assert made.count("\n") == text.count("\n")
    assert color or not raw(made)
    assert guarded(made, color=color) == made


def test_a_report_keeps_its_colours_only_where_it_has_some() -> None:
    painted = "\x1b[1;31merror\x1b[0m: x\x1b[2J\n"
    assert guarded(painted, color=True) == "\x1b[1;31merror\x1b[0m: x\\x1b[2J\n"
    assert guarded(painted) == "\\x1b[1;31merror\\x1b[0m: x\\x1b[2J\n"


@given(st.recursive(TEXT, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner)))
def test_json_reads_back(value: object) -> None:
    made = formats.json_text(value)
    assert not raw(made)
    assert not obeyed(made)
    # Two halves of a pair become the character.
    assert json.loads(made) == json.loads(json.dumps(value))


@given(st.lists(TEXT, min_size=2, max_size=4))
def test_a_line_of_csv_is_one_row_without_formulas(row: list[str]) -> None:
    made = formats.csv_line([*row, 1, None])
    for delimiter in ",;":
        assert len([*csv.reader(io.StringIO(made, newline=""), delimiter=delimiter)]) == 1
    (read,) = csv.reader(io.StringIO(made, newline=""))
    assert read[-2:] == ["1", ""]
    for cell, text in zip(read, row, strict=False):
        assert cell.removeprefix("'") == visible(text).removeprefix("'")
        assert cell.lstrip()[:1] not in ("=", "+", "-", "@", "＝")


def test_csv_keeps_words_and_numbers() -> None:
    assert formats.csv_line(["a b", 'c"d', "e;f", "=1+1", -1]) == 'a b,"c""d","e;f",\'=1+1,-1\n'


@given(TEXT)
def test_xml_keeps_what_it_can_say(text: str) -> None:
    made = formats.xml(text)
    assert not raw(made, kept="")
    read = ElementTree.fromstring(f'<a b="{made}">{made}</a>')
    can = "".join(
        char if char in "\t\n\r" or not "\ud800" <= char < "\ue000" else visible(char)
        for char in text
    )
    can = "".join(
        visible(char) if (char < " " and char not in "\t\n\r") or char in "\ufffe\uffff" else char
        for char in can
    )
    assert read.text == read.get("b") == (can or None) or not text


@given(TEXT)
def test_a_page_shows_what_does_not_show(text: str) -> None:
    made = ElementTree.fromstring(f"<a>{formats.html(text)}</a>").text or ""
    assert made == visible(text)


@given(TEXT)
def test_markdown_is_one_line(text: str) -> None:
    for write in (markdown.prose, markdown.paragraph, markdown.code, markdown.folded):
        made = write(text).replace("@\u200b", "@")
        assert not raw(made, kept="")
    assert not obeyed(markdown.paragraph(text))
    assert not markdown.paragraph(text).startswith("/")
    assert not obeyed("\n".join(markdown.fenced([text, f"  {text}"], "diff")))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a/b c.yaml", "a/b c.yaml"),
        ("a/雪.yaml", "a/雪.yaml"),
        ('a/"\n\x1b.yaml', r'"a/\"\012\033.yaml"'),
        ("a/\udcff.yaml", r'"a/\377.yaml"'),
    ],
)
def test_a_name_in_a_patch_is_one_that_git_reads(name: str, written: str) -> None:
    assert formats.patch_name(name) == written
