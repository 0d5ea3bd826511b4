"""The shipped tables, read beforehand as JSON, which is taken in the place of the YAML it was made from."""

from pathlib import Path
from typing import Any

import pytest

from gpuspec import products
from gpuspec.charts import tables as charts
from gpuspec.charts.values import tables as chart_values
from gpuspec.hardware import tables
from gpuspec.keys import tables as keys
from gpuspec.manifests.digests import sha256
from gpuspec.manifests.tables import made_name, parsed, table
from gpuspec.models import tables as models
from gpuspec.runtimes import load
from gpuspec.runtimes.exporters import load as exporters
from gpuspec.runtimes.gateways import load as gateways
from gpuspec.runtimes.options import load as options
from gpuspec.runtimes.permissions import load as permissions
from gpuspec.runtimes.pickers import load as pickers
from gpuspec.runtimes.published import load as published
from gpuspec.runtimes.trainers import load as trainers
from gpuspec.startup import prebuilt

FOLDERS = (
    *(tables.DATA, load.DATA, options.DATA, permissions.DATA, gateways.DATA, keys.DATA),
    *(exporters.DATA, published.DATA, pickers.DATA, trainers.DATA, models.DATA, charts.DATA),
    *(products.DATA, chart_values.DATA),
)
FILES = [file for data in FOLDERS for file in sorted(Path(data).glob("*.yaml"))]


def as_made(text: bytes, name: str) -> bytes:
    return prebuilt.content(sha256(text), parsed(text, name))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_table_is_read_beforehand(file: Path) -> None:
    kept = Path(prebuilt.file_of(made_name(str(file.parent), file.stem)))
    assert kept.read_bytes() == as_made(file.read_bytes(), file.stem), "run `make docs`"


def test_there_are_tables_and_nothing_else() -> None:
    written = {Path(prebuilt.file_of(made_name(str(file.parent), file.stem))) for file in FILES}
    assert {"nvidia", "vllm"} <= {file.stem for file in FILES}
    assert set(Path(prebuilt.DATA, "tables").rglob("*.json")) == written


TEXT = b"a: {b: [1, 0.5, x, null, true]}\n012: y\n"
VALUE: Any = {"a": {"b": [1, 0.5, "x", None, True]}, "10": True}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder with a table."""
    monkeypatch.setattr(prebuilt, "DATA", str(tmp_path / "startup"))
    (tmp_path / "room" / "data").mkdir(parents=True)
    (tmp_path / "room" / "data" / "t.yaml").write_bytes(TEXT)
    return str(tmp_path / "room" / "data")


def keep(folder: str, content: bytes) -> None:
    file = Path(prebuilt.file_of(made_name(folder, "t")))
    file.parent.mkdir(parents=True)
    file.write_bytes(content)


def test_what_is_made_says_the_same(folder: str) -> None:
    assert table(folder, "t") == VALUE
    keep(folder, as_made(TEXT, "t"))
    assert table(folder, "t") == VALUE


def test_what_is_made_is_what_is_read(folder: str) -> None:
    keep(folder, as_made(TEXT, "t").replace(b'"x"', b'"z"'))
    assert table(folder, "t")["a"]["b"][2] == "z"


@pytest.mark.parametrize(
    "content", [as_made(TEXT.replace(b"0.5", b"0.7"), "t"), b"", b"{}", b'{"of": 1}']
)
def test_what_was_made_of_another_text_is_passed_over(folder: str, content: bytes) -> None:
    keep(folder, content)
    assert table(folder, "t") == VALUE
