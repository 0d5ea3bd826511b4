"""The life of workers that a PyTorchJob carries: they meet, start anew, give way, end."""

from __future__ import annotations

from copy import deepcopy
from itertools import cycle
from typing import Any

import pytest

from tests.control_plane import kubelet
from tests.control_plane.client import Object, Ref, Refused
from tests.control_plane.conftest import Worlds
from tests.control_plane.meeting import answering, differences, env
from tests.control_plane.specs import H100, pool, training
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
LABEL = "training.kubeflow.org/"
KUBEFLOW = {"installed": {"kueue": "0.19", "training-operator": "1.9"}}
# What a pod of a PyTorchJob has otherwise than that of a Job, beside the labels under Kubeflow's own
# name: the Job that it is of, what its container and port are called, where rank 0 is, and who starts
# it again. The last three variables are the operator's.
OTHERWISE = {
    "metadata.annotations.batch.kubernetes.io/job-completion-index",
    "metadata.finalizers",
    "metadata.labels.batch.kubernetes.io/controller-uid",
    "metadata.labels.batch.kubernetes.io/job-completion-index",
    "metadata.labels.batch.kubernetes.io/job-name",
    "metadata.labels.controller-uid",
    "metadata.labels.job-name",
    "spec.containers.main",
    "spec.containers.pytorch",
    "spec.hostname",
    "spec.restartPolicy",
    "spec.subdomain",
}
IN_CONTAINER = {
    "command",
    "env.JOB_COMPLETION_INDEX",
    "env.MASTER_ADDR.value",
    "env.NODE_RANK.valueFrom.fieldRef.fieldPath",
    "env.PET_NNODES",
    "env.PET_NPROC_PER_NODE",
    "env.PYTHONUNBUFFERED",
    "name",
    "ports",
}


@pytest.fixture
def here(training_world: Worlds) -> World:
    """Three nodes, no queue, and a profile that has gangs carried by PyTorchJobs."""
    return training_world(pool("h100", H100, nodes=3), targets={"gang": "pytorchjob"}, **KUBEFLOW)


def gang(**more: Any) -> Object:
    return training("gang", workers=2, command=["python", "-m", "train"], **more)


def test_a_pytorchjob_is_stored_as_it_is_rendered(here: World) -> None:
    """But for what Kueue decides, which the schema fills in."""
    (made,) = here.render(gang(duration={"max": "8h"}, ttlAfterFinished="1h"))
    answer = here.client.create(made)
    assert answer.warnings == ()
    stored = deepcopy(answer.object["spec"])
    assert stored["runPolicy"].pop("suspend") is False
    assert stored == made["spec"]
    assert answer.object["metadata"]["labels"] == made["metadata"]["labels"]


def test_the_workers_of_a_pytorchjob_find_its_first(here: World) -> None:
    """By a Service of each pod's own name; the rank is the replica's index."""
    job = here.submit(gang())
    here.started(job, 2)
    first, second = here.pods(job)
    (host,) = {env(pod)["MASTER_ADDR"]["value"] for pod in (first, second)}
    assert all(f"--master-addr={host}" in command(pod) for pod in (first, second))
    here.wait(lambda: answering(here, host), f"{host} is known")
    assert answering(here, host) == [first["metadata"]["name"]] == [host]
    service = here.get(Ref("v1", "Service", host, here.namespace))
    assert service["spec"]["clusterIP"] == "None"
    assert all("--node-rank=$(NODE_RANK)" in command(pod) for pod in (first, second))
    field = f"metadata.labels['{LABEL}replica-index']"
    assert env(first)["NODE_RANK"]["valueFrom"]["fieldRef"]["fieldPath"] == field
    assert [pod["metadata"]["labels"][f"{LABEL}replica-index"] for pod in (first, second)] == [
        "0",
        "1",
    ]


def test_the_operator_says_nothing_else_of_processes_and_nodes(here: World) -> None:
    """Its variables stand behind ours, and hold."""
    job = here.submit(gang())
    here.started(job, 2)
    for pod in here.pods(job):
        assert env(pod)["PET_NNODES"]["value"] == "2"
        assert env(pod)["PET_NPROC_PER_NODE"]["value"] == "8"
        assert "RANK" not in env(pod)
        assert "WORLD_SIZE" not in env(pod)
        words = command(pod)
        assert "--nnodes=2" in words
        assert "--nproc-per-node=8" in words


def test_a_pod_of_a_pytorchjob_is_that_of_a_job_but_for_how_workers_meet(here: World) -> None:
    """C-58: Of the same spec, each made by its own controller."""
    made = [here.submit(gang(target=target)) for target in ("pytorchjob", "job")]
    here.until(lambda: [len(here.pods(each)) for each in made] == [2, 2], "all pods are made")
    for mine, theirs in zip(*map(here.pods, made), strict=True):
        found = differences(mine, theirs)
        its_own = {each for each in found if each.split(".", 2)[-1].startswith(LABEL)}
        assert its_own
        assert found - its_own == OTHERWISE
        inner = differences(
            *({"metadata": {}, "spec": pod["spec"]["containers"][0]} for pod in (mine, theirs))
        )
        assert {each.removeprefix("spec.") for each in inner} == IN_CONTAINER


def test_what_the_operator_adds_beside_a_master_is_refused_where_pods_are_restricted(
    here: World,
) -> None:
    """Why there is none: its container, as its `initcontainer.go` has it, says nothing of security."""
    (made,) = here.render(gang())
    template = made["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", **deepcopy(template)}
    pod["metadata"] |= {"name": "alone", "namespace": here.namespace}
    here.client.create(pod)
    pod["metadata"]["name"] = "beside-a-master"
    pod["spec"]["initContainers"] = [
        {"name": "init-pytorch", "image": "alpine:3.10", "command": ["sh", "-c", "nslookup"]}
    ]
    with pytest.raises(Refused, match='container "init-pytorch" must set'):
        here.client.create(pod)


def test_a_container_that_fails_starts_again_in_its_pod_until_the_limit(here: World) -> None:
    """`retries.limit: 1` of two workers: both restart once, and the next restart ends the run."""
    job = here.submit(gang(retries={"limit": 1}))
    here.started(job, 2)
    first, second = here.pods(job)
    assert first["spec"]["restartPolicy"] == "OnFailure"
    for pod in (first, second):
        kubelet.restart(here.client, pod)
    other = here.submit(training("other"))
    here.started(other)
    assert not here.condition(job, "Failed")
    kubelet.restart(here.client, first, 2)
    here.until(lambda: here.condition(job, "Failed"), "the run has failed")
    here.until(lambda: not here.pods(job), "its pods are gone")


def test_a_disruption_spends_no_retry_of_a_pytorchjob(here: World) -> None:
    """Without any retry left: the pod that is gone is made anew, under its name and rank."""
    job = here.submit(gang(retries={"limit": 0}))
    for _ in range(2):
        here.started(job, 2)
        old = here.pods(job)[-1]
        kubelet.fail(here.client, old, 143, disrupted=True)

        def anew(before: Object = old) -> bool:
            new = here.pods(job, "Running")[-1:]
            return [each["metadata"]["name"] for each in new] == [before["metadata"]["name"]] and (
                new[0]["metadata"]["uid"] != before["metadata"]["uid"]
            )

        here.until(anew, "the worker is new")
    assert not here.condition(job, "Failed")
    here.finish(job)


def test_a_run_is_done_when_all_workers_are_and_their_logs_stay(here: World) -> None:
    job = here.submit(gang())
    here.started(job, 2)
    first, _ = here.pods(job)
    kubelet.succeed(here.client, first)
    other = here.submit(training("other"))
    here.started(other)
    assert not here.condition(job, "Succeeded")
    here.finish(job)
    assert len(here.pods(job, "Succeeded")) == 2


def test_a_pytorchjob_is_ended_by_its_deadline_when_something_happens_to_a_pod(
    here: World,
) -> None:
    """`duration.max`, with retries left. A pod that hangs tells the operator nothing."""
    job = here.submit(gang(duration={"max": "5s"}))
    here.started(job, 2)
    last, states = here.pods(job)[-1], cycle((False, True))

    def ended() -> Object | None:
        failed = here.condition(job, "Failed")
        if failed is None:
            kubelet.run(here.client, last, ready=next(states))
        return failed

    failed = here.wait(ended, "it has failed")
    assert "active longer than specified deadline" in failed["message"]
    here.until(lambda: not here.pods(job), "its pods are gone")


def command(pod: Object) -> list[str]:
    return list(pod["spec"]["containers"][0]["command"])


def test_a_role_of_no_replicas_is_refused(here: World) -> None:
    """As the linter says of it (GPU017)."""
    (made,) = here.render(gang())
    made["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] = 0
    with pytest.raises(Refused, match=r"spec.pytorchReplicaSpecs\[Worker\].replicas: .*at least 1"):
        here.client.create(made)
