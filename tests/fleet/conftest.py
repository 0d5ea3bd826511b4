"""Pools for the tests of the fleet room."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import gpuspec
from gpuspec.spec import Pool

MakePool = Callable[..., Pool]


@pytest.fixture(scope="session")
def pool(tmp_path_factory: pytest.TempPathFactory) -> MakePool:
    """A pool of a profile with these fields."""
    path = tmp_path_factory.mktemp("profiles") / "profile.yaml"

    def read(model: str = "A100-80GB", count: int = 8, **fields: Any) -> Pool:
        found = {"name": "one", "gpu": {"model": model, "count": count}, **fields}
        profile = {
            "apiVersion": "gpuspec.dev/v1alpha1",
            "kind": "ClusterProfile",
            "metadata": {"name": "here"},
            "spec": {"kubernetes": "1.36", "pools": [found]},
        }
        path.write_text(json.dumps(profile))
        return gpuspec.load_profiles(str(path))[0].spec.pools[0]

    return read
