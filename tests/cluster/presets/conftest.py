"""A workload rendered on a built-in profile, or on one that extends it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gpuspec

Values = dict[str, Any]
MakeWorkload = Callable[..., gpuspec.Workload]
MakeProfile = Callable[[str], gpuspec.Profile]
MakePod = Callable[..., Values]
Required = Callable[[Values], list[dict[str, list[str]]]]


@pytest.fixture
def workload(tmp_path: Path) -> MakeWorkload:
    """A Training with these fields."""

    def made(**spec: Any) -> gpuspec.Workload:
        fields = {"image": "ghcr.io/example/w:1", "command": ["python", "-m", "w"], **spec}
        document = {
            "apiVersion": "gpuspec.dev/v1alpha1",
            "kind": "Training",
            "metadata": {"name": "w"},
            "spec": fields,
        }
        path = tmp_path / "w.yaml"
        path.write_text(json.dumps(document))
        (found,) = gpuspec.load(str(path))
        return found

    return made


@pytest.fixture
def profile(tmp_path: Path) -> MakeProfile:
    """A profile whose `spec` has these lines."""

    def made(lines: str) -> gpuspec.Profile:
        path = tmp_path / "here.yaml"
        spec = "\n".join(f"  {line}" for line in lines.strip("\n").split("\n"))
        path.write_text(
            "apiVersion: gpuspec.dev/v1alpha1\nkind: ClusterProfile\nmetadata: {name: here}\n"
            f'spec:\n  kubernetes: "1.36"\n{spec}\n'
        )
        (found,) = gpuspec.load_profiles(str(path))
        return found

    return made


@pytest.fixture
def pod(workload: MakeWorkload) -> MakePod:
    """The pod of a Training with these fields on a profile, built in if it is a name."""

    def made(on: str | gpuspec.Profile, **spec: Any) -> Values:
        known = gpuspec.load_profiles(on)[0] if isinstance(on, str) else on
        (job, *_) = [
            o for o in gpuspec.render(workload(**spec), known).objects if o["kind"] == "Job"
        ]
        found: Values = job["spec"]["template"]["spec"]
        return found

    return made


def required(pod: Values) -> list[dict[str, list[str]]]:
    """The required node affinity: alternatives, each label key to values."""
    affinity = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return [
        {e["key"]: e["values"] for e in term["matchExpressions"]}
        for term in affinity["nodeSelectorTerms"]
    ]


@pytest.fixture(name="required")
def _required() -> Required:
    return required
