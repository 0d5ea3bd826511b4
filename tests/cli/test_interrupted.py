"""Ctrl-C: each command says how far it came and what there is of it; the linter tells what it found."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpuspec.lint.copies import can_copy, processors
from tests.cli.conftest import Done, environment

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: pod-{number}, namespace: research}}
spec:
  containers:
  - name: main
    image: example.com/train:1.0
    resources: {{requests: {{nvidia.com/gpu: 1}}}}
"""
# The program, which is sent SIGINT within a method of the engine of rules, by its second call there.
STRUCK = """\
import os, signal, sys
from gpuspec.__main__ import run
from gpuspec.lint.engine import Engine
done, main, calls = Engine.{name}, os.getpid(), []
def strike(self, *given):
    calls.append(1)
    if os.getpid() == main and len(calls) == {at}:
        os.kill(main, signal.SIGINT)
    return done(self, *given)
Engine.{name} = strike
sys.argv = ["gpuspec", *{words!r}]
run()
"""


def struck(folder: Path, name: str, at: int, *words: str) -> Done:
    script = STRUCK.format(name=name, at=at, words=words)
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_what_was_found_is_told(folder: Path) -> None:
    (folder / "pod.yaml").write_text(POD.format(number=1))
    done = struck(folder, "finish", 1, "lint", "pod.yaml", "--select", "GPU102")
    assert done.code == 130
    assert "GPU102" in done.out
    assert "interrupted after 1 of 1 documents: there may be more findings\n" in done.err


def test_how_many_documents_were_linted_is_said(folder: Path) -> None:
    (folder / "pods.yaml").write_text("---\n".join(POD.format(number=n) for n in range(9)))
    done = struck(folder, "_count", 4, "lint", "pods.yaml", *["--select", "GPU102", "-q"])
    assert done.code == 130
    assert "interrupted after 4 of 9 documents: there may be more findings\n" in done.err


def test_a_report_for_programs_says_that_it_is_no_verdict(folder: Path) -> None:
    (folder / "pod.yaml").write_text(POD.format(number=1))
    done = struck(folder, "finish", 1, "lint", "pod.yaml", "--format", "sarif")
    (invocation,) = json.loads(done.out)["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "interrupted" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_nothing_that_was_found_is_no_verdict(folder: Path) -> None:
    (folder / "pod.yaml").write_text(POD.format(number=1))
    done = struck(folder, "finish", 1, "lint", "pod.yaml", "--select", "GPU201")
    assert (done.code, done.out) == (130, "")
    assert "interrupted" in done.err


@pytest.mark.skipif(not can_copy() or processors() < 2, reason="one process does all")
def test_of_several_processes_what_this_one_found(folder: Path) -> None:
    text = "---\n".join(POD.format(number=number) for number in range(900))
    (folder / "pods.yaml").write_text(text)
    done = struck(
        folder, "part", 3, "lint", "pods.yaml", "--select", "GPU102", "--format", "concise"
    )
    lines = done.out.splitlines()
    assert done.code == 130
    assert 150 < len(lines) < 900
    assert len({*lines}) == len(lines)


def test_a_fix_that_is_interrupted_changes_nothing(folder: Path) -> None:
    (folder / "pod.yaml").write_text(POD.format(number=1))
    done = struck(folder, "finish", 1, "lint", "pod.yaml", "--fix")
    assert done.code == 130
    assert (folder / "pod.yaml").read_text() == POD.format(number=1)


# Which function Ctrl-C comes in, by which of its calls, and what is said of the run then.
COMMANDS = [
    ("render train.yaml -c clusters -o out/{profile}", "gpuspec.facade.workloads.render", 2,
     "while rendering, 1 of 2 done: nothing was printed or written"),
    ("explain train.yaml", "gpuspec.facade.workloads.render", 1,
     "while rendering, 0 of 1 done: nothing was printed or written"),
    ("fit many.yaml -c clusters", "gpuspec.fleet.fit.fit.workload", 2,
     "while placing on eu, 1 of 3 done: nothing was printed or written"),
    ("diff many.yaml train.yaml", "gpuspec.diff.compare._gone", 1,
     "while comparing, 9 of 12 done: nothing was printed or written"),
    ("table many.yaml", "gpuspec.demand.totals._asks", 3,
     "while adding up, 2 of 3 done: nothing was printed or written"),
    ("fleet drift many.yaml -c clusters/eu.yaml --live nodes.json", "gpuspec.drift.drift", 1,
     ": nothing was printed or written"),
    ("fleet report -c clusters/eu.yaml", "gpuspec.fleet.fit.survey", 1,
     "while looking at the fleet: nothing was printed or written"),
    ("cluster discover nodes.json", "gpuspec.cluster.discover.discover", 1,
     "while reading the nodes: nothing was printed or written"),
    ("cluster render clusters/eu.yaml", "gpuspec.cluster.platform.platform_objects", 1,
     ": nothing was printed or written"),
    ("lint many.yaml --fix", "gpuspec.lint.engine.Engine.finish", 1,
     "while fixing: nothing was printed or written"),
    ("rules", "gpuspec.lint.registry.rules", 1, ": nothing was printed or written"),
]  # fmt: skip
# The program, which is sent SIGINT by a call of that function.
CALLED = """\
import functools, importlib, os, signal, sys
from gpuspec.__main__ import run
module, at, words = {module!r}, {at}, {words!r}
*path, name = module.split(".")
while True:
    try:
        owner = importlib.import_module(".".join(path))
        break
    except ModuleNotFoundError:
        *path, name = *path[:-1], path[-1] + "." + name
*inner, name = name.split(".")
for each in inner:
    owner = getattr(owner, each)
done, calls = getattr(owner, name), []
@functools.wraps(done)
def strike(*given, **named):
    calls.append(1)
    if len(calls) == at:
        os.kill(os.getpid(), signal.SIGINT)
    return done(*given, **named)
setattr(owner, name, strike)
sys.argv = ["gpuspec", *words]
run()
"""
NODES = """\
{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "labels": {
"nvidia.com/gpu.product": "Tesla-T4", "nvidia.com/gpu.count": "4"}},
"status": {"allocatable": {"cpu": "60", "memory": "240Gi", "nvidia.com/gpu": "4", "pods": "110"}}}]}
"""


def called(folder: Path, module: str, at: int, words: list[str]) -> Done:
    done = subprocess.run(
        [sys.executable, "-c", CALLED.format(module=module, at=at, words=words)],
        cwd=folder,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize(("line", "module", "at", "said"), COMMANDS, ids=[o[0] for o in COMMANDS])
def test_every_command_says_how_far_it_came(
    folder: Path, line: str, module: str, at: int, said: str
) -> None:
    (folder / "many.yaml").write_text("---\n".join(POD.format(number=n) for n in range(3)))
    (folder / "nodes.json").write_text(NODES)
    before = sorted(path.name for path in folder.rglob("*"))
    done = called(folder, module, at, line.split())
    assert (done.code, done.out) == (130, "")
    first = "interrupted" if said.startswith(":") else "interrupted "
    assert done.err == f"{first}{said}\n"
    assert sorted(path.name for path in folder.rglob("*")) == before


def test_of_several_files_to_fix_those_that_are_written_are_counted(folder: Path) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.yaml").write_text(POD.format(number=name))
    words = ["lint", "a.yaml", "b.yaml", "--fix", "--select", "GPU102"]
    done = called(folder, "gpuspec.manifests.writing.replace", 2, words)
    assert (done.code, done.err) == (130, "interrupted: 1 of 2 files were written\n")
    assert (folder / "a.yaml").read_text() != POD.format(number="a")
    assert (folder / "b.yaml").read_text() == POD.format(number="b")


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("gpuspec.render.transaction._stage", "out/ was not changed"),
        ("gpuspec.render.transaction._clear", "out/ was written in full"),
    ],
)
def test_a_folder_is_as_it_was_or_whole(folder: Path, module: str, said: str) -> None:
    done = called(folder, module, 1, ["render", "train.yaml", "-o", "out"])
    assert (done.code, done.err) == (130, f"interrupted: {said}\n")
    assert (folder / "out").exists() == ("full" in said)
