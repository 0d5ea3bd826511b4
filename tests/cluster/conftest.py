"""Profiles for the tests of the cluster room."""

from collections.abc import Callable

import pytest

from gpuspec.manifests import read
from gpuspec.spec import Profile, parse_profile

MakeProfile = Callable[..., Profile]


def _profile(fields: str, kubernetes: str = "1.36") -> Profile:
    """A profile whose spec has these fields (lines as they stand there), beside its version."""
    spec = "\n".join(f"  {line}" for line in fields.strip().splitlines())
    text = (
        "apiVersion: gpuspec.dev/v1alpha1\nkind: ClusterProfile\nmetadata: {name: eu}\n"
        f'spec:\n  kubernetes: "{kubernetes}"\n{spec}\n'
    )
    (document,) = read(text, "eu.yaml")
    return parse_profile(document)


@pytest.fixture(scope="session")
def profile() -> MakeProfile:
    """Makes a profile of the fields of its spec, which must be sound."""
    return _profile
