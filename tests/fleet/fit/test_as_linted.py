"""What `fit` does not place, `lint` says will stay Pending, and nothing else."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec import hardware

GPU, IB, EFA = "nvidia.com/gpu", "rdma/ib", "vpc.amazonaws.com/efa"
SLICE = "nvidia.com/mig-1g.10gb"
_PENDS = re.compile("(the pod )?stays Pending")
ROOM = {"cpu": 100, "memory": "1000Gi"}
SLICES = {"mode": "mig", "strategy": "mixed", "profiles": {"1g.10gb": 7}}
H100 = {"model": "H100-80GB", "count": 8}
TAINTS = {
    "none": [],
    "device": [{"key": GPU}],
    "present": [{"key": GPU, "value": "present"}],
    "executes": [{"key": GPU, "effect": "NoExecute"}],
    "fabric": [{"key": IB}],
    "team": [{"key": "team"}],
}
ASKED: dict[str, dict[str, int]] = {
    "gpu": {GPU: 1},
    "gpu and fabric": {GPU: 1, IB: 1},
    "none of the device": {GPU: 0},
    "nothing": {},
}


def said(tmp_path: Path, preset: str, pools: list[dict[str, Any]], pod: Any) -> tuple[str, str]:
    """The verdict of `fit`, and the loudest that `lint` says of staying Pending."""
    profile = {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": "ClusterProfile",
        "metadata": {"name": "eu"},
        "spec": {"kubernetes": "1.36", "extends": preset, "pools": pools},
    }
    (tmp_path / "eu.yaml").write_text(yaml.safe_dump(profile))
    (tmp_path / "pod.yaml").write_text(yaml.safe_dump(pod))
    (read,) = gpuspec.load_profiles(str(tmp_path / "eu.yaml"))
    path = str(tmp_path / "pod.yaml")
    [one] = gpuspec.fit(path, profile=read).workloads
    found = gpuspec.lint(path, profile=read).findings
    pends = [each.severity for each in found if _PENDS.match(each.message)]
    return one.verdict, max(pends, default="silent", key=("info", "warning", "error").index)


def pod(asked: dict[str, int], **spec: Any) -> dict[str, Any]:
    limits = {"cpu": 1, "memory": "8Gi", **asked}
    container = {"name": "main", "image": "a/b:1", "resources": {"limits": limits}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "one", "namespace": "ml"},
        "spec": {"containers": [container], **spec},
    }


@pytest.mark.parametrize("preset", hardware.presets())
@pytest.mark.parametrize("taints", TAINTS)
def test_the_same_of_a_tainted_pool_with_every_preset(
    tmp_path: Path, preset: str, taints: str
) -> None:
    """C-06: what a provider's admission adds, both know, and of which pods."""
    pools = [
        {
            "name": "h100",
            "gpu": H100,
            "nodes": 2,
            "taints": TAINTS[taints],
            "allocatable": ROOM,
            "labels": {"team": "a"},
            "rdma": {"resource": IB},
        }
    ]
    for (words, asked), bound in product(ASKED.items(), (True, False)):
        where = {"nodeSelector": {"team": "a"}} if bound else {}
        verdict, loudest = said(tmp_path, preset, pools, pod(asked, **where))
        told = "not placed" if loudest == "error" else "placed"
        if verdict == "elsewhere":
            # A pod that needs no GPU may run on nodes that no profile tells of.
            assert (bound, asked.get(GPU, 0), loudest) == (False, 0, "silent")
        else:
            assert verdict == told, (words, bound)


POOLS: dict[str, dict[str, Any]] = {
    "slices": {"gpu": H100, "sharing": SLICES},
    "ib": {"gpu": H100, "rdma": {"resource": IB}},
    "efa": {
        "gpu": {"model": "A100-80GB", "count": 8},
        "rdma": {"resource": EFA, "count": 4, "perGpu": True},
    },
}


@pytest.mark.parametrize(
    "asked",
    [
        {GPU: 1, IB: 1},
        {SLICE: 1, IB: 1},
        {SLICE: 1, EFA: 1},
        {GPU: 1, SLICE: 1},
        {GPU: 1, EFA: 4},
        {GPU: 1, EFA: 5},
        {GPU: 1, IB: 1, EFA: 1},
        {SLICE: 1},
        {GPU: 9},
    ],
    ids=str,
)
@pytest.mark.parametrize("left_out", [*POOLS, None])
def test_all_that_a_pod_names_is_in_one_pool(
    tmp_path: Path, asked: dict[str, int], left_out: str | None
) -> None:
    """Each resource somewhere is not enough: a pod runs on one node."""
    there = {name: pool for name, pool in POOLS.items() if name != left_out}
    pools = [
        {"name": name, "nodes": 2, "allocatable": ROOM, **pool} for name, pool in there.items()
    ]
    verdict, loudest = said(tmp_path, "generic", pools, pod(asked))
    resources = {pool.get("rdma", {}).get("resource") for pool in there.values()}
    if verdict == "placed":
        assert loudest == "silent"
    elif {IB, EFA} & asked.keys() <= resources:
        assert loudest == "error"
    else:
        # A profile may leave out a fabric that the nodes have.
        assert loudest == "warning"
