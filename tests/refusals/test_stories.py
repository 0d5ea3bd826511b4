"""Objects that a server refuses, one fault each, and their twins at the limit, which it takes."""

from pathlib import Path as File
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec.manifests import Path, format_path, parse_path, write
from gpuspec.validation import validate
from tests.refusals.conftest import Judge
from tests.refusals.contest.bases import full
from tests.refusals.contest.trees import drop, put
from tests.refusals.judge import NEWEST, Object

STORIES: list[dict[str, Any]] = [
    story
    for file in sorted(File(__file__).parent.glob("stories*.yaml"))
    for story in yaml.safe_load(file.read_text(encoding="utf-8"))
]
BASES = {
    name: base.value
    for base in full()
    for name in (
        base.name.partition(" ")[2],
        f"{base.kind[0]} {base.name.partition(' ')[2]}",
    )
}
REFUSES = "the API server rejects the object"
told = pytest.mark.parametrize("story", STORIES, ids=lambda one: f"{one['of']} {one['at']}")


def changed(of: str, change: dict[str, Any]) -> Object:
    """A clean object with some things changed, or deleted."""
    value: Object = BASES[of]
    for where, new in change.items():
        value = (
            put(value, parse_path(where), new)
            if new is not None
            else drop(value, parse_path(where))
        )
    return value


def is_near(one: Path, other: Path) -> bool:
    """Whether one of two places lies in the other."""
    steps = min(len(one), len(other))
    return one[:steps] == other[:steps]


def errors(value: Object) -> list[tuple[str, str]]:
    """The linter's errors: where, and what it says."""
    found = gpuspec.lint_text(write([value]), "object.yaml", severity="error")
    return [(one.path, one.message) for one in found.findings]


@told
def test_what_is_refused_is_told_with_its_place_and_its_reason(story: dict[str, Any]) -> None:
    found = errors(changed(story["of"], story["bad"]))
    where = format_path(parse_path(story["at"]))
    assert [message for path, message in found if path == where and story["says"] in message], found


@told
def test_validation_alone_refuses_it(story: dict[str, Any]) -> None:
    """Another rule may say the same better: then nothing else shows that validation knows it too."""
    bad, good = (
        [
            one.message
            for one in validate(changed(story["of"], story[field]), NEWEST)
            if is_near(one.path, parse_path(story["at"]))
        ]
        for field in ("bad", "good")
    )
    said = story.get("itself", story["says"])
    assert [message for message in bad if said in message], bad
    assert [message for message in good if said in message] == []


@told
def test_its_twin_is_taken(story: dict[str, Any]) -> None:
    found = errors(changed(story["of"], story["good"]))
    assert [one for one in found if REFUSES in one[1]] == []


def test_what_is_empty_is_said_once() -> None:
    (found,) = errors(changed("RoleBinding/readers", {"roleRef.kind": ""}))
    assert "must be `ClusterRole` or `Role`" in found[1]


@pytest.mark.binaries
def test_a_server_says_so_too(judge: Judge) -> None:
    for field, taken in (("bad", False), ("good", True)):
        verdicts = judge([changed(story["of"], story[field]) for story in STORIES], NEWEST)
        for story, verdict in zip(STORIES, verdicts, strict=True):
            assert verdict.accepted is taken, (story, verdict)
