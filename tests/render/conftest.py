"""What the tests of rendering share."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import gpuspec

ROOT = Path(__file__).parents[2]


@cache
def _module(path: Path) -> ModuleType:
    """A module beside the tests, which are no package."""
    spec = importlib.util.spec_from_file_location(f"tests_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def goldens() -> ModuleType:
    """The examples and their goldens."""
    return _module(ROOT / "tests/render/goldens.py")


@pytest.fixture(scope="session")
def pod_security() -> ModuleType:
    """The check of the Pod Security Standards."""
    return _module(ROOT / "tests/pod_security.py")


@pytest.fixture(scope="session")
def renderings() -> dict[tuple[str, str], gpuspec.Rendering]:
    """Every example on every profile that carries it, by their names."""
    made: dict[tuple[str, str], gpuspec.Rendering] = {}
    profiles = [
        *gpuspec.load_profiles(),
        *gpuspec.load_profiles(str(ROOT / "examples/clusters")),
    ]
    for path in sorted((ROOT / "examples").glob("*.yaml")):
        for workload in gpuspec.load(str(path)):
            for profile in profiles:
                try:
                    made[path.stem, profile.name] = gpuspec.render(workload, profile)
                except gpuspec.Refusal:
                    continue
    return made


TRAINING = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata:
  name: train
  namespace: ml
spec:
  image: ghcr.io/example/train@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
  command: [python, -m, train]
  gpu:
    models: [L4]
    count: 1
  env:
    FIRST: "1"
    SECOND: "2"
    THIRD: "3"
  resources:
    cpu: 4
    memory: 16Gi
"""


WriteSpec = Callable[..., Path]
Render = Callable[..., gpuspec.Rendering]


@pytest.fixture
def write_spec(tmp_path: Path) -> WriteSpec:
    """Write a small training spec, with more of its `spec` behind it."""

    def write(more: str = "", name: str = "spec.yaml") -> Path:
        path = tmp_path / name
        path.write_text(TRAINING + more)
        return path

    return write


@pytest.fixture
def render_spec(write_spec: WriteSpec) -> Render:
    """Render a small training spec on the built-in profile."""

    def render(more: str = "", templates: Path | None = None) -> gpuspec.Rendering:
        return gpuspec.render(gpuspec.load(str(write_spec(more)))[0], templates=templates)

    return render
