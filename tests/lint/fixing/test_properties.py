"""Whatever the document and whatever the change: what comes out is what was asked for, and the rest
of the text is as it was."""

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gpuspec.lint.fixing import fixed, text_fix, text_fixes
from gpuspec.lint.fixing.document_parts import DocumentPart
from gpuspec.lint.fixing.styled_text import StyledText
from gpuspec.lint.model import Change, Drop, Fix, Put, Rename
from gpuspec.manifests import read
from tests.lint.fixing.yamls import at, changes, shared, texts

COMMENT = re.compile(r"# c\d+\.")


def applied(value: Any, change: Change) -> Any:
    """The change made in the plain value, written anew for the test."""
    value = copy.deepcopy(value)
    *steps, last = change.path
    holder = value
    for step, following in zip(steps, [*steps, last][1:], strict=True):
        if (holder.get(step) if isinstance(holder, dict) else holder[step]) is None:
            holder[step] = {} if isinstance(following, str) else []
        holder = holder[step]
    if isinstance(change, Drop):
        del holder[last]
    elif isinstance(change, Put):
        if isinstance(holder, list):
            assert isinstance(last, int)
            holder[last:] = [change.value, *holder[last + 1 :]]
        else:
            holder[last] = change.value
    else:
        holder[change.key] = holder.pop(last)
    return value


def text_of(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), texts())
def test_a_fix_does_what_it_says_and_nothing_else(data: Any, text: str) -> None:
    document = read(text, "x.yaml")[0]
    value = copy.deepcopy(document.value)
    change = data.draw(changes(value))
    if isinstance(change, Rename):
        assume(change.key not in at(value, change.path[:-1]))
    wanted = applied(value, change)
    assume(wanted and text_of(wanted) != text_of(value))
    fix = text_fix(document, Fix("mend it", (change,)))
    assert fix is not None, change
    new = fixed(text, [fix])
    after = read(new, "x.yaml")
    assert [text_of(one.value) for one in after] == [text_of(wanted)]
    if text.lstrip().startswith("{") and '"' in text and _is_json(text):
        assert _is_json(new)
    assert new.endswith("\n") >= text.endswith("\n")
    assert ("\r\n" in new) <= ("\r\n" in text)
    if "\r\n" in text:
        assert not re.search("(?<!\r)\n", new)
    # A second time there is nothing to do.
    again = Put(change.path, change.value) if isinstance(change, Put) else change
    if not isinstance(change.path[-1], int) or isinstance(change, Put):
        assert text_fix(after[0], Fix("mend it", (again,))) is None
    if isinstance(change, Rename) or (
        isinstance(change, Put) and not _is_there(value, change.path)
    ):
        assert COMMENT.findall(new) == COMMENT.findall(text)


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), texts())
def test_several_changes_are_told_of_the_document_as_it_was(data: Any, text: str) -> None:
    document = read(text, "x.yaml")[0]
    value = copy.deepcopy(document.value)
    one = data.draw(changes(value))
    other = data.draw(changes(value))
    least = min(len(one.path), len(other.path))
    assume(one.path[:least] != other.path[:least])
    both = text_fix(document, Fix("mend it", (one, other)))
    turned = text_fix(document, Fix("mend it", (other, one)))
    if both is None or turned is None:
        return
    after = [read(fixed(text, [fix]), "x.yaml")[0].value for fix in (both, turned)]
    assert text_of(after[0]) == text_of(after[1])


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), shared())
def test_what_stands_for_several_places_is_never_changed(data: Any, text: str) -> None:
    document = read(text, "x.yaml")[0]
    value = copy.deepcopy(document.value)
    change = data.draw(changes(value))
    if isinstance(change, Rename):
        assume(change.key not in at(value, change.path[:-1]))
    wanted = applied(value, change)
    fix = text_fix(document, Fix("mend it", (change,)))
    if fix is not None:
        after = read(fixed(text, [fix]), "x.yaml")[0].value
        assert text_of(after) == text_of(wanted)
    elif change.path[0] == "own":
        # What is nobody else's can always be mended.
        assert text_of(wanted) == text_of(value)


def whole(doc: StyledText, _: object) -> list[DocumentPart]:
    """The whole document for whatever part."""
    return [DocumentPart(doc, 0, len(doc.text))]


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), texts() | shared(), st.integers(1, 2))
def test_what_a_part_proves_the_whole_proves(data: Any, text: str, count: int) -> None:
    document = read(text, "x.yaml")[0]
    some = tuple(data.draw(changes(copy.deepcopy(document.value))) for _ in range(count))
    least = min(len(one.path) for one in some)
    assume(count == 1 or some[0].path[:least] != some[1].path[:least])
    by_part = text_fix(document, Fix("mend it", some))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_fixes, "parts", whole)
        by_whole = text_fix(document, Fix("mend it", some))
    assert by_part == by_whole


def _is_there(value: Any, path: tuple[str | int, ...]) -> bool:
    try:
        at(value, path)
    except (LookupError, TypeError):
        return False
    return True


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
