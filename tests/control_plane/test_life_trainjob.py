"""The life of workers that a TrainJob carries: what Trainer makes of it and its runtime, and how that ends."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tests.control_plane import kubelet
from tests.control_plane.client import Object, Ref, Refused
from tests.control_plane.conftest import Worlds
from tests.control_plane.meeting import differences, resolve, variables
from tests.control_plane.nodes import node
from tests.control_plane.specs import H100, pool, queue, training
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
ROLE = "jobset.sigs.k8s.io/replicatedjob-name"
TRAINER = {"installed": {"kueue": "0.19", "jobset": "0.12", "kubeflow-trainer": "2.3"}}
# What a pod of a TrainJob has otherwise than that of a JobSet: the names of its Job and container.
OTHERWISE = {
    "metadata.annotations.jobset.sigs.k8s.io/job-key",
    "metadata.annotations.jobset.sigs.k8s.io/jobset-uid",
    "metadata.annotations.jobset.sigs.k8s.io/replicatedjob-name",
    "metadata.labels.batch.kubernetes.io/controller-uid",
    "metadata.labels.batch.kubernetes.io/job-name",
    "metadata.labels.controller-uid",
    "metadata.labels.job-name",
    "metadata.labels.jobset.sigs.k8s.io/job-key",
    "metadata.labels.jobset.sigs.k8s.io/jobset-uid",
    "metadata.labels.jobset.sigs.k8s.io/replicatedjob-name",
    "spec.containers.main",
    "spec.containers.node",
    "spec.hostname",
}
# Rank 0 is in another Job, and Trainer says in its own words what the launcher is told too.
IN_CONTAINER = {
    "command",
    "env.MASTER_ADDR.value",
    "env.PET_MASTER_ADDR",
    "env.PET_MASTER_PORT",
    "env.PET_NNODES",
    "env.PET_NODE_RANK",
    "env.PET_NPROC_PER_NODE",
    "name",
    "ports",
}


@pytest.fixture
def here(training_world: Worlds) -> World:
    """Three nodes, no queue, and a profile that has gangs carried by TrainJobs."""
    return training_world(pool("h100", H100, nodes=3), targets={"gang": "trainjob"}, **TRAINER)


def gang(**more: Any) -> Object:
    return training("gang", workers=2, command=["python", "-m", "train"], **more)


def test_a_trainjob_and_its_runtime_are_stored_as_they_are_rendered(here: World) -> None:
    """But for who sees to the TrainJob, and for the place where Kueue writes what it decides."""
    spec = gang(retries={"limit": 1, "failOnExitCodes": [3]}, duration={"max": "8h"})
    made = here.render(spec)
    assert [each["kind"] for each in made] == ["TrainingRuntime", "TrainJob"]
    for each in made:
        answer = here.client.create(each)
        assert answer.warnings == ()
        stored = deepcopy(answer.object["spec"])
        if each["kind"] == "TrainJob":
            assert stored.pop("managedBy") == "trainer.kubeflow.org/trainjob-controller"
            assert stored.pop("suspend") is False
            (patch,) = stored.pop("runtimePatches")
            assert patch["manager"] == "kueue.x-k8s.io/manager"
            assert patch["trainingRuntimeSpec"] == {"template": {"spec": {}}}
        assert stored == each["spec"]
        assert answer.object["metadata"]["labels"] == each["metadata"]["labels"]


def test_the_workers_of_a_trainjob_find_its_first(here: World) -> None:
    """By the name that each is told, in our words and in Trainer's."""
    job = here.submit(gang())
    here.started(job, 2)
    first, second = here.pods(job)
    told = [variables(pod) for pod in (first, second)]
    (host,) = {each["MASTER_ADDR"] for each in told}
    here.wait(lambda: resolve(here, host), f"{host} is known")
    assert resolve(here, host) == [first["metadata"]["name"]]
    for each, pod in zip(told, (first, second), strict=True):
        assert each["PET_MASTER_ADDR"] == host
        assert (each["PET_NNODES"], each["PET_NPROC_PER_NODE"]) == ("2", "8")
        words = pod["spec"]["containers"][0]["command"]
        assert {"--nnodes=2", "--nproc-per-node=8", f"--master-addr={host}"} <= {*words}


def test_a_pod_of_a_trainjob_is_that_of_a_jobset_but_for_what_trainer_tells_it(
    here: World,
) -> None:
    """C-58: Of the same spec: its devices, tolerations and volumes too."""
    made = [here.submit(gang(target=target)) for target in ("trainjob", "jobset")]
    here.until(lambda: [len(here.pods(each)) for each in made] == [2, 2], "all pods are made")
    for mine, theirs in zip(*map(here.pods, made), strict=True):
        assert differences(mine, theirs) <= OTHERWISE | {
            "spec.subdomain",
            "metadata.annotations.jobset.sigs.k8s.io/jobset-name",
            "metadata.labels.jobset.sigs.k8s.io/jobset-name",
        }
        inner = differences(
            *({"metadata": {}, "spec": pod["spec"]["containers"][0]} for pod in (mine, theirs))
        )
        assert {each.removeprefix("spec.") for each in inner} == IN_CONTAINER


def test_the_workers_of_a_trainjob_fail_and_start_together(here: World) -> None:
    """`retries.limit: 1`: one worker fails and both start anew, once; then the run has failed."""
    job = here.submit(gang(retries={"limit": 1}))
    here.started(job, 2)
    started_anew(here, job, 1)
    fail_one(here, job, 1)
    here.until(lambda: here.condition(job, "Failed"), "it has failed")
    here.until(lambda: not here.pods(job, "Running"), "the other worker is ended")


def test_a_command_that_cannot_run_fails_the_trainjob_at_once(here: World) -> None:
    """Exit code 127 of the container that Trainer has named, with three retries left."""
    job = here.submit(gang())
    here.started(job, 2)
    fail_one(here, job, 127)
    here.until(lambda: here.condition(job, "Failed"), "it has failed")
    jobset = here.get(Ref("jobset.x-k8s.io/v1alpha2", "JobSet", job.name, here.namespace))
    assert not jobset["status"].get("restarts")


def test_a_disruption_restarts_a_trainjob_and_spends_no_retry(here: World) -> None:
    """Without any retry left; it comes back, and ends well."""
    job = here.submit(gang(retries={"limit": 0}))
    here.started(job, 2)
    started_anew(here, job, 143, disrupted=True)
    assert not here.condition(job, "Failed")
    here.finish(job)


def test_a_hung_trainjob_is_ended_by_its_deadline_with_its_pods(here: World) -> None:
    """`duration.max`, with retries left: Trainer takes the JobSet away."""
    job = here.submit(gang(duration={"max": "3s"}))
    here.started(job, 2)
    failed = here.until(lambda: here.condition(job, "Failed"), "it has failed")
    assert failed["reason"] == "DeadlineExceeded"
    here.until(lambda: not here.pods(job), "its pods are gone")


def test_other_pods_of_a_run_are_refused(here: World) -> None:
    """They would lie in a runtime of another name, which a TrainJob cannot change to."""
    here.submit(gang(run="1"))
    runtime, job = here.render(gang(run="1", env={"SEED": "2"}))
    here.create([runtime])
    with pytest.raises(Refused, match=r"spec\.runtimeRef: Invalid value: field is immutable"):
        here.client.apply(job, force=True)


def test_a_trainjob_waits_in_its_queue_starts_whole_and_gives_way_whole(
    training_world: Worlds,
) -> None:
    """Not one pod of it exists while one of its two nodes is free; no retry is left, and none is spent."""
    here = training_world(
        pool("h100", H100, nodes=2),
        queues=[queue("research", {"h100": 16})],
        targets={"gang": "trainjob"},
        priorities={"queued": {"urgent": 20000, "preemptible": 1000}},
        **TRAINER,
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


def test_a_trainjob_lies_in_the_rack_that_it_requires(training_world: Worlds) -> None:
    """Two racks of two nodes: each of two TrainJobs has a rack of its own."""
    rack, host = "example.com/rack", "kubernetes.io/hostname"
    here = training_world(
        pool("h100", H100, nodes=4),
        queues=[queue("research", {"h100": 32})],
        targets={"gang": "trainjob"},
        topology={"levels": [{"name": "rack", "label": rack}, {"name": "host", "label": host}]},
        **TRAINER,
    )
    near = {"level": "rack", "required": True}
    found = []
    for name in ("one", "two"):
        job = here.submit(training(name, workers=2, topology=near, queue="research"))
        nodes = [here.get(Ref("v1", "Node", each)) for each in here.started(job, 2)]
        found.append({each["metadata"]["labels"][rack] for each in nodes})
    assert [len(each) for each in found] == [1, 1]
    assert found[0].isdisjoint(found[1])


def started_anew(here: World, job: Ref, code: int, *, disrupted: bool = False) -> None:
    """One worker ends, and both are made anew."""
    old = uids(here, job)
    fail_one(here, job, code, disrupted=disrupted)
    here.until(lambda: uids(here, job).isdisjoint(old), "all old pods are gone")
    here.started(job, 2)


def fail_one(here: World, job: Ref, code: int, *, disrupted: bool = False) -> None:
    """The last worker ends with a code."""
    kubelet.fail(here.client, here.pods(job, "Running")[-1], code, disrupted=disrupted)


def uids(here: World, job: Ref) -> set[str]:
    """The identities of its pods."""
    return {pod["metadata"]["uid"] for pod in here.pods(job)}


def test_roles_stand_beside_the_workers_of_a_trainjob(training_world: Worlds) -> None:
    """A driver is ready before any worker is made, all find it, and what it ends is the run."""
    here = training_world(pool("h100", H100, nodes=2), targets={"gang": "trainjob"}, **TRAINER)
    here.create([node("cpu-0", {"cpu": "32", "memory": "128Gi"}, {"kubernetes.io/arch": "amd64"})])
    driver = {
        "name": "driver",
        "command": ["driver"],
        "resources": {"cpu": 1, "memory": "1Gi"},
        "port": 5000,
        "starts": "before",
        "ends": "the-run",
    }
    job = here.submit(gang(roles=[driver]))
    (first,) = here.wait(lambda: _placed(here, job), "the driver has a node")
    assert first["metadata"]["labels"][ROLE] == "driver"
    kubelet.run(here.client, first)
    here.started(job, 3)
    for pod in here.pods(job):
        told = variables(pod)
        assert resolve(here, told["DRIVER_HOST"]) == [first["metadata"]["name"]]
        assert told["WORKER_HOST"].startswith(f"{job.name}-node-0-0.")
    kubelet.succeed(here.client, here.get(Ref.of(first)))
    here.until(lambda: here.condition(job, "Complete"), "the run is complete")
    here.until(lambda: not here.pods(job, "Running"), "the workers are ended")


def _placed(here: World, job: Ref) -> list[Object]:
    """Its pods, once one has a node."""
    found = here.pods(job)
    return found if any(pod["spec"].get("nodeName") for pod in found) else []
