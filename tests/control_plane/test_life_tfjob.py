"""The life of workers that a TFJob carries: they are told of each other, give way, end, and wait in a queue."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import partial
from typing import Any

import pytest

from tests.control_plane import kubelet
from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.meeting import answering, differences, env
from tests.control_plane.specs import H100, pool, queue, training
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
LABEL = "training.kubeflow.org/"
KUBEFLOW = {"installed": {"kueue": "0.19", "training-operator": "1.9"}}
# What a pod of a TFJob has otherwise than that of a Job, beside the labels under Kubeflow's own name:
# the Job that it is of, what its container is called, and who starts it again.
OTHERWISE = {
    "metadata.annotations.batch.kubernetes.io/job-completion-index",
    "metadata.finalizers",
    "metadata.labels.batch.kubernetes.io/controller-uid",
    "metadata.labels.batch.kubernetes.io/job-completion-index",
    "metadata.labels.batch.kubernetes.io/job-name",
    "metadata.labels.controller-uid",
    "metadata.labels.job-name",
    "spec.containers.main",
    "spec.containers.tensorflow",
    "spec.hostname",
    "spec.restartPolicy",
    "spec.subdomain",
}
# Torch's launcher and what it is told, which a program of TensorFlow has no use for.
IN_CONTAINER = {
    "command",
    "env.JOB_COMPLETION_INDEX",
    "env.MASTER_ADDR",
    "env.MASTER_PORT",
    "env.NNODES",
    "env.NODE_RANK",
    "env.TF_CONFIG",
    "name",
    "ports",
}


@pytest.fixture
def here(training_world: Worlds) -> World:
    """Three nodes, no queue, and a profile that has gangs carried by TFJobs."""
    return training_world(pool("h100", H100, nodes=3), targets={"gang": "tfjob"}, **KUBEFLOW)


def gang(**more: Any) -> Object:
    return training("gang", workers=2, command=["python", "-m", "train"], **more)


def test_a_tfjob_is_stored_as_it_is_rendered(here: World) -> None:
    """But for what Kueue decides, which the schema fills in."""
    (made,) = here.render(gang(duration={"max": "8h"}, ttlAfterFinished="1h"))
    answer = here.client.create(made)
    assert answer.warnings == ()
    stored = deepcopy(answer.object["spec"])
    assert stored["runPolicy"].pop("suspend") is False
    assert stored == made["spec"]
    assert answer.object["metadata"]["labels"] == made["metadata"]["labels"]


def test_the_operator_tells_each_worker_of_all(here: World) -> None:
    """By host names that are known, under ports on which they listen."""
    job = here.submit(gang())
    here.started(job, 2)
    pods = here.pods(job)
    told = [json.loads(env(pod)["TF_CONFIG"]["value"]) for pod in pods]
    hosts = [f"{pod['metadata']['name']}.{here.namespace}.svc" for pod in pods]
    assert [each["cluster"] for each in told] == [
        {"worker": [f"{host}:2222" for host in hosts]}
    ] * 2
    assert [each["task"] for each in told] == [
        {"type": "worker", "index": 0},
        {"type": "worker", "index": 1},
    ]
    for pod in pods:
        name = pod["metadata"]["name"]
        here.wait(partial(answering, here, name), f"{name} is known")
        assert answering(here, name) == [name]
        service = here.get(Ref("v1", "Service", name, here.namespace))
        assert [port["port"] for port in service["spec"]["ports"]] == [2222]


def test_a_worker_that_is_alone_is_told_nothing(here: World) -> None:
    job = here.submit(training("alone"))
    here.started(job)
    (pod,) = here.pods(job)
    assert "TF_CONFIG" not in env(pod)


def test_a_pod_of_a_tfjob_is_that_of_a_job_but_for_how_workers_meet(here: World) -> None:
    """Of the same spec, each made by its own controller."""
    made = [here.submit(gang(target=target)) for target in ("tfjob", "job")]
    here.until(lambda: [len(here.pods(each)) for each in made] == [2, 2], "all pods are made")
    for mine, theirs in zip(*map(here.pods, made), strict=True):
        found = differences(mine, theirs)
        its_own = {each for each in found if each.split(".", 2)[-1].startswith(LABEL)}
        assert found - its_own == OTHERWISE
        inner = differences(
            *({"metadata": {}, "spec": pod["spec"]["containers"][0]} for pod in (mine, theirs))
        )
        assert {each.removeprefix("spec.") for each in inner} == IN_CONTAINER


def test_a_container_that_fails_starts_again_in_its_pod_until_the_limit(here: World) -> None:
    """`retries.limit: 1` of two workers: both restart once, and the next restart ends the run."""
    job = here.submit(gang(retries={"limit": 1}))
    here.started(job, 2)
    first, second = here.pods(job)
    for pod in (first, second):
        kubelet.restart(here.client, pod)
    other = here.submit(training("other"))
    here.started(other)
    assert not here.condition(job, "Failed")
    kubelet.restart(here.client, first, 2)
    here.until(lambda: here.condition(job, "Failed"), "the run has failed")
    here.until(lambda: not here.pods(job), "its pods are gone")


def test_a_disruption_spends_no_retry_of_a_tfjob(here: World) -> None:
    """Without any retry left: the pod that is gone is made anew, under its name and rank."""
    job = here.submit(gang(retries={"limit": 0}))
    here.started(job, 2)
    old = here.pods(job)[-1]
    kubelet.fail(here.client, old, 143, disrupted=True)

    def anew() -> bool:
        new = here.pods(job, "Running")[-1:]
        return [each["metadata"]["name"] for each in new] == [old["metadata"]["name"]] and (
            new[0]["metadata"]["uid"] != old["metadata"]["uid"]
        )

    here.until(anew, "the worker is new")
    assert not here.condition(job, "Failed")
    here.finish(job)


def test_a_run_is_done_when_all_workers_are_and_not_when_the_first_is(here: World) -> None:
    job = here.submit(gang())
    here.started(job, 2)
    first, _ = here.pods(job)
    kubelet.succeed(here.client, first)
    other = here.submit(training("other"))
    here.started(other)
    assert not here.condition(job, "Succeeded")
    here.finish(job)
    assert len(here.pods(job, "Succeeded")) == 2


def test_a_tfjob_waits_in_its_queue_starts_whole_and_gives_way_whole(
    training_world: Worlds,
) -> None:
    """Not one pod of it exists while one of its two nodes is free; no retry is left, and none is spent."""
    here = training_world(
        pool("h100", H100, nodes=2),
        queues=[queue("research", {"h100": 16})],
        targets={"gang": "tfjob"},
        priorities={"queued": {"urgent": 20000, "preemptible": 1000}},
        **KUBEFLOW,
    )
    first = here.submit(training("first", priority="preemptible", queue="research"))
    here.started(first)
    job = here.submit(gang(priority="preemptible", retries={"limit": 0}, queue="research"))
    assert "nvidia.com/gpu in flavor h100, 8 more needed" in here.held(job)
    here.finish(first)
    assert here.started(job, 2) == ["h100-0", "h100-1"]
    urgent = here.submit(training("urgent", priority="urgent", queue="research"))
    here.started(urgent)
    assert here.waits(job)
    here.finish(urgent)
    here.started(job, 2)
    assert not here.condition(job, "Failed")
    here.finish(job)
