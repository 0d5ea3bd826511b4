"""Values for the GPU Operator's chart, by the chart itself: what it makes of them is what we say on OpenShift."""

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec.cluster.platform.gpu_operator import operator_objects, settings
from tests.cluster.conftest import MakeProfile
from tests.conftest import Tool
from tests.control_plane import binaries

pytestmark = pytest.mark.binaries

# The release whose chart is there (tests/control_plane/tools-gpu-operator).
PROFILE = """
installed: {gpu-operator: "25.3"}
gpuOperator:
  driver: {version: "580.105.08", upgrade: {unavailable: 2, wait: 4h}}
  dcgmExporter: {metrics: {DCGM_FI_PROF_SM_ACTIVE: gauge}}
pools:
  - name: half
    gpu: {model: A100-80GB, count: 8}
    labels: {example.com/pool: half}
    sharing: {mode: mig, strategy: mixed, profiles: {1g.10gb: 7}, gpus: 4}
  - name: t4
    gpu: {model: T4, count: 8}
    labels: {example.com/pool: t4}
    taints: [{key: accelerator, value: gpu}]
    sharing: {mode: time-slicing, replicas: 4}
"""
CANARY = PROFILE.replace(
    "{example.com/pool: half}", '{example.com/pool: half}\n    driver: "595.91.07"'
)
BOTH = (
    PROFILE
    + """\
  - name: single
    gpu: {model: H100-80GB, count: 8}
    sharing: {mode: mig, strategy: single, profiles: {1g.20gb: 4}}
"""
)


@pytest.fixture
def rendered(tool: Tool, tmp_path: Path) -> Any:
    """What `helm template` makes of the chart with a profile's values."""
    helm = tool("helm")
    try:
        chart = binaries.chart("gpu-operator")
    except binaries.Missing as missing:
        pytest.skip(str(missing))

    def render(text: str) -> list[dict[str, Any]]:
        values = tmp_path / "values.yaml"
        values.write_text(text)
        command = [str(helm), "template", "gpu-operator", str(chart), "-f", str(values)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
        return [each for each in yaml.safe_load_all(done.stdout) if each]

    return render


def the(made: Iterable[dict[str, Any]], kind: str, name: str = "") -> dict[str, Any]:
    (found,) = [
        each for each in made if each["kind"] == kind and name in ("", each["metadata"]["name"])
    ]
    return found


def lacking(said: Any, there: Any, path: str = "") -> list[str]:
    """What is said and not there, or otherwise."""
    if isinstance(said, dict):
        if not isinstance(there, dict):
            return [path]
        return [
            each
            for key, value in said.items()
            for each in lacking(value, there.get(key), f"{path}.{key}")
        ]
    return [] if said == there else [f"{path}: {there} instead of {said}"]


@pytest.mark.parametrize("text", [PROFILE, CANARY], ids=["one driver", "a canary"])
def test_the_chart_s_cluster_policy_says_what_the_profile_does(
    profile: MakeProfile, rendered: Any, text: str
) -> None:
    found = profile(text)
    made = rendered(gpuspec.operator_values(found))
    policy = the(made, "ClusterPolicy")["spec"]
    assert lacking(settings(found), policy) == []


def test_with_drivers_of_pools_the_chart_makes_none(profile: MakeProfile, rendered: Any) -> None:
    """Two for one node stop the operator."""
    found = profile(CANARY)
    made = rendered(gpuspec.operator_values(found))
    assert not [each for each in made if each["kind"] == "NVIDIADriver"]
    assert [each["kind"] for each in operator_objects(found)[0]] == ["NVIDIADriver"] * 2


def test_with_both_strategies_the_chart_says_none(profile: MakeProfile, rendered: Any) -> None:
    """Said, it would win over what each node is told."""
    made = rendered(gpuspec.operator_values(profile(BOTH)))
    assert not the(made, "ClusterPolicy")["spec"]["mig"]


def test_nfd_looks_at_nodes_with_taints_of_pools(profile: MakeProfile, rendered: Any) -> None:
    made = rendered(gpuspec.operator_values(profile(PROFILE)))
    worker = the(made, "DaemonSet", "gpu-operator-node-feature-discovery-worker")
    tolerated = worker["spec"]["template"]["spec"]["tolerations"]
    assert {each["key"] for each in tolerated} == {
        "node-role.kubernetes.io/control-plane",
        "nvidia.com/gpu",
        "accelerator",
    }
