"""A run that is ended from outside takes its scratch folders along, and dies as whoever ended it expects."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, ROOT, environment

ENDS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
# The program, which is sent a signal as soon as it has written something of its own.
STRUCK = """\
import importlib, os, sys, time
from gpuspec.__main__ import run
module = importlib.import_module("{module}")
done = module.{name}
def strike(*given, **named):
    done(*given, **named)
    {how}
module.{name} = strike
sys.argv = ["gpuspec", *{words!r}]
run()
"""
# How the signal comes in: between two lines; in a finalizer, out of which nothing is raised; and inside
# a library, out of which another error comes.
PLAIN = "os.kill(os.getpid(), {signal})"
DROPPED = """\
class Final:
        def __del__(self):
            os.kill(os.getpid(), {signal})
    Final()
    for _ in range(1000):
        time.sleep(0.01)
"""
TURNED = """\
try:
        os.kill(os.getpid(), {signal})
    except BaseException as error:
        raise SystemError("returned a result with an exception set") from error
"""
BAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: a, namespace: b}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers:
      - name: main
        image: vllm/vllm-openai:v0.10.0
        resources:
          requests: {nvidia.com/gpu: 1}
"""


def code_of(number: int) -> int:
    return 130 if number == signal.SIGINT else -number


@pytest.mark.parametrize("number", ENDS)
def test_a_diff_of_revisions(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, number: int
) -> None:
    """It has laid out the old side, and waits for the new one."""
    scratch = tmp_path_factory.mktemp("scratch")
    for words in (
        ["init", "-q"],
        ["add", "train.yaml"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)
    with subprocess.Popen(
        [*PROGRAM, "diff", "HEAD:", "-"],
        cwd=folder,
        env=environment(TMPDIR=str(scratch)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        while not list(scratch.rglob("train.yaml")):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        process.wait(timeout=30)
    assert (process.returncode, list(scratch.iterdir())) == (code_of(number), [])


@pytest.mark.parametrize("number", ENDS)
@pytest.mark.parametrize("how", [PLAIN, DROPPED, TURNED], ids=["plain", "dropped", "turned"])
@pytest.mark.parametrize(
    ("module", "name", "words"),
    [
        ("gpuspec.render.transaction", "create", ["render", "train.yaml", "-o", "out"]),
        ("gpuspec.render.transaction", "create", ["cluster", "render", "clusters/eu.yaml", "-o", "out"]),
        ("os", "fsync", ["lint", "--unsafe-fixes", "bad.yaml"]),
    ],
)  # fmt: skip
def test_what_is_written_beside_the_files_of_the_user(
    folder: Path, module: str, name: str, words: list[str], how: str, number: int
) -> None:
    (folder / "bad.yaml").write_text(BAD)
    before = {one.name for one in folder.iterdir()}
    example = ROOT / "examples" / "clusters" / "bare-metal.yaml"
    (folder / "clusters" / "eu.yaml").write_text(example.read_text())
    struck = how.format(signal=int(number))
    script = STRUCK.format(module=module, name=name, how=struck, words=words)
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == code_of(number), done.stderr.decode()
    assert {one.name for one in folder.iterdir()} == before


def test_what_is_ignored_stays_ignored(folder: Path) -> None:
    """As under nohup."""
    script = STRUCK.format(
        module="gpuspec.render.transaction",
        name="create",
        how=PLAIN.format(signal=int(signal.SIGHUP)),
        words=["render", "train.yaml", "-o", "out"],
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import signal; signal.signal(1, signal.SIG_IGN)\n{script}"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert any((folder / "out").glob("*.yaml"))
