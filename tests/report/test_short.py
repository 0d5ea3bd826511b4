"""Values in short YAML: what is shown reads back as what it is."""

from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.report.short import block, short
from tests.escaping.watch import raw

WORDS = st.sampled_from(
    ["", "vllm", "/dev/shm", "122Gi", "15", "1.5", "0x1f", "1e3", "yes", "null", "~", "a: b", "- a",
     "a #b", "a,b", "[a]", "{a}", "&a", "*a", "!a", "%a", "@a", "`a`", "'a'", '"', "a:", " a", "=", "?",
     "nvidia.com/gpu", "$(HOME)", "--flag=1", "-", "---", "a\tb", "ünï", "2026-04-12", "1:30", "<<", ".5",
     "0o7", ".inf", ".nan", "|", ">", "+1", "1_000", "a|b"]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 99999) | WORDS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


def read(text: str) -> Any:
    return yaml.safe_load(text)


@given(VALUES)
def test_a_value_on_one_line_reads_back(value: Any) -> None:
    line = short(value)
    assert not raw(line, kept="")
    assert read(line) == value


def without_lines(value: Any) -> bool:
    match value:
        case str():
            return not raw(value, kept="")
        case dict():
            return all(without_lines(part) for item in value.items() for part in item)
        case list():
            return all(map(without_lines, value))
    return True


@given(VALUES.filter(without_lines), st.integers(10, 60))
def test_a_value_on_several_lines_reads_back(value: Any, width: int) -> None:
    assert read("\n".join(block(value, width))) == value


def test_a_script_keeps_its_lines() -> None:
    value = ["bash", "-c", "set -e\ntrain --epochs 3\n"]
    assert block(value, 60) == ["- bash", "- -c", "- |", "    set -e", "    train --epochs 3"]


def test_scalars_fill_lines() -> None:
    assert block(["aaaa", "bbbb", "cccc", "dddd"], 14) == ["[aaaa, bbbb,", " cccc, dddd]"]
