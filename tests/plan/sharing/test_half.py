"""Nodes of which some GPUs are cut by MIG and the others are whole: one pool, counted once."""

import json
from pathlib import Path
from types import ModuleType

import gpuspec
from gpuspec.fleet import advertised
from gpuspec.plan.quotas import quota
from gpuspec.spec import model_of
from tests.plan.conftest import Make, Refused, Values

HALF: Values = {"mode": "mig", "strategy": "mixed", "profiles": {"1g.10gb": 7}, "gpus": 4}


def profile(words: ModuleType, **sharing: object) -> Values:
    """One pool of nodes with 128 CPUs for pods and 8 GPUs, of which four are cut."""
    found: Values = words.cluster(words.pool(sharing=HALF | sharing, nodes=2))
    return found


def test_whole_gpus_and_slices_are_had_of_the_same_nodes(make: Make, words: ModuleType) -> None:
    whole = make("Training", profile(words), gpu={"count": 4})
    assert whole.limits["nvidia.com/gpu"] == "4"
    small = make("BatchInference", profile(words), gpu={"memory": "8Gi"})
    assert small.limits["nvidia.com/mig-1g.10gb"] == "1"


def test_each_gpu_has_its_part_of_the_node_cut_or_whole(make: Make, words: ModuleType) -> None:
    """128 CPUs for 8 GPUs: 16 for a whole one, a seventh of 16 for a slice."""
    whole = make("Training", profile(words), gpu={"count": 4})
    assert whole.requests["cpu"] == "64"
    small = make("BatchInference", profile(words), gpu={"memory": "8Gi"})
    assert small.requests["cpu"] == "2"


def test_no_pod_gets_more_whole_gpus_than_are_left_whole(
    refused: Refused, words: ModuleType
) -> None:
    said = refused("Training", profile(words), gpu={"count": 5})
    assert "its nodes have 4 GPUs, a pod requests 5" in said


def test_pods_that_ask_for_more_than_there_is_of_whole_ones_are_told(
    make: Make, words: ModuleType
) -> None:
    made = make("Training", profile(words), gpu={"count": 4}, workers=3)
    assert "3 pods × 4 GPUs = 12, and a100 has 8" in made.loud()


def test_devices_are_counted_of_both_kinds_and_the_host_once(
    words: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "half.yaml").write_text(json.dumps(profile(words)))
    (found,) = gpuspec.load_profiles(str(tmp_path / "half.yaml"))
    (pool,) = found.spec.pools
    devices = {"nvidia.com/gpu": 4, "nvidia.com/mig-1g.10gb": 28}
    assert advertised(pool, model_of(pool)) == devices
    have = quota(pool, 16)
    assert {name: have[name] for name in devices} == {name: 2 * n for name, n in devices.items()}
    assert have["cpu"] == 2 * 128_000
