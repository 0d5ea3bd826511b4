"""The shipped tables have a twin as JSON, which is read in the place of the YAML it was made from."""

from pathlib import Path
from typing import Any

import pytest

from gpuspec.hardware import tables
from gpuspec.manifests.tables import table, twin
from gpuspec.runtimes import load

FILES = [file for data in (tables.DATA, load.DATA) for file in sorted(Path(data).glob("*.yaml"))]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_table_has_its_twin(file: Path) -> None:
    assert file.with_suffix(".json").read_bytes() == twin(file.read_bytes(), file.stem), (
        "run `make docs`"
    )


def test_there_are_tables() -> None:
    assert {"nvidia", "vllm"} <= {file.stem for file in FILES}


TEXT = b"a: {b: [1, 0.5, x, null, true]}\n012: y\n"
VALUE: Any = {"a": {"b": [1, 0.5, "x", None, True]}, "10": True}


def test_the_twin_says_the_same(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_bytes(TEXT)
    assert table(str(tmp_path), "t") == VALUE
    (tmp_path / "t.json").write_bytes(twin(TEXT, "t"))
    assert table(str(tmp_path), "t") == VALUE


def test_the_twin_is_what_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_bytes(TEXT)
    (tmp_path / "t.json").write_bytes(twin(TEXT, "t").replace(b'"x"', b'"z"'))
    assert table(str(tmp_path), "t")["a"]["b"][2] == "z"


def test_a_changed_table_wins_over_its_twin(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_bytes(twin(TEXT, "t"))
    (tmp_path / "t.yaml").write_bytes(TEXT.replace(b"0.5", b"0.7"))
    assert table(str(tmp_path), "t")["a"]["b"][1] == 0.7
