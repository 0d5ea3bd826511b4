"""Every limit of what is read: beyond it there is a message and an exit code, and memory stays bounded."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from gpuspec.manifests import limits
from tests.cli.conftest import environment
from tests.cli.limits import ROWS, Row, shown

MIB = 1024 * 1024
# Lowers a limit before anybody reads it, then is the program.
PROGRAM = """\
import sys
from gpuspec.manifests import limits
limits.{limit} = {value}
sys.argv = ["gpuspec", *sys.argv[1:]]
from gpuspec.__main__ import run
run()
"""


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.limit)
def test_beyond_a_limit(tmp_path: Path, row: Row) -> None:
    most = row.lowered or getattr(limits, row.limit)
    for name, data in row.files(most).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            if isinstance(data, int):
                file.truncate(data)
            else:
                file.write(data)
    if row.revision:
        git(tmp_path, "init", "-q")
        git(tmp_path, "add", "-A")
        git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one")
    with (tmp_path / row.stdin if row.stdin else Path(os.devnull)).open("rb") as given:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(limit=row.limit, value=most), *row.words.split()],
            cwd=tmp_path,
            env=environment(GIT_CEILING_DIRECTORIES=str(tmp_path.parent)),
            stdin=given,
            capture_output=True,
            check=False,
            timeout=300,
        )
    err = done.stderr.decode()
    assert row.said.format(shown(row.limit, most)) in done.stdout.decode() + err
    assert done.returncode == row.code, err


def test_every_limit_has_a_row() -> None:
    names = [name for name in vars(limits) if name.startswith("MAX_")]
    assert names == [row.limit for row in ROWS]


def bounded(memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


KRM = "from gpuspec.__main__ import run_krm; import sys; sys.argv = ['gpuspec-krm']; run_krm()"
GPUSPEC = "from gpuspec.__main__ import run; import sys; sys.argv[0] = 'gpuspec'; run()"


@pytest.mark.parametrize("endless", ["cat /dev/zero", "yes", "yes 'kind: ConfigMap'", "yes -- ---"])
@pytest.mark.parametrize(
    "words",
    [
        None,
        "helm postrender",
        "helm postrender --fix safe",
        "lint -",
        "lint - --fix",
        "render -",
        "explain -",
        "table -",
        "cluster discover -",
        "cluster check -",
        "cluster render -",
        "fit chat.yaml --live -",
        "fleet report --live -",
        "fleet drift -c generic --live -",
        "diff - /dev/null",
        "argocd generate -",
    ],
)
def test_standard_input_without_an_end(tmp_path: Path, words: str | None, endless: str) -> None:
    """The pipe is closed on whoever writes it, in no more memory than what may be read takes."""
    (tmp_path / "chat.yaml").write_bytes(b"")
    script = [sys.executable, "-c", *([KRM] if words is None else [GPUSPEC, *words.split()])]
    with subprocess.Popen(["sh", "-c", endless], stdout=subprocess.PIPE) as writer:
        done = subprocess.run(
            script,
            cwd=tmp_path,
            env=environment(),
            stdin=writer.stdout,
            capture_output=True,
            check=False,
            timeout=120,
            preexec_fn=lambda: bounded(640 * MIB),
        )
        assert writer.stdout is not None
        writer.stdout.close()
        writer.kill()
    said = (done.stdout + done.stderr).decode()
    assert "larger than 64 MiB, the most that gpuspec reads" in said
    assert (done.returncode, "<stdin>:1:1" in said) == (2, True)


def test_a_dump_in_yaml_is_told_of_json(tmp_path: Path) -> None:
    dump = tmp_path / "nodes.yaml"
    with dump.open("wb") as file:
        file.write(b"apiVersion: v1\nkind: List\n")
        file.truncate(limits.MAX_BYTES + 1)
    for words in (["cluster", "discover", str(dump)], ["fit", str(dump), "--live", str(dump)]):
        done = subprocess.run(
            [sys.executable, "-m", "gpuspec", *words],
            env=environment(),
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 2
        assert done.stderr.decode() == (
            f"{dump}:1:1: error: larger than 64 MiB, the most that gpuspec reads\n"
            "  as JSON up to 2 GiB are read: kubectl get nodes,pods -A -o json\n"
        )


def test_a_dump_in_json_that_is_cut_off_is_said_where(tmp_path: Path) -> None:
    dump = tmp_path / "nodes.json"
    dump.write_bytes(b'{"kind": "List", "items": [\n' + b" " * limits.MAX_BYTES)
    done = subprocess.run(
        [sys.executable, "-m", "gpuspec", "cluster", "discover", dump],
        env=environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert f"{dump}:2:" in done.stderr.decode()
    assert "not one JSON object" in done.stderr.decode()


def test_memory_that_is_not_there_is_no_fault_of_ours(tmp_path: Path) -> None:
    dump = tmp_path / "nodes.json"
    dump.write_bytes(b'{"kind": "List", "items": [' + b"{}," * (20 * MIB) + b"{}]}")
    done = subprocess.run(
        [sys.executable, "-m", "gpuspec", "cluster", "discover", dump],
        env=environment(),
        capture_output=True,
        check=False,
        timeout=120,
        preexec_fn=lambda: bounded(400 * MIB),
    )
    assert done.returncode == 2
    assert "not enough memory for this input" in done.stderr.decode()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_folder_passes_over_what_is_no_file(tmp_path: Path) -> None:
    """Nobody writes to the pipe: it would be waited for without end."""
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    done = subprocess.run(
        [sys.executable, "-m", "gpuspec", "lint", "--allow-empty", tmp_path],
        env=environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("[" * 20_000 + "]" * 20_000, "nested too deep"),
        ("1" * 5000, "a number has too many digits"),
    ],
)
def test_a_configuration_in_toml_that_python_cannot_read(
    tmp_path: Path, value: str, said: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.gpuspec]\nx = {value}\n")
    (tmp_path / "a.yaml").write_text("a: b\n")
    done = subprocess.run(
        [sys.executable, "-m", "gpuspec", "lint", "a.yaml"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr.decode()) == (
        2,
        f"pyproject.toml:1:1: error: {said}\n",
    )
