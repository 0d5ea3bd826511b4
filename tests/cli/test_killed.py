"""Runs that are killed while they write folders: all of it is there after the next run, or nothing."""

import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Program, environment

Tree = dict[str, str]

RENDER = ("render", "--no-lint", "train.yaml", "-c", "clusters", "-o", "out/{profile}/")
OTHER = ("render", "--no-lint", "other.yaml", "-c", "clusters/eu.yaml", "-o", "out/eu/")
# What it would write is another run's, or will be.
CLASH = ("render", "--no-lint", "clash.yaml", "-c", "clusters/eu.yaml", "-o", "out/eu/")

STAGE = re.compile(r"\.gpuspec-[0-9a-f]{12}")

# Runs the program in copies of itself: a number, a signal and arguments on each line it reads, an exit
# code on each line it prints. The copy gets the signal before the call of that number which changes what
# lies on the disk.
SERVER = """\
import io, json, os, signal, sys
import gpuspec
from gpuspec.startup.process import main
def counted(call):
    def counting(*given, **named):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), sent)
        return call(*given, **named)
    return counting
sys.argv = ["gpuspec", *json.loads(sys.stdin.readline())]
talk, sys.stderr = sys.stderr, io.StringIO()
main()
sys.stderr = talk
for line in sys.stdin:
    left, sent, *arguments = json.loads(line)
    if (copy := os.fork()) == 0:
        for name in ("fchown", "replace", "rename", "unlink", "mkdir", "rmdir", "fsync"):
            setattr(os, name, counted(getattr(os, name)))
        sys.argv = ["gpuspec", *arguments]
        sys.stdout = sys.stderr = io.TextIOWrapper(io.BytesIO())
        os._exit(main())
    print(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]), flush=True)
"""


def tree(folder: Path) -> Tree:
    """All that is below a folder: files with their texts, folders with none."""
    return {
        path.relative_to(folder).as_posix(): path.read_text() if path.is_file() else ""
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def program(folder: Path) -> Iterator[Callable[..., int]]:
    """Runs the program, which is killed before its n-th change, or never for 0."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER],
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        lines, answers = server.stdin, server.stdout

        def run(number: int, *arguments: str, sent: int = signal.SIGKILL) -> int:
            print(json.dumps([number, sent, *arguments]), file=lines, flush=True)
            return int(answers.readline())

        # Once without consequences: all is imported then, and copied with the process.
        print(json.dumps([*RENDER, "--check"]), file=lines, flush=True)
        yield run


@pytest.fixture
def states(folder: Path, program: Callable[..., int]) -> dict[str, Tree]:
    """The folders before and after a run that replaces, removes and adds."""
    spec = (folder / "train.yaml").read_text()
    (folder / "other.yaml").write_text(spec.replace("name: train", "name: other"))
    (folder / "clash.yaml").write_text(spec)
    names = ("train", "gone", "edited")
    (folder / "train.yaml").write_text(
        "---\n".join(spec.replace("name: train", f"name: {name}") for name in names)
    )
    assert program(0, *RENDER) == 0
    for name in ("eu", "us"):
        (folder / f"out/{name}/mine.yaml").write_text("mine\n")
        (folder / f"out/{name}/.gpuspec-mine").mkdir()
        (folder / f"out/{name}/ml.job.edited-first.yaml").write_text("by hand\n")
    shutil.copytree(folder / "out", folder / "before")
    new = spec.replace("name: train", "name: new")
    (folder / "train.yaml").write_text(f"{spec.replace('cpu: 4', 'cpu: 5')}---\n{new}")
    assert program(0, *RENDER) == 0
    shutil.copytree(folder / "out", folder / "after")
    return {"before": tree(folder / "before"), "after": tree(folder / "after")}


def again(folder: Path) -> None:
    """Put the folders back to what they were before."""
    shutil.rmtree(folder / "out")
    shutil.copytree(folder / "before", folder / "out")


def shown(state: Tree) -> Tree:
    """What a host would read: no record, and nothing hidden."""
    return {name: text for name, text in state.items() if "/." not in name}


def settled(folder: Path, states: dict[str, Tree]) -> str:
    """Which of the states the folders are in, but for what another run wrote into one of them."""
    now = shown(tree(folder / "out"))
    now.pop("eu/ml.job.other-first.yaml", None)
    found = [name for name, state in states.items() if shown(state) == now]
    assert found, f"neither old nor new: {[*now]}"
    assert "begun" not in (folder / "out/eu/.gpuspec-record").read_text()
    assert not [one for one in (folder / "out/eu").iterdir() if STAGE.fullmatch(one.name)]
    return found[0]


def kills(folder: Path, program: Callable[..., int], *arguments: str) -> Iterator[int]:
    """Kill a run before its first change, before its second, and so on until it is through."""
    for number in itertools.count(1):
        again(folder)
        code = program(number, *arguments)
        assert code in (0, -signal.SIGKILL)
        if code == 0:
            return
        yield number


def test_the_states_differ_in_all_that_a_run_can_do(states: dict[str, Tree]) -> None:
    before, after = states.values()
    assert {*before} - {*after} == {f"{name}/ml.job.gone-first.yaml" for name in ("eu", "us")}
    assert {*after} - {*before} == {f"{name}/ml.job.new-first.yaml" for name in ("eu", "us")}
    changed = {name for name in {*before} & {*after} if before[name] != after[name]}
    assert "eu/ml.job.train-first.yaml" in changed
    assert after["us/ml.job.edited-first.yaml"] == "by hand\n"


@pytest.mark.parametrize("following", [OTHER, CLASH], ids=["another run", "a run refused"])
def test_the_next_run_finishes_or_undoes_what_was_begun(
    folder: Path,
    states: dict[str, Tree],
    program: Callable[..., int],
    following: tuple[str, ...],
) -> None:
    seen = set()
    for _ in kills(folder, program, *RENDER):
        assert program(0, *following) == (0 if following is OTHER else 2)
        seen.add(settled(folder, states))
    assert seen == {"before", "after"}


def test_a_check_tells_of_what_was_begun_and_changes_nothing(
    folder: Path, states: dict[str, Tree], program: Callable[..., int]
) -> None:
    for _ in kills(folder, program, *RENDER):
        left = tree(folder / "out")
        records = (left["eu/.gpuspec-record"], left["us/.gpuspec-record"])
        same = shown(left) == shown(states["after"]) and not any("begun" in one for one in records)
        assert program(0, *RENDER, "--check") == (0 if same else 1)
        assert tree(folder / "out") == left
        assert program(0, *RENDER) == 0
        assert tree(folder / "out") == states["after"]


def test_what_was_begun_is_told(
    folder: Path, states: dict[str, Tree], program: Callable[..., int], gpuspec: Program
) -> None:
    for _ in kills(folder, program, *RENDER):
        if "begun" in (folder / "out/us/.gpuspec-record").read_text():
            break
    done = gpuspec(*RENDER, "--check")
    said = "out/us/: a run was interrupted; the next run finishes or undoes it\n"
    assert (done.code, said in done.err) == (1, True)
    done = gpuspec(*RENDER)
    said = "note: out/us/: an earlier run was interrupted; its changes were finished\n"
    assert (done.code, said in done.err) == (0, True)


def test_what_was_begun_is_left_alone_by_whoever_may_not_see_it(
    folder: Path, states: dict[str, Tree], program: Callable[..., int], shell: Program
) -> None:
    weak = "setpriv --bounding-set=-all" if os.geteuid() == 0 else ""
    if weak and not shutil.which("setpriv"):
        pytest.skip("setpriv is not installed")
    for _ in kills(folder, program, *RENDER):
        if "begun" in (folder / "out/us/.gpuspec-record").read_text():
            break
    (stage,) = (one for one in (folder / "out/eu").iterdir() if STAGE.fullmatch(one.name))
    stage.chmod(0)
    done = shell(f"{weak} gpuspec {' '.join(OTHER)}")
    stage.chmod(0o755)
    assert (done.code, done.err) == (2, "error: out/eu cannot be written: Permission denied\n")
    assert shell(f"{weak} gpuspec {' '.join(RENDER)}").code == 0
    assert tree(folder / "out") == states["after"]


def test_a_run_that_is_killed_while_it_finishes_another_is_finished_too(
    folder: Path, states: dict[str, Tree], program: Callable[..., int]
) -> None:
    for first in [*kills(folder, program, *RENDER)][-12::5]:
        for second in itertools.count(1):
            again(folder)
            assert program(first, *RENDER) == -signal.SIGKILL
            code = program(second, *OTHER)
            assert program(0, *OTHER) == 0
            settled(folder, states)
            if code == 0:
                break


def test_a_run_that_is_interrupted_leaves_nothing_to_be_settled(
    folder: Path, states: dict[str, Tree], program: Callable[..., int]
) -> None:
    seen = []
    for number in itertools.count(1):
        again(folder)
        code = program(number, *RENDER, sent=signal.SIGINT)
        seen += [name for name, state in states.items() if state == tree(folder / "out")]
        assert (len(seen), code in (0, 130)) == (number, True)
        if code == 0:
            break
    assert {*seen} == {"before", "after"}
