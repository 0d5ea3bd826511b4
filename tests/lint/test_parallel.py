"""Many objects are looked into by several processes: a run comes to the same, and leaves none."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies of a process: Linux only")

# A process of its own: that of the tests has threads, and so makes no copies.
PROGRAM = """\
import json, os, signal, sys, time
import msgspec
import gpuspec
from gpuspec.lint import copies, parallel, run
from gpuspec.loading.text_loader import TextLoader

# Whoever runs the tests may have told them to pass it over.
signal.signal(signal.SIGINT, signal.default_int_handler)
run.MANY = 0
parallel.FIRST, parallel.LEAST, parallel.MOST = 2, 3, 4
parallel.processors = lambda: int(sys.argv[1])
made = []

class Copy(copies.Copy):
    def __init__(self, work):
        super().__init__(work)
        made.append(self._process)

parallel.Copy = Copy
exec(sys.argv[3])
result = gpuspec.lint(sys.argv[2])
print(json.dumps([len(made), msgspec.to_builtins(result)]))
"""
SERVER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: server-{index}, namespace: serving}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: server-{index}}}}}
  template:
    metadata: {{labels: {{app: server-{index}}}}}
    spec:
      containers:
        - name: main
          image: vllm/vllm-openai:v0.33.0
          ports: [{{name: http, containerPort: {port}}}]
          resources: {{requests: {{nvidia.com/gpu: 1}}{more}}}
---
apiVersion: v1
kind: Service
metadata: {{name: server-{index}, namespace: serving}}
spec:
  selector: {{app: server-{selected}}}
  ports: [{{name: http, port: 80, targetPort: 8000}}]
---
"""
OTHERS = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: placeholder, namespace: serving}
spec:
  selector: {matchLabels: {app: placeholder}}
  template:
    metadata: {labels: {app: placeholder}}
    spec:
      priorityClassName: gpu-placeholder
      containers:
        - {name: main, image: "registry.k8s.io/pause:3.10", resources: {limits: {nvidia.com/gpu: 1}}}
---
apiVersion: example.com/v1
kind: Deployment
metadata: {name: stranger}
spec: {template: {spec: {containers: [{name: main, image: "a:1"}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: broken
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Objects that are right or wrong by themselves, and by those of other parts."""
    here = tmp_path / "manifests"
    here.mkdir()
    for file in range(4):
        text = "".join(
            SERVER.format(
                # Some stand in a file twice; some Services select pods of another part, or none.
                index=min(number, 5),
                selected=number + 1,
                port=8000 + number % 2,
                more=", limits: {nvidia.com/gpu: 1}" if number % 3 else "",
            )
            for number in range(file, file + 7)
        )
        (here / f"{file}.yaml").write_text(text + (OTHERS if file == 3 else ""))
    return here


def started(folder: Path, processes: int, patch: str = "") -> subprocess.Popen[str]:
    """The linter in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(processes), str(folder), patch],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told(folder: Path, processes: int, patch: str = "") -> tuple[int, dict[str, Any]]:
    """How many copies there were, and what the run came to."""
    run = started(folder, processes, patch)
    out, error = run.communicate(timeout=60)
    assert run.returncode == 0, error
    copies, result = json.loads(out)
    return copies, result


def test_whatever_the_number_of_processes_a_run_comes_to_the_same(folder: Path) -> None:
    copies, alone = told(folder, 1)
    assert copies == 0
    found = {one["rule"] for one in alone["findings"]}
    # By a part of its own; by all parts; of one file; of a text that cannot be read.
    assert {"GPU102", "GPU806", "GPU807", "GPU016", "GPU001"} <= found
    assert len(alone["notes"]) > 1
    for processes in (2, 3, 4):
        copies, together = told(folder, processes)
        assert copies == processes - 1
        assert together == alone


@pytest.mark.parametrize(
    "patch",
    [
        "parallel._work = lambda *_: 1 / 0",
        "parallel._work = lambda *_: os.kill(os.getpid(), 9)",
        "os.fork = lambda: os.open('/nowhere', 0)",
    ],
)
def test_what_a_copy_does_not_tell_is_found_without_it(folder: Path, patch: str) -> None:
    assert told(folder, 3, patch)[1] == told(folder, 1)[1]


def test_no_copies_are_made_beside_threads(folder: Path) -> None:
    patch = "import threading; threading.Thread(target=time.sleep, args=[5], daemon=True).start()"
    assert told(folder, 4, patch)[0] == 0


def test_an_interrupted_run_leaves_no_process(folder: Path) -> None:
    patch = (
        "parallel._work = lambda *_: time.sleep(60)\n"
        "def look(*_): print(made[0], flush=True); time.sleep(60)\n"
        "copies.Copy.result = look"
    )
    run = started(folder, 2, patch)
    assert run.stdout is not None
    copy = int(run.stdout.readline())
    os.kill(copy, 0)
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=30)
    assert run.returncode != 0
    with pytest.raises(ProcessLookupError):
        os.kill(copy, 0)


def test_a_copy_ends_when_nobody_wants_to_be_told(folder: Path) -> None:
    patch = (
        "work = parallel._work\n"
        "def endless(self):\n"
        "    while True: yield 0\n"
        "def never(*given): copies.Numbers.__iter__ = endless; return work(*given)\n"
        "parallel._work = never\n"
        "def look(*_): print(made[0], flush=True); time.sleep(60)\n"
        "copies.Copy.result = look"
    )
    run = started(folder, 2, patch)
    assert run.stdout is not None
    run.stdout.readline()
    run.kill()
    # Both hold the pipe, which is at its end when both are gone.
    run.communicate(timeout=30)
