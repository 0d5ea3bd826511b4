"""What `gpuspec.fit` says of objects on the cluster of `objects`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec import FitReport
from tests.fleet.fit.objects import PROFILE, Fit, Json, One


@pytest.fixture
def fit(tmp_path: Path) -> Fit:
    """Fits objects onto the cluster, of whose profile `more` are further lines."""

    def run(*objects: Json, profile: str = PROFILE, more: str = "", **options: Any) -> FitReport:
        (tmp_path / "eu.yaml").write_text(profile + more)
        path = tmp_path / "set.yaml"
        path.write_text(yaml.safe_dump_all(objects, sort_keys=False))
        (read,) = gpuspec.load_profiles(str(tmp_path / "eu.yaml"))
        return gpuspec.fit(str(path), profile=read, **options)

    return run


@pytest.fixture
def one(fit: Fit) -> One:
    """What is said of the first of some objects."""
    return lambda *objects, **options: fit(*objects, **options).workloads[0]
