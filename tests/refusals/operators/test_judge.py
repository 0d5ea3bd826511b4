"""The judge does what a create goes through: definitions, webhooks, and what controllers check."""

import subprocess
from pathlib import Path as File
from shutil import copytree, ignore_patterns
from typing import Any

import pytest

from gpuspec.manifests import Path, format_path, parse_path
from gpuspec.validation.operators.kueue_pods import KINDS
from tests.refusals.contest.trees import drop, put
from tests.refusals.operators.bases import Queued, bases
from tests.refusals.operators.conftest import Judge
from tests.refusals.operators.judge import DIGEST, GROUPS, OPERATORS, QUEUED, SERVED

BASES = {base.name.partition(" ")[2]: base.value for base in bases()}
WORKER = "spec.replicatedJobs[1]"
BAD: dict[str, tuple[str, str, Any, str, str]] = {
    "a field that no definition has": ("JobSet/train", "spec.replicas", 2, "schema", "spec.replicas"),
    "a value that it bars": ("MPIJob/train", "spec.slotsPerWorker", "many", "schema", "spec.slotsPerWorker"),
    "a rule of it": ("RayService/chat", "metadata.name", "A", "schema", "metadata.name"),
    "a webhook's field": ("JobSet/train", "spec.network.subdomain", "a.b", "webhook", "spec.network.subdomain"),
    "a webhook without a field": ("JobSet/train", "spec.coordinator.jobIndex", 2, "webhook", ""),
    "what is filled in": ("JobSet/train", f"{WORKER}.replicas", None, "webhook", ""),
    "a webhook's one text": ("LeaderWorkerSet/chat", "spec.leaderWorkerTemplate.size", 0, "webhook", "spec.leaderWorkerTemplate.size"),
    "a queue": ("ClusterQueue/research", "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit", 65, "webhook", "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit"),
    "a runtime": ("TrainingRuntime/torch", "spec.template.spec.replicatedJobs[0].replicas", 2, "webhook", "spec.template.spec.replicatedJobs[0].replicas"),
    "an older operator": ("PyTorchJob/train", "spec.pytorchReplicaSpecs.Master.replicas", None, "webhook", "spec.pytorchReplicaSpecs.Master.replicas"),
    "a label of a job in a queue": ("Job/elastic", 'metadata.labels["kueue.x-k8s.io/queue-name"]', "a_b", "webhook", 'metadata.labels["kueue.x-k8s.io/queue-name"]'),
    "a job of another operator in a queue": ("TFJob/unqueued", 'metadata.annotations["kueue.x-k8s.io/elastic-job"]', "true", "webhook", 'metadata.annotations["kueue.x-k8s.io/elastic-job"]'),
    "what a server refuses before Kueue": ("Deployment/queued", "spec.replicas", -1, "schema", "spec.replicas"),
    "a controller": ("MPIJob/train", "spec.mpiReplicaSpecs.Launcher.replicas", 2, "controller", "spec.mpiReplicaSpecs.Launcher.replicas"),
    "a controller without a field": ("RayCluster/still", "spec.workerGroupSpecs[0].minReplicas", 3, "controller", ""),
}  # fmt: skip


def test_every_operator_has_objects() -> None:
    assert set(GROUPS.values()) == OPERATORS.keys()
    assert {base.kind[0] for base in bases()} == GROUPS.keys() | SERVED.keys()


def test_kueue_has_objects_of_every_kind_that_it_queues() -> None:
    kinds = {base.kind for base in bases() if isinstance(base, Queued)}
    assert kinds == {(version, kind) for version, named in QUEUED.items() for kind in named}
    assert kinds == KINDS.keys()


@pytest.mark.binaries
def test_what_is_good_is_taken(judge: Judge) -> None:
    for base, verdict in zip(bases(), judge(base.value for base in bases()), strict=True):
        assert verdict.errors == (), base.name


@pytest.mark.binaries
@pytest.mark.parametrize("case", BAD)
def test_what_is_bad_is_refused(judge: Judge, case: str) -> None:
    name, at, new, by, field = BAD[case]
    path: Path = parse_path(at)
    value = BASES[name]
    (verdict,) = judge([drop(value, path) if new is None else put(value, path, new)])
    assert verdict.by == by, verdict
    assert format_path(verdict.errors[0].path) == field, verdict


CHANGES: list[tuple[str, bool]] = [
    ("jobset.go", True),
    ("main.go", True),
    ("modules/1.36/go.sum", True),
    ("lws.go", False),
    ("modules/keda/go.mod", False),
]


@pytest.mark.parametrize(("file", "counts"), CHANGES)
def test_a_judge_is_built_anew_for_what_it_is_built_from(
    tmp_path: File, file: str, counts: bool
) -> None:
    """A judge of one more operator costs no build of the others."""
    folder = tmp_path / "operators"
    copytree(DIGEST.parent, folder, ignore=ignore_patterns("__pycache__"))
    before = digest(folder, "jobset")
    with (folder / "operator-judge" / file).open("a", encoding="utf-8") as changed:
        changed.write("\n// one more line\n")
    with (folder / "operator-judge" / "operators").open("a", encoding="utf-8") as lines:
        lines.write("another 1.36 example.com/another crds\n")
    assert (digest(folder, "jobset") != before) == counts


def digest(folder: File, name: str) -> str:
    done = subprocess.run([folder / "digest", name], capture_output=True, text=True, check=True)
    return done.stdout.strip()
