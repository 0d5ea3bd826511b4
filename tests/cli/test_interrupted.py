"""Ctrl-C while the linter is at work: what was found until then is told, and that it is not all."""

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
    assert "interrupted: there may be more than what was found until then\n" in done.err


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
