"""GPU523: beyond what its page shows."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from gpuspec.spec import Profile
from tests.lint.cases import profile
from tests.lint.sets import base

SCRATCH = [{"name": "scratch", "emptyDir": {"sizeLimit": "10Gi"}}]
MEMORY = [{"name": "shm", "emptyDir": {"medium": "Memory"}}]


def said(one: Any, where: Profile | None) -> list[str]:
    engine = Engine(lambda code: code in ("GPU523", "GPU728"), where)
    found = engine.run(TextLoader([SourceFile("one.yaml", yaml.safe_dump(one))]))
    return [each.finding().message for each in found]


def job(gpus: int = 1, volumes: list[Any] | None = None) -> Any:
    one = base("job")
    template = one["spec"]["template"]
    template["metadata"]["annotations"] = {}
    template["spec"] |= {"affinity": None, "volumes": volumes or []}
    template["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": gpus}}
    return one


def cluster(provider: str = "gke", nodes: int = 0, most: int = 8, **more: Any) -> Profile:
    pool = {"name": "h100", "gpu_model": "H100-80GB", "gpus_per_node": 8}
    return profile(
        {"provider": provider, "pools": [{**pool, "nodes": nodes, "max_nodes": most}], **more}
    )


@pytest.mark.parametrize(("gpus", "moved"), [(1, True), (3, True), (4, False), (8, False)])
def test_half_of_a_nodes_gpus_keep_it(gpus: int, moved: bool) -> None:
    assert bool(said(job(gpus), cluster())) is moved


def test_only_where_nodes_are_taken_away() -> None:
    assert said(job(), cluster())
    assert not said(job(), cluster(nodes=8))
    assert not said(job(), None)
    assert not said(job(), cluster("aks", installed={"karpenter": "1.14"}))


@pytest.mark.parametrize(
    ("provider", "volumes", "moved"),
    [
        ("aks", SCRATCH, False),
        ("aks", MEMORY, True),
        ("aks", [], True),
        ("gke", SCRATCH, True),
    ],
)
def test_local_volumes_keep_a_node_but_on_gke(
    provider: str, volumes: list[Any], moved: bool
) -> None:
    assert bool(said(job(volumes=volumes), cluster(provider))) is moved


def test_of_ranks_it_says_how_many_go() -> None:
    one = base("pytorchjob")
    for part in one["spec"]["pytorchReplicaSpecs"].values():
        part["template"].setdefault("metadata", {})["annotations"] = {}
        part["template"]["spec"] |= {"affinity": None}
        part["template"]["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": 1}}
    assert any("the run of" in each for each in said(one, cluster()))
