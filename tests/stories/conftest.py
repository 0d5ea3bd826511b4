"""A story is files, a command, and everything that comes of it."""

import io
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpuspec.startup.process import main


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    said: str


@dataclass(frozen=True)
class Desk:
    """A folder that somebody works in."""

    folder: Path

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def files(self, name: str) -> dict[str, str]:
        """All files below a folder but the record, by name."""
        top = self.folder / name
        return {
            path.relative_to(top).as_posix(): path.read_text()
            for path in sorted(top.rglob("*"))
            if path.is_file() and path.name != ".gpuspec-record"
        }

    def run(self, line: str) -> Done:
        """Run `gpuspec` with the words of a line."""
        out, said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
        sys.argv = ["gpuspec", *line.split()]
        with redirect_stdout(out), redirect_stderr(said):
            code = main()
        out.flush()
        return Done(code, out.buffer.getvalue().decode(), said.getvalue())


MakeSpec = Callable[..., str]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """An empty desk, and we sit at it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", sys.argv)
    return Desk(tmp_path)


SPEC = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata:
  name: {name}
  namespace: ml
spec:
  image: ghcr.io/example/train@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
  command: [python, -m, train]
  gpu:
    models: [L4]
    count: 1
  resources:
    cpu: 4
    memory: 16Gi
"""


@pytest.fixture
def spec() -> MakeSpec:
    """A small training spec, with more of its `spec` behind it."""
    return lambda name, more="": SPEC.format(name=name) + more
