"""The life of workers that a JobSet carries: they meet, restart together, fail, end."""

from __future__ import annotations

from typing import Any

import pytest

from tests.control_plane import kubelet
from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.meeting import differences, resolve, variables
from tests.control_plane.specs import H100, pool, training
from tests.control_plane.stories import World, main

pytestmark = pytest.mark.control_plane
JOBSET = "jobset.sigs.k8s.io/"
# What a pod of a JobSet has otherwise than that of a Job, beside the labels and annotations under
# JobSet's own name: the Job that it is of, and where rank 0 is.
OTHERWISE = {
    "metadata.labels.batch.kubernetes.io/controller-uid",
    "metadata.labels.batch.kubernetes.io/job-name",
    "metadata.labels.controller-uid",
    "metadata.labels.job-name",
    "spec.containers.main.command",
    "spec.containers.main.env.MASTER_ADDR.value",
    "spec.hostname",
    "spec.subdomain",
}


@pytest.fixture
def here(world: Worlds) -> World:
    """Three nodes, no queue, and a profile that has gangs carried by JobSets."""
    return world(pool("h100", H100, nodes=3), targets={"gang": "jobset"})


def gang(**more: Any) -> Object:
    return training("gang", workers=2, command=["python", "-m", "train"], **more)


def test_a_jobset_is_stored_as_it_is_rendered(here: World) -> None:
    """Webhooks and schema have nothing to fill in: what they would is written out."""
    (made,) = here.render(
        gang(retries={"limit": 1, "failOnExitCodes": [3]}, duration={"max": "8h"})
    )
    answer = here.client.create(made)
    assert answer.warnings == ()
    assert answer.object["spec"] == made["spec"]
    assert answer.object["metadata"]["labels"] == made["metadata"]["labels"]
    assert answer.object["metadata"]["annotations"] == made["metadata"]["annotations"]


def test_the_workers_of_a_jobset_find_its_first(here: World) -> None:
    """Before any is ready: the address that each is told leads to the pod of index 0."""
    jobset = here.submit(gang())

    def both() -> list[Object] | None:
        found = here.pods(jobset)
        return found if [bool(pod["spec"].get("nodeName")) for pod in found] == [True] * 2 else None

    # The kubelets stand still: nothing makes the pods ready.
    first, second = here.wait(both, "both workers have a node")
    for pod in (first, second):
        kubelet.run(here.client, pod, ready=False)
    (host,) = {variables(pod)["MASTER_ADDR"] for pod in (first, second)}
    said = f"--master-addr={host}"
    assert all(said in pod["spec"]["containers"][0]["command"] for pod in (first, second))
    here.wait(lambda: resolve(here, host), f"{host} is known")
    assert resolve(here, host) == [first["metadata"]["name"]]
    index = "batch.kubernetes.io/job-completion-index"
    assert [pod["metadata"]["labels"][index] for pod in (first, second)] == ["0", "1"]


def test_a_pod_of_a_jobset_is_that_of_a_job_but_for_how_workers_meet(here: World) -> None:
    """Of the same spec, each made by its own controller."""
    made = [here.submit(gang(target=target)) for target in ("jobset", "job")]
    here.until(lambda: [len(here.pods(each)) for each in made] == [2, 2], "all pods are made")
    for mine, theirs in zip(*map(here.pods, made), strict=True):
        found = differences(mine, theirs)
        its_own = {each for each in found if each.split(".", 2)[-1].startswith(JOBSET)}
        assert its_own
        assert found - its_own == OTHERWISE


def test_the_workers_of_a_jobset_fail_and_start_together(here: World) -> None:
    """`retries.limit: 1`: one worker fails and both start anew, once; then the JobSet has failed."""
    jobset = here.submit(gang(retries={"limit": 1}))
    here.started(jobset, 2)
    started_anew(here, jobset, 1)
    assert here.get(jobset)["status"]["restartsCountTowardsMax"] == 1
    fail_one(here, jobset, 1)
    assert reason(here, jobset) == "ReachedMaxRestarts"
    here.until(lambda: not here.pods(jobset, "Running"), "the other worker is ended")


def test_the_workers_of_a_jobset_wait_for_gpus_that_old_ones_hold(here: World) -> None:
    """While the worker that did not fail still saves its checkpoint, no new one is made."""
    jobset = here.submit(gang())
    here.started(jobset, 2)
    old = uids(here, jobset)
    fail_one(here, jobset, 1)

    def leaves() -> bool:
        # Not `here.until`: the kubelet would end it.
        running = here.pods(jobset, "Running")
        return len(running) == 1 and "deletionTimestamp" in running[0]["metadata"]

    here.wait(leaves, "the other worker is told to end")
    (other,) = here.render(training("other", target="jobset"))
    here.create([other])
    here.wait(lambda: here.pods(main([other])), "the controllers go on with others")
    assert uids(here, jobset) <= old
    here.started(jobset, 2)
    assert uids(here, jobset).isdisjoint(old)


def test_a_command_that_cannot_run_fails_the_jobset_at_once(here: World) -> None:
    """Exit code 127, with three retries left; and `failOnExitCodes: [3]`, but not 4."""
    jobset = here.submit(gang())
    here.started(jobset, 2)
    fail_one(here, jobset, 127)
    assert reason(here, jobset) == "FailJobSetFailurePolicyAction"
    assert not here.get(jobset)["status"].get("restarts")
    named = here.submit(training("named", workers=2, retries={"failOnExitCodes": [3]}))
    here.started(named, 2)
    started_anew(here, named, 4)
    fail_one(here, named, 3)
    assert reason(here, named) == "FailJobSetFailurePolicyAction"


def test_a_disruption_restarts_a_jobset_and_spends_no_retry(here: World) -> None:
    """Without any retry left; it comes back each time, and ends well."""
    jobset = here.submit(gang(retries={"limit": 0}))
    here.started(jobset, 2)
    for restarts in (1, 2):
        started_anew(here, jobset, 143, disrupted=True)
        assert here.get(jobset)["status"]["restarts"] == restarts
    assert not here.get(jobset)["status"].get("restartsCountTowardsMax")
    here.finish(jobset)


def test_a_hung_jobset_is_ended_by_its_deadline(here: World) -> None:
    """`duration.max`, with retries left: both pods are ended, and nothing starts anew."""
    jobset = here.submit(gang(duration={"max": "1s"}))
    assert reason(here, jobset) == "FailJobSetFailurePolicyAction"
    assert not here.get(jobset)["status"].get("restarts")
    here.until(lambda: not here.pods(jobset), "its pods are gone")


def fail_one(here: World, jobset: Ref, code: int, *, disrupted: bool = False) -> None:
    """The last worker ends with an exit code."""
    kubelet.fail(here.client, here.pods(jobset, "Running")[-1], code, disrupted=disrupted)


def started_anew(here: World, jobset: Ref, code: int, *, disrupted: bool = False) -> None:
    """One worker fails, and two new ones run in place of both."""
    old = uids(here, jobset)
    fail_one(here, jobset, code, disrupted=disrupted)

    def probe() -> bool:
        return len(here.places(jobset)) == 2 and uids(here, jobset).isdisjoint(old)

    here.until(probe, "both workers are new")


def uids(here: World, jobset: Ref) -> set[str]:
    return {pod["metadata"]["uid"] for pod in here.pods(jobset)}


def reason(here: World, jobset: Ref) -> str:
    """Why a JobSet has failed, once it has."""
    failed = here.until(lambda: here.condition(jobset, "Failed"), f"{jobset.name} has failed")
    return str(failed["reason"])
