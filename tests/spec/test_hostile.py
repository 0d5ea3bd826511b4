"""Hostile input: whatever a file holds, the program says what is wrong with it and exits with 2."""

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuspec.cli.app import main

GOOD = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata: {name: w}
spec:
  image: ghcr.io/example/w:1
"""
MILLION = 1_000_000


def nested(opening: str, closing: str, depth: int) -> str:
    return opening * depth + "x" + closing * depth


def bomb() -> str:
    levels = [f"  l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 10)}]\n" for i in range(1, 10)]
    return GOOD + "  l0: &l0 [x]\n" + "".join(levels)


TEXTS: dict[str, str | bytes] = {
    "binary": bytes(range(256)) * 10,
    "noise": random.Random(1).randbytes(4000),
    "UTF-16": GOOD.encode("utf-16"),
    "UTF-32": GOOD.encode("utf-32"),
    "Latin-1": (GOOD + "  owner: é\n").encode("latin-1"),
    "a NUL": GOOD + "  owner: a\0b\n",
    "deep lists": GOOD + f"  args: {nested('[', ']', 50_000)}\n",
    "deep mappings": GOOD + f"  env: {nested('{a: ', '}', 5_000)}\n",
    "deep, but not too deep": GOOD + f"  env: {nested('{a: ', '}', 90)}\n",
    "a bomb": bomb(),
    "an anchor in itself": GOOD + "  env: &a {x: *a}\n",
    "a tag of Python": GOOD + "  owner: !!python/object/apply:os.system [id]\n",
    "merged nonsense": GOOD + "  <<: [1, 2]\n",
    "a key twice": GOOD + "  image: b\n",
    "keys that are numbers": GOOD + "  5: 1\n  1.5: 2\n  true: 3\n",
    "a key that is null": GOOD + "  ~: 1\n",
    "a key that is a list": GOOD + "  ? [a]\n  : 1\n",
    "unusual keys": GOOD + '  "\\u202e\\e[31m": 1\n  ключ: 2\n  "👩‍👩‍👧": 3\n  "": 4\n',
    "half a surrogate": '{"apiVersion": "gpuspec.dev/v1alpha1", "kind": "Training", "a": "\\ud800"}',
    "many unknown keys": GOOD + "".join(f"  key{i}: 1\n" for i in range(1500)),
    "many wrong values": GOOD + "  args:\n" + "".join(f"  - {i}\n" for i in range(10_000)),
    "many documents": "---\n".join(GOOD.replace("w", f"w{i}") + "  x: 1\n" for i in range(300)),
    "a long name": GOOD.replace("name: w", f"name: {'w' * MILLION}"),
    "a long key": GOOD + f'  ? "{"k" * MILLION}"\n  : 1\n',
    "a long image": GOOD.replace("w:1", "a-" * MILLION),
    "a long quantity": GOOD + f"  gpu: {{memory: {'9' * MILLION}Gi}}\n",
    "a long duration": GOOD + f"  duration: {{max: {'9' * MILLION}h}}\n",
    "a long number": GOOD + f"  workers: {'9' * MILLION}\n",
    "a long path": GOOD + f"  workingDir: {'/..x' * MILLION}\n",
    "a long variable": GOOD + f'  env: {{HF_TOKEN: "$({"9" * MILLION}"}}\n',
    "a long schedule": GOOD.replace("Training", "BatchInference")
    + f'  schedule: {{cron: "@every {"1" * MILLION}x"}}\n',
    "infinity": GOOD + "  gpu: {memory: .inf}\n",
    "a number beyond": GOOD + "  gpu: {memory: 1e300}\n",
    "a template": "{{ if .x }}\nkind: Training\n{{ end }}\n",
    "half of JSON": '{"apiVersion": "gpuspec.dev/v1alpha1", "kind": "Training"',
    "nothing but a head": "apiVersion: gpuspec.dev/v1alpha1\nkind: Training\n",
    "a head of other things": "apiVersion: {a: b}\nkind: [x]\nmetadata: 3\nspec: 4\n",
    "scalars": "5\n---\nx\n",
    "parts that are nothing": "apiVersion: gpuspec.dev/v1alpha1\nkind: Training\nmetadata:\nspec:\n",
    "parts that are lists": "apiVersion: gpuspec.dev/v1alpha1\nkind: Training\nmetadata: []\nspec: []\n",
    "too much": b"# " + b"x" * (64 * 1024 * 1024),
}
NOTHING = {"empty": "", "blank": " \n\n", "a comment": "# x\n", "separators": "---\n---\n", "null": "null\n"}  # fmt: skip

Run = Callable[[str | bytes], tuple[int, bytes, str]]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Render a file of this content: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["gpuspec", "render", "w.yaml"])

    def render(content: str | bytes) -> tuple[int, bytes, str]:
        data = content.encode() if isinstance(content, str) else content
        Path("w.yaml").write_bytes(data)
        code = main()
        out, err = capfdbinary.readouterr()
        return code, out, err.decode()

    return render


@pytest.mark.parametrize("name", TEXTS)
def test_wrong(name: str, run: Run) -> None:
    code, out, err = run(TEXTS[name])
    assert (code, out) == (2, b"")
    first, *_ = err.split("\n")
    assert first.startswith("w.yaml:")
    assert "Traceback" not in err
    assert "internal error" not in err
    # Nothing that a terminal would obey, and nobody's screen full of one value.
    assert all(letter.isprintable() or letter == "\n" for letter in err)
    assert max(map(len, err.split("\n"))) < 600
    assert err.count("error: ") <= 301


@pytest.mark.parametrize("name", NOTHING)
def test_nothing(name: str, run: Run) -> None:
    code, out, err = run(NOTHING[name])
    assert (code, out) == (3, b"")
    assert "no gpuspec workload" in err


def test_many_problems_are_cut_off(run: Run) -> None:
    _, _, err = run(TEXTS["many wrong values"])
    assert "w.yaml:1:1: error: more problems follow; these are the first 200\n" in err


def test_good(run: Run) -> None:
    code, out, _ = run(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert code == 0
    assert b"kind: Job" in out
