"""Conditions of the table: a rule has nothing to say of what it is not shown."""

from pathlib import Path

import msgspec
import pytest

from gpuspec.lint import shown
from gpuspec.lint.raised import RaisedFinding
from gpuspec.lint.rows import ROWS, Row
from tests.lint.pages import HERE, page, raised

PAGED = [row for row in ROWS if row.scope not in ("spec", "text")]


def shown_all(row: Row) -> Row:
    """A rule that is shown what its conditions spare it. Without accelerators it cannot do."""
    when = {"none": "always", "finite": "gpu", "queued": "always"}.get(row.when, row.when)
    kinds = None if row.scope == "pod" else row.kinds
    return msgspec.structs.replace(row, when=when, kinds=kinds, profile=False)


def said(found: list[RaisedFinding]) -> list[tuple[str, object, str]]:
    return sorted((one.rule.code, one.found.path, one.found.message) for one in found)


def agrees(monkeypatch: pytest.MonkeyPatch, text: str, profile: str | None) -> None:
    usual = said(raised(text, profile))
    with monkeypatch.context() as patch:
        patch.setattr(shown, "ROWS", tuple(map(shown_all, ROWS)))
        assert said(raised(text, profile)) == usual


@pytest.mark.parametrize("row", PAGED, ids=lambda row: row.code)
def test_of_the_manifests_of_a_page(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    for section in ("Wrong", "Right"):
        for block in page(row.module).blocks(section):
            agrees(monkeypatch, block.text, block.profile)
            agrees(monkeypatch, block.text, None)


@pytest.mark.parametrize("base", sorted((HERE / "bases").glob("*.yaml")), ids=lambda p: p.stem)
def test_of_every_kind(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agrees(monkeypatch, base.read_text(), None)
    agrees(monkeypatch, base.read_text(), "fleet")


def test_conditions_belong_to_their_scope() -> None:
    """What the engine asks of a pod it cannot ask of an object, and the other way round."""
    allowed = {"pod": {"always", "gpu", "none", "finite"}, "object": {"always", "queued"}}
    for row in ROWS:
        assert row.when in allowed.get(row.scope, {"always"}), row.code
