"""Pools for the tests of the fleet room."""

import json

import pytest

import gpuspec


@pytest.fixture(scope="session")
def pool(tmp_path_factory):
    """A pool of a profile with these fields."""
    path = tmp_path_factory.mktemp("profiles") / "profile.yaml"

    def read(model="A100-80GB", count=8, **fields):
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
