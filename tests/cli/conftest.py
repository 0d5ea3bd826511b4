"""The program as people run it: a process of its own, in a folder of its own."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = (sys.executable, "-m", "gpuspec")

SPEC = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata:
  name: train
  namespace: ml
spec:
  image: ghcr.io/example/train:1.0@sha256:{digest}
  command: [python, -m, train]
  gpu: {{models: [T4], count: 1}}
  resources: {{cpu: 4, memory: 16Gi}}
  duration: {{max: 30m}}
  run: first
""".format(digest="0123456789abcdef" * 4)

PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata:
  name: {name}
spec:
  kubernetes: "1.36"
  pools:
    - name: {name}-pool
      gpu: {{model: {model}, count: 4}}
      allocatable: {{cpu: 60, memory: 240Gi, ephemeralStorage: 800Gi, pods: 110}}
      nodes: 6
"""

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  containers:
    - name: main
      image: example.com/app:1
      resources:
        requests: {nvidia.com/gpu: 1}
"""
QUIET = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: ml}
data: {a: b}
"""
OVERRIDE = """\
  overrides:
    - kind: Job
      patch:
        spec: {template: {spec: {containers: [{name: main, resources: {requests: {nvidia.com/gpu: 2}}}]}}}
"""
# One rule, so that the stories stay the same as rules are added.
ONE = ("--select", "GPU102")


@dataclass(frozen=True)
class Done:
    """What a process left behind."""

    code: int
    out: str
    err: str


Program = Callable[..., Done]
Terminal = Callable[..., str]


def environment(**changes: str) -> dict[str, str]:
    """The tests' own environment, without what colours, sizes or debugs."""
    dropped = {"FORCE_COLOR", "NO_COLOR", "COLUMNS", "GPUSPEC_DEBUG", "TERM"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", **changes}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a spec, two profiles that carry it, and one that does not."""
    (tmp_path / "train.yaml").write_text(SPEC)
    (tmp_path / "clusters").mkdir()
    for name in ("eu", "us"):
        (tmp_path / f"clusters/{name}.yaml").write_text(PROFILE.format(name=name, model="T4"))
    (tmp_path / "big.yaml").write_text(PROFILE.format(name="big", model="H100-80GB"))
    return tmp_path


@pytest.fixture
def pod(folder: Path) -> Path:
    """The folder as a repository with a pod that has a fault, and with an object that has none."""
    (folder / ".git").mkdir()
    (folder / "k8s").mkdir()
    (folder / "k8s/pod.yaml").write_text(POD)
    (folder / "k8s/quiet.yaml").write_text(QUIET)
    return folder


@pytest.fixture
def gpuspec(folder: Path) -> Program:
    """Runs the program in the folder."""

    def run(
        *arguments: str,
        stdin: str | None = None,
        stdout: int = subprocess.PIPE,
        env: dict[str, str] | None = None,
    ) -> Done:
        done = subprocess.run(
            [*PROGRAM, *arguments],
            cwd=folder,
            env=environment(**(env or {})),
            input=(stdin or "").encode(),
            stdout=stdout,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
        return Done(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())

    return run


@pytest.fixture
def shell(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Runs a line of bash in the folder, in which `gpuspec` is the program."""
    program = tmp_path_factory.mktemp("bin") / "gpuspec"
    program.write_text(f'#!/bin/sh\nexec {" ".join(PROGRAM)} "$@"\n')
    program.chmod(0o755)

    def run(line: str, **changes: str) -> Done:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            env=environment(PATH=f"{program.parent}:{os.environ['PATH']}", **changes),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=60,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def terminal(folder: Path) -> Terminal:
    """Runs the program on a terminal: what that shows of stdout, stderr, and what was typed."""

    def run(*arguments: str, columns: int = 80, typed: bytes = b"", **changes: str) -> str:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [*PROGRAM, *arguments],
            cwd=folder,
            env=environment(**changes),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        os.write(ours, typed)
        sent = b""
        try:
            while part := os.read(ours, 65536):
                sent += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        process.wait(timeout=60)
        return sent.decode().replace("\r\n", "\n")

    return run
