"""Nothing that a value holds changes the structure of an object.

The check: rendering with every string of the plan replaced by a placeholder, and substituting
afterwards, gives the same objects as rendering with the strings themselves.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import gpuspec
from gpuspec.manifests import read, write
from gpuspec.plan import Decision, Plan
from gpuspec.render.layout import lay_out
from gpuspec.render.templates import shipped_templates

Renderings = Mapping[tuple[str, str], gpuspec.Rendering]

Swap = Callable[[str], str]
CASES = [
    ("chat", "bare-metal"),
    ("pretrain", "bare-metal"),
    ("nightly-scoring", "gke"),
    ("image-ranker", "bare-metal"),
    ("spot-train", "generic"),
]

NASTY = [
    "{{ plan.meta.name }}", "{% include 'job.yaml.j2' %}", "{# #}", "a: b", "- a", "# a", "a #b",
    "---", "...", "--- a\nkind: Secret", "a\nb: c\n", "\n", " ", "", "&a", "*a", "!!str a", "%YAML",
    "'", '"', "\\", "`", "@a", "? a", "| a", "> a", "[a", "{a", "a]", "}", ",", "<<", "=", "~",
    "null", "true", "No", "1e3", "0o7", "1:30", "2026-01-01", "\ue000", "\ue001", "\ue0000\ue001",
    "\ue0003\ue001x", "\t", "\r\n", "\x85", "\u2028", "\ufeff", "é", "\U0001f600", "a" * 5000,
    "$(HOME)", "\x7f", "'\n  injected: true\n  x: '",
]  # fmt: skip


def swapped(node: Any, swap: Swap) -> Any:
    """A part of a plan with every string of its leaves swapped, keys of values too."""
    if isinstance(node, Decision):
        return replace(node, value=_value(node.value, swap))
    if isinstance(node, Mapping):
        return {key: swapped(inner, swap) for key, inner in node.items()}
    if isinstance(node, tuple | list):
        return tuple(swapped(inner, swap) for inner in node)
    if isinstance(node, msgspec.Struct):
        parts = {name: getattr(node, name) for name in node.__struct_fields__}
        return replace(node, **{name: swapped(part, swap) for name, part in parts.items()})
    return node


def plan_swapped(plan: Plan, swap: Swap) -> Plan:
    """The plan; its target stays, since it is what chooses the templates."""
    kept = ("case", "target", "overrides", "notes")
    parts = {name: getattr(plan, name) for name in plan.__struct_fields__ if name not in kept}
    return replace(plan, **{name: swapped(part, swap) for name, part in parts.items()})


def _value(value: Any, swap: Swap) -> Any:
    if isinstance(value, str):
        return swap(value)
    if isinstance(value, Mapping):
        return {swap(key): _value(inner, swap) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_value(inner, swap) for inner in value]
    return value


def objects(plan: Plan) -> list[Any]:
    return [made.value for made in lay_out(plan, shipped_templates())]


class Placeholders:
    """Distinct words for strings, and the way back."""

    def __init__(self, meant: Swap) -> None:
        self._meant = meant
        self._words: dict[str, str] = {}
        self._back: dict[str, str] = {}

    def word(self, text: str) -> str:
        if text not in self._words:
            word = f"placeholder{len(self._words)}"
            self._words[text] = word
            self._back[word] = self._meant(text)
        return self._words[text]

    def back(self, word: str) -> str:
        return self._back.get(word, word)


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_placeholders_give_the_same_objects(renderings: Renderings, case: tuple[str, str]) -> None:
    plan = renderings[case].plan
    words = Placeholders(lambda text: text)
    made = objects(plan_swapped(plan, words.word))
    assert "placeholder0" in str(made)
    assert _value(made, words.back) == objects(plan)


@pytest.mark.parametrize("case", CASES, ids="-".join)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_nasty_strings_give_the_same_objects(
    renderings: Renderings, case: tuple[str, str], data: st.DataObject
) -> None:
    plan = renderings[case].plan
    nasty = st.one_of(st.sampled_from(NASTY), st.text(st.characters(exclude_categories=["Cs"])))
    pool = data.draw(st.lists(nasty, min_size=1, max_size=8))

    def swap(text: str) -> str:
        # Distinct strings stay distinct, or keys of a mapping would fall together.
        return pool[sum(text.encode()) % len(pool)] + "\n" + text

    words = Placeholders(swap)
    made = objects(plan_swapped(plan, swap))
    assert made == _value(objects(plan_swapped(plan, words.word)), words.back)
    assert [d.value for d in read(write(made), "written")] == made


@pytest.mark.parametrize("text", NASTY)
def test_a_nasty_string_alone_goes_through_unchanged(renderings: Renderings, text: str) -> None:
    plan = renderings["chat", "bare-metal"].plan
    account, *rest = plan.objects
    name = account.parts["account"]
    assert isinstance(name, Decision)
    account = replace(account, parts={"account": replace(name, value=text)})
    made = objects(replace(plan, objects=(account, *rest)))
    assert made[0]["metadata"]["name"] == text
    assert [d.value for d in read(write(made), "written")] == made


def test_an_empty_string_is_a_value(renderings: Renderings) -> None:
    plan = renderings["chat", "bare-metal"].plan
    made = objects(plan_swapped(plan, lambda text: "" if text == "chat" else text))
    assert made[0]["metadata"]["name"] == ""
