"""What takes long says how far it is, to a person alone."""

import pytest

from gpuspec.cli import progress


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is drawn on a terminal, one line in the place of the last."""
    lines: list[str] = []
    monkeypatch.setattr(progress, "is_terminal", lambda stream: True)
    monkeypatch.setattr(progress, "redraw", lines.append)
    return lines


def test_it_grows_and_goes(drawn: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    tell = progress.progress("linting")
    assert tell is not None
    tell(10, 40)
    tell(40, 40)
    tell(40, 40)
    assert drawn == [f"linting [{'#' * 10}{'.' * 30}] 10/40", ""]


def test_what_is_soon_done_shows_nothing(drawn: list[str]) -> None:
    tell = progress.progress("linting")
    assert tell is not None
    tell(0, 40)
    tell(40, 40)
    assert drawn == []


def test_nobody_watches_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "is_terminal", lambda stream: False)
    assert progress.progress("linting") is None
