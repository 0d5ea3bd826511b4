"""What takes long says how far it is, to a person alone."""

import io
from contextlib import suppress
from pathlib import Path

import pytest

from gpuspec.cli import progress
from gpuspec.cli.app import main
from tests.cli.conftest import POD, SPEC


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
    tell(10, 40)
    tell(40, 40)
    tell(40, 40)
    assert drawn == [f"linting [{'#' * 10}{'.' * 30}] 10/40", ""]


def test_what_is_soon_done_shows_nothing(drawn: list[str]) -> None:
    tell = progress.progress("linting")
    tell(0, 40)
    tell(40, 40)
    assert drawn == []


def test_nobody_watches_a_pipe(drawn: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(progress, "is_terminal", lambda stream: False)
    progress.progress("linting")(10, 40)
    assert drawn == []


@pytest.mark.parametrize(
    ("line", "doing"),
    [
        ("render . -c clusters -o out/{profile}", "rendering"),
        ("explain .", "rendering"),
        ("diff pods.yaml -", "comparing"),
        ("table pods.yaml", "adding up"),
        ("fit pods.yaml -c clusters/eu.yaml", "placing on eu"),
    ],
)
def test_each_command_tells_how_far_it_is(
    folder: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch, line: str, doing: str
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["gpuspec", *line.split()])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    (folder / "pods.yaml").write_text(f"{POD}---\n{POD.replace('name: p,', 'name: q,')}")
    (folder / "second.yaml").write_text(SPEC.replace("name: train", "name: second"))
    main()
    assert drawn[0].startswith(f"{doing} [")
    assert drawn[-1] == ""


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("table dump.yaml", "adding up [" + "#" * 20 + "." * 20 + "] 1/2"),
        ("lint dump.yaml", "linting [" + "#" * 20 + "." * 20 + "] 1/2"),
        ("fit dump.yaml -c clusters/eu.yaml", "placing on eu [" + "#" * 20 + "." * 20 + "] 1/2"),
    ],
)
def test_the_items_of_a_dump_are_counted(
    folder: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch, line: str, first: str
) -> None:
    """`kubectl get pods -o yaml` is one text: its bar would be empty until it is done."""
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["gpuspec", *line.split()])
    items = [POD, POD.replace("name: p,", "name: q,")]
    listed = "".join(f"  - {'    '.join(one.splitlines(keepends=True))}" for one in items)
    (folder / "dump.yaml").write_text(f"apiVersion: v1\nkind: List\nitems:\n{listed}")
    with suppress(SystemExit):
        main()
    assert drawn[0] == first
    assert drawn[-1] == ""
