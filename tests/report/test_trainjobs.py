"""TrainJobs and their runtimes: where a set holds both, the runtime's pods are the TrainJob's."""

from typing import Any

import pytest

import gpuspec
from gpuspec.demand.totals import PodRequest, table
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import decode, write
from tests.lint.sets import base

GPU = "nvidia.com/gpu"
_NODE = {"limits": {GPU: 8}, "requests": {"cpu": 64, "memory": "768Gi", GPU: 8}}


def runtime(**policy: Any) -> dict[str, Any]:
    made: dict[str, Any] = base("clustertrainingruntime", {"spec": {"mlPolicy": policy}})
    return made


def job(trainer: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    made: dict[str, Any] = base("trainjob")
    made["spec"] = {"runtimeRef": {"name": "torch-distributed"}, "trainer": trainer, **spec}
    return made


def asked(*objects: dict[str, Any]) -> list[PodRequest]:
    """What the TrainJobs of some objects ask for."""
    found = table(TextLoader([decode(write(list(objects)), "all.yaml")])).asks
    return [one for one in found if one.object.kind == "TrainJob"]


@pytest.mark.parametrize(
    ("trainer", "pods", "each"),
    [
        (None, 2, {GPU: 8, "cpu": 64}),
        ({"numNodes": 5}, 5, {GPU: 8, "cpu": 64}),
        ({"resourcesPerNode": {"limits": {GPU: 4}, "requests": {GPU: 4}}}, 2, {GPU: 4, "cpu": 64}),
    ],
)
def test_what_the_trainjob_leaves_open_its_runtime_says(
    trainer: dict[str, Any] | None, pods: int, each: dict[str, int]
) -> None:
    (found,) = asked(runtime(numNodes=2), job(trainer))
    assert found.pods is not None
    assert (found.pods.least, found.pods.most) == (pods, pods)
    assert {name: found.each[name] for name in each} == each


def test_without_its_runtime_nothing_is_made_up() -> None:
    (found,) = asked(job({"numNodes": 5}))
    assert GPU not in found.each


@pytest.mark.parametrize("policy", ["mpi", "flux"])
def test_where_trainer_makes_other_jobs_the_trainjob_counts_as_it_is_written(policy: str) -> None:
    other = runtime(**{policy: {"numProcPerNode": 8}}, torch=None)
    ((alone,), (beside,)) = asked(job({"numNodes": 5})), asked(other, job({"numNodes": 5}))
    assert (beside.role, beside.pods, beside.each) == (alone.role, alone.pods, alone.each)


def test_a_patch_that_changes_nothing_leaves_it_whole() -> None:
    """Kueue adds one to each TrainJob."""
    patch: dict[str, Any] = {"manager": "kueue.x-k8s.io/manager"}
    empty = patch | {"trainingRuntimeSpec": {"template": {"spec": {}}}}
    (found,) = asked(runtime(numNodes=2), job(runtimePatches=[empty]))
    assert found.each[GPU] == 8
    jobs = [{"name": "node", "template": {"spec": {"parallelism": 3}}}]
    other = patch | {"trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}
    assert asked(runtime(numNodes=2), job(runtimePatches=[other])) == []


def test_it_is_placed_where_its_runtime_lets_it(tmp_path: Any) -> None:
    """Alone nothing tells where it may run; with its runtime it is a gang on the nodes of that one's model."""
    path = tmp_path / "job.yaml"
    path.write_text(write([job({"numNodes": 2, "resourcesPerNode": _NODE})]))
    (profile,) = gpuspec.load_profiles("examples/clusters/operators.yaml")
    (alone,) = gpuspec.fit(str(path), profile=profile, seeds=1).workloads
    assert alone.verdict == "unknown"
    path.write_text(write([job({"numNodes": 2, "resourcesPerNode": _NODE}), runtime(numNodes=2)]))
    found = gpuspec.fit(str(path), profile=profile, seeds=1).workloads
    (one,) = (each for each in found if each.kind == "TrainJob")
    assert (one.pods, one.gpus, one.gang, one.placed) == (2, 8, True, 2)
    assert [each.group for each in one.rooms if each.free] == ["h100"]
