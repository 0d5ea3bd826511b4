"""Selectors and affinity against the nodes that a profile tells of."""

from pathlib import Path

import pytest

import gpuspec
from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.cases import profile as made_profile
from tests.lint.patched import said
from tests.lint.placement.pods import findings, pod


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ("example.com/pool: h100", None),
        ("example.com/pool: a100", "error"),
        ("topology.kubernetes.io/zone: room-1", None),
        ("topology.kubernetes.io/zone: room-3", "error"),
        ("kubernetes.io/arch: arm64", "error"),
        ("nvidia.com/gpu.product: Tesla-T4", "error"),
        ("nvidia.com/gpu.count: '8'", None),
        ("node.kubernetes.io/instance-type: p5.48xlarge", None),
        ("node-tier: gold", "warning"),
        ("cloud.google.com/gke-accelerator: nvidia-l4", "error"),
    ],
)
def test_selectors_against_what_a_profile_tells(selector: str, said: str | None) -> None:
    """C-09: what contradicts the profile is sure, what it does not tell is not."""
    found = findings(pod(f"nodeSelector: {{{selector}}}"), "GPU203", profile="h100")
    assert [one.severity for one in found] == ([said] if said else [])


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("H100", "NVIDIA-H100-80GB-HBM3"),
        ("nvidia-h100-80gb", "NVIDIA-H100-80GB-HBM3"),
        ("A100-SXM4", "NVIDIA-A100-SXM4-80GB"),
        ("80GB", None),
        ("B200", None),
    ],
)
def test_the_only_value_with_all_its_words_is_meant(value: str, meant: str | None) -> None:
    key = "nvidia.com/gpu.product"
    pools = [
        {
            "name": model.lower(),
            "gpu_model": model,
            "gpus_per_node": 8,
            "nodes": 1,
            "labels": {key: name},
        }
        for model, name in (
            ("H100-80GB", "NVIDIA-H100-80GB-HBM3"),
            ("A100-80GB", "NVIDIA-A100-SXM4-80GB"),
        )
    ]
    engine = Engine(lambda code: code == "GPU203", made_profile({"pools": pools}))
    [raised] = engine.run(
        TextLoader([SourceFile("one.yaml", pod(f"nodeSelector: {{{key}: {value}}}"))])
    )
    fix = raised.found.fix
    assert (fix.title if fix else None) == (f"write `{meant}`" if meant else None)


def test_pods_without_a_device_may_go_to_nodes_that_no_profile_tells() -> None:
    text = pod("nodeSelector: {node-tier: gold}", "limits: {cpu: 1}")
    assert not findings(text, "GPU203", profile="h100")


def test_conditions_that_no_pool_meets_together() -> None:
    pools = [
        {
            "name": "a",
            "gpus_per_node": 8,
            "nodes": 1,
            "labels": {"example.com/size": "l", "example.com/net": "ib"},
        },
        {
            "name": "b",
            "gpus_per_node": 8,
            "nodes": 1,
            "labels": {"example.com/size": "s", "example.com/net": "eth"},
        },
    ]
    text = pod("nodeSelector: {example.com/size: l, example.com/net: NET}")
    [found] = findings(text.replace("NET", "eth"), "GPU203", context={"pools": pools})
    assert "`example.com/size` is `l` and `example.com/net` is `eth`" in found.message
    assert not findings(text.replace("NET", "ib"), "GPU203", context={"pools": pools})


def test_what_a_runtime_demands_is_said_of_the_runtime_alone() -> None:
    """The TrainJob that uses it has no conditions of its own."""
    here = Path(__file__).parents[3] / "examples"
    [profile] = gpuspec.load_profiles(str(here / "clusters/gke.yaml"))
    job = str(here / "rendered/operators/sft-tune.yaml")
    [found] = gpuspec.lint(job, profile=profile, select=["GPU203"]).findings
    assert found.object is not None
    assert found.object.kind == "TrainingRuntime"


def test_an_empty_term_matches_no_node() -> None:
    text = pod(
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [{}]}}}"
    )
    [found] = findings(text, "GPU203", profile="h100")
    assert "matches no node" in found.message


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("nodeName: gpu-1", "info"),
        ("nodeSelector: {kubernetes.io/hostname: gpu-1}", "info"),
        ("nodeSelector: {kubernetes.io/hostname: <node>}", None),
        ("nodeSelector: {nvidia.com/cuda.driver-version.major: '570'}", None),
    ],
)
def test_a_pod_alone_is_bound_to_a_node_for_a_reason(more: str, said: str | None) -> None:
    """C-10"""
    assert [one.severity for one in findings(pod(more), "GPU204")] == ([said] if said else [])


_HOST = "nodeSelector: {kubernetes.io/hostname: gpu-1}"
_LOCAL = """
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: weights, namespace: serving}
spec: {volumeName: disk, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Ti}}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Ti}, %s}
"""


@pytest.mark.parametrize(
    ("volume", "more", "level"),
    [
        ("emptyDir: {}", "", "warning"),
        ("hostPath: {path: /data/models}", "", "info"),
        ("hostPath: {path: /dev/infiniband}", "", "warning"),
        ("persistentVolumeClaim: {claimName: weights}", "", "warning"),
        ("persistentVolumeClaim: {claimName: weights}", "local: {path: /disk}", "info"),
        ("persistentVolumeClaim: {claimName: weights}", "nfs: {server: a, path: /b}", "warning"),
    ],
)
def test_what_lies_on_a_node_is_a_reason_to_go_there(volume: str, more: str, level: str) -> None:
    """C-10"""
    spec = f"spec: {{template: {{spec: {{{_HOST}, volumes: [{{name: weights, {volume}}}]}}}}}}"
    found = said(
        "GPU204",
        "deployment",
        spec,
        *filter(None, (_LOCAL % more).split("---")[1:] if more else ()),
    )
    assert [one.severity for one in found] == [level]
    # Another node does not have what lies on this one.
    assert ("move the data" in (found[0].note or "")) is (level == "info")
