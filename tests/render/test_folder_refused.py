"""Writing a folder: records that are not ours, and files that are refused."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec import InputError
from gpuspec.render.folder import FolderOutput, write_folders
from tests.render.folders import A, B, content, refused


def test_a_record_that_is_no_file_is_refused(tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    record = out / ".gpuspec-record"
    out.mkdir()
    elsewhere.write_text('{"format": 1, "runs": []}')
    for target in (elsewhere, Path("/dev/zero"), tmp_path / "none", record):
        record.symlink_to(target)
        assert ".gpuspec-record is not a regular file" in refused(out, A)
        record.unlink()
    os.mkfifo(record)
    assert ".gpuspec-record is not a regular file" in refused(out, A)
    record.unlink()
    record.mkdir()
    assert ".gpuspec-record is not a regular file" in refused(out, A)
    assert elsewhere.read_text() == '{"format": 1, "runs": []}'


def test_a_record_without_end_is_refused(tmp_path: Path) -> None:
    with (tmp_path / ".gpuspec-record").open("wb") as record:
        record.truncate(1 << 40)
    assert "is not a record of this version of gpuspec" in refused(tmp_path, A)


def begun(number: str = "0" * 12, others: str = "[]", changes: str = "{}") -> str:
    """The text of a record in which something was begun."""
    doing = f'{{"number": "{number}", "others": {others}, "changes": {changes}, "runs": []}}'
    return f'{{"format": 1, "runs": [], "begun": {doing}}}'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "not json",
        '{"format": 2, "runs": []}',
        '{"format": 1}',
        '{"format": 1, "runs": {}}',
        '{"format": 1, "runs": [1]}',
        '{"format": 1, "runs": [{"inputs": ["x"], "files": []}]}',
        '{"format": 1, "runs": [{"inputs": ["x"], "files": {"../b": "0"}}]}',
        '{"format": 1, "runs": [{"inputs": ["x"], "files": {"/b": "0"}}]}',
        '{"format": 1, "runs": [{"inputs": ["x"], "files": {"..": "0"}}]}',
        '{"format": 1, "runs": [{"inputs": ["x"], "files": {"a\\u0000b": "0"}}]}',
        '{"format": 1, "runs": [{"inputs": ["x"], "files": {"\\ud800": "0"}}]}',
        '{"format": 1, "runs": [{"inputs": ["x"], "files": {".gpuspec-record": "0"}}]}',
        '{"format": 1, "runs": [], "begun": 1}',
        begun(number="../elsewhere"),
        begun(others='["\\u0000"]'),
        begun(changes='{"../b": [null, null]}'),
        begun(changes='{"b": 1}'),
        "[" * 100_000,
        "\0",
        "\xff",
    ],
)
def test_a_record_that_we_did_not_write_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / ".gpuspec-record").write_bytes(text.encode("latin-1"))
    assert "is not a record of this version of gpuspec" in refused(tmp_path, A)


def output(folder: Path, files: dict[str, str], refused: tuple[str, ...] = ()) -> FolderOutput:
    """Files that are called after the workloads that they are made for."""
    return FolderOutput(folder, files, ["x"], {name: name[0] for name in files}, refused, "eu")


def test_what_is_refused_stays_and_nobody_takes_its_file(tmp_path: Path) -> None:
    write_folders([output(tmp_path, A | B)])
    (done,) = write_folders([output(tmp_path, B, ("a",))])
    assert (done.stayed, done.removed, done.unchanged) == ({"a.yaml": "a"}, (), ("b.yaml",))
    taking = FolderOutput(tmp_path, {"a.yaml": "b: 2\n"}, ["x"], {"a.yaml": "b"}, ("a",))
    with pytest.raises(InputError) as caught:
        write_folders([taking])
    assert "was written for a workload that is refused now" in str(caught.value)
    assert content(tmp_path) == A | B
    (done,) = write_folders([output(tmp_path, B)])
    assert (done.stayed, done.removed) == ({}, ("a.yaml",))


@given(
    runs=st.lists(
        st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["1", "2", None]), min_size=1),
        max_size=4,
    )
)
def test_whatever_is_refused_nothing_of_it_changes(runs: list[dict[str, str | None]]) -> None:
    """Each run makes some workloads' files, and refuses others (None): these stay as they were."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        wanted: dict[str, str] = {}
        for run in runs:
            made = {f"{one}.yaml": f"{text}\n" for one, text in run.items() if text is not None}
            refused = tuple(one for one, text in run.items() if text is None)
            wanted = made | {file: text for file, text in wanted.items() if file[0] in refused}
            write_folders([output(folder, made, refused)])
            assert content(folder) == wanted
            record = (folder / ".gpuspec-record").read_bytes() if wanted else None
            (again,) = write_folders([output(folder, made, refused)])
            assert (again.written, again.removed) == ((), ())
            assert content(folder) == wanted
            assert record is None or (folder / ".gpuspec-record").read_bytes() == record
