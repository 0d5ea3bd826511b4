"""Files that commands write: replaced as a whole or left as they were, under any name."""

import fcntl
import os
import shutil
import stat
import threading
from pathlib import Path

import pytest

from tests.cli.conftest import Program

WRONG = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: serving}
spec:
  replicas: 1
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
""" + "".join(
    f"""\
        - name: server-{number}
          image: ghcr.io/example/chat:1.0
          resources:
            requests: {{nvidia.com/gpu: 1}}
"""
    for number in range(20)
)
COMMANDS = {
    "report": "lint wrong.yaml --exit-zero --format sarif -o {}",
    "baseline": "lint wrong.yaml --write-baseline --baseline {}",
    "diff": "diff --fail-on breaking /dev/null wrong.yaml --format json -o {}",
    "fit": "fit train.yaml -c clusters/eu.yaml --format html -o {}",
    "fleet": "fleet report -c clusters/eu.yaml --format html -o {}",
}
every_command = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)


@pytest.fixture
def folder(folder: Path) -> Path:
    (folder / "wrong.yaml").write_text(WRONG)
    (folder / "out").mkdir()
    return folder


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@every_command
def test_a_file_is_replaced_and_keeps_mode_and_links(
    shell: Program, folder: Path, command: str
) -> None:
    old = folder / "out/old"
    old.write_text("old\n")
    old.chmod(0o640)
    (folder / "out/link").symlink_to("old")
    with old.open() as reader:
        done = shell(f"gpuspec {command.format('out/link')}")
        assert (done.code, reader.read()) == (0, "old\n"), "it was written over"
    assert len(old.read_text()) > 1024
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert (folder / "out/link").is_symlink()
    assert entries(folder / "out") == ["link", "old"]


@every_command
def test_a_new_file_is_made_as_the_shell_would(shell: Program, folder: Path, command: str) -> None:
    assert shell(f"umask 027; gpuspec {command.format('out/new')}").code == 0
    assert stat.S_IMODE((folder / "out/new").stat().st_mode) == 0o640


@every_command
def test_a_full_disk_leaves_the_old_file(shell: Program, folder: Path, command: str) -> None:
    """A limit on the size of files, 1 KiB, stands for the disk."""
    (folder / "out/old").write_text("old\n")
    done = shell(f"ulimit -f 1; gpuspec {command.format('out/old')} 2>&1 | cat")
    assert "error: out/old: File too large\n" in done.out
    assert (folder / "out/old").read_text() == "old\n"
    assert entries(folder / "out") == ["old"]


@every_command
def test_a_pipe_a_device_and_a_stream_are_written_to_as_they_are(
    shell: Program, folder: Path, command: str
) -> None:
    assert shell(f"gpuspec {command.format('out/plain')}").code == 0
    plain = (folder / "out/plain").read_text()
    os.mkfifo(folder / "out/pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((folder / "out/pipe").read_text()))
    reader.start()
    assert shell(f"gpuspec {command.format('out/pipe')}").code == 0
    reader.join(timeout=30)
    assert read == [plain]
    assert stat.S_ISFIFO((folder / "out/pipe").stat().st_mode)
    assert shell(f"gpuspec {command.format('/dev/null')}").code == 0
    full = shell(f"gpuspec {command.format('/dev/full')}")
    assert (full.code, full.err) == (2, "error: /dev/full: No space left on device\n")
    line = f"(echo before; gpuspec {command.format('/dev/stdout')}; echo after) > out/log"
    assert shell(line).code == 0
    log = (folder / "out/log").read_text()
    # A baseline's names lie to its folder, and /dev is another.
    assert log.startswith(f"before\n{plain[:20]}")
    assert log.endswith(f"{plain[-4:]}after\n")


@every_command
def test_a_name_that_no_file_can_have_is_an_error(
    shell: Program, folder: Path, command: str
) -> None:
    (folder / "out/loop").symlink_to("loop")
    # A report makes the folder that it is written to, as `render` does.
    reports = command.startswith(("fit ", "fleet "))
    names = ["out", "wrong.yaml/new", "out/loop", "out/" + "a" * 300, "''"]
    for name in names if reports else [*names, "out/none/new"]:
        done = shell(f"gpuspec {command.format(name)}")
        assert done.code == 2, name
        assert done.err.startswith("error: "), name
    assert entries(folder / "out") == ["loop"]


@every_command
def test_permissions_count_and_are_told(shell: Program, folder: Path, command: str) -> None:
    # Root may do everything by privilege, which is taken from it here.
    weak = "setpriv --bounding-set=-all" if os.geteuid() == 0 else ""
    if weak and not shutil.which("setpriv"):
        pytest.skip("setpriv is not installed")
    (folder / "out/old").write_text("old\n")
    (folder / "out/old").chmod(0o444)
    done = shell(f"{weak} gpuspec {command.format('out/old')}")
    assert (done.code, done.err) == (2, "error: out/old: Permission denied\n")
    (folder / "out/old").chmod(0o644)
    (folder / "out").chmod(0o555)
    done = shell(f"{weak} gpuspec {command.format('out/old')}")
    (folder / "out").chmod(0o755)
    said = "files in its folder cannot be replaced, and gpuspec does not overwrite them in place: Permission denied"
    assert (done.code, done.err) == (2, f"error: out/old: {said}\n")
    assert (folder / "out/old").read_text() == "old\n"
    assert entries(folder / "out") == ["old"]


def test_the_baseline_knows_a_name_that_is_no_utf8(shell: Program, folder: Path) -> None:
    (folder / "wrong.yaml").rename(os.fsdecode(os.fsencode(folder) + b"/out/\xff.yaml"))
    assert shell("gpuspec lint out").code == 1
    (folder / "known.json").write_text("old\n")
    written = shell("gpuspec lint out --write-baseline --baseline known.json")
    assert (written.code, written.out) == (0, "")
    assert "findings written to the baseline" in written.err
    done = shell("gpuspec lint out --baseline known.json")
    assert (done.code, done.out) == (0, "")
    assert "more" not in done.err
    again = (folder / "known.json").read_bytes()
    assert shell("gpuspec lint out --write-baseline --baseline known.json").code == 0
    assert (folder / "known.json").read_bytes() == again


def test_fixes_on_a_full_disk_leave_the_file(shell: Program, folder: Path) -> None:
    done = shell("ulimit -f 1; gpuspec lint wrong.yaml --fix 2>&1 | cat")
    assert "error: wrong.yaml: File too large\n" in done.out
    assert (folder / "wrong.yaml").read_text() == WRONG
    assert not [name for name in entries(folder) if name.startswith(".")]


def test_fixes_are_not_written_back_to_a_pipe(shell: Program) -> None:
    done = shell("gpuspec lint <(cat wrong.yaml) --fix")
    assert done.code == 2
    assert "not a regular file" in done.err


def test_a_report_of_helm_takes_a_name_that_is_no_utf8(shell: Program, folder: Path) -> None:
    done = shell("gpuspec helm postrender -c $'\\xff.yaml' --report report < wrong.yaml")
    assert (done.code, done.err) == (2, "")
    assert "\\udcff.yaml: no such file" in (folder / "report").read_text()


@every_command
def test_what_a_killed_run_left_is_cleared_unless_it_is_at_work(
    shell: Program, folder: Path, command: str
) -> None:
    for name in (".gpuspec-0123456789ab.new", ".gpuspec-ba9876543210.new", ".gpuspec-mine.new"):
        (folder / "out" / name).write_text("half")
    (folder / "out/.gpuspec-0000000000ff.new").mkdir()
    with (folder / "out/.gpuspec-ba9876543210.new").open() as work:
        fcntl.flock(work, fcntl.LOCK_EX)
        assert shell(f"gpuspec {command.format('out/old')}").code == 0
    assert entries(folder / "out") == [
        ".gpuspec-0000000000ff.new",
        ".gpuspec-ba9876543210.new",
        ".gpuspec-mine.new",
        "old",
    ]
