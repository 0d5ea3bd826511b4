"""A sync of a GitOps host, to Jobs that run: applied once more, our manifests change nothing.

Client-side apply merges what was applied before, what is there and what is given; server-side apply
keeps a record of who owns which field. Argo CD does the one or the other, Flux the other.
"""

import pytest

from tests.conftest import Tool
from tests.control_plane.applying import Apply, NotApplied, applier
from tests.control_plane.client import Object, Ref
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import A100, batch, pool, queue, server, training
from tests.control_plane.stories import World, main
from tests.lint.pages import merge

pytestmark = pytest.mark.control_plane
KUEUE, HOST = "kueue.x-k8s.io/", "kubernetes.io/hostname"
SERVER_SIDE = ("--server-side", "--field-manager=gitops")
WAYS = pytest.mark.parametrize("how", [(), SERVER_SIDE], ids=["client-side", "server-side"])

# What is laid over the Job, and what the refusal names.
CHANGES = [
    ({"metadata": {"labels": {f"{KUEUE}queue-name": "other"}}}, "queue-name"),
    ({"metadata": {"labels": {f"{KUEUE}max-exec-time-seconds": "60"}}}, "max-exec-time-seconds"),
    ({"metadata": {"labels": {f"{KUEUE}priority-class": None}}}, "priority-class"),
    ({"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 5}}}}, "field is immutable"),
]


@pytest.fixture
def apply(plane: ControlPlane, tool: Tool) -> Apply:
    return applier(tool("kubectl"), plane.kubeconfig)


@pytest.fixture
def here(world: Worlds) -> World:
    """Two nodes under a topology, so that the queue has labels, a place and a taint to see to."""
    return world(
        pool("a100", A100, nodes=2),
        queues=[queue("research", {"a100": 16})],
        topology={"levels": [{"name": "host", "label": HOST}]},
        priorities={"queued": {"urgent": 20000, "preemptible": 1000}},
    )


def gang(**more: object) -> Object:
    near = {"level": "host", "required": False}
    said: Object = {
        "queue": "research",
        "priority": "preemptible",
        "duration": {"max": "8h"},
        "run": "one",
    }
    return training("gang", A100, workers=2, topology=near, **(said | more))


@WAYS
def test_a_running_gang_is_not_touched(here: World, apply: Apply, how: tuple[str, ...]) -> None:
    """C-37: not one byte of the Job changes, and its pods are those that were there."""
    made = here.render(gang())
    apply(made, *how)
    job = main(made)
    here.started(job, 2)
    before, pods = settled(here, job), uids(here, job)
    assert before["spec"]["suspend"] is False
    assert before["spec"]["template"]["spec"]["nodeSelector"] == {"example.com/pool": "a100"}
    said = apply(made, *how)
    assert (" unchanged" in said) is (how == ())
    assert here.get(job) == before
    assert uids(here, job) == pods


def test_a_waiting_job_is_not_started(here: World, apply: Apply) -> None:
    """C-37: it stays the queue's to start; when there is room it does."""
    before = training("before", A100, queue="research", workers=2, priority="urgent")
    running = here.submit(before)
    here.started(running, 2)
    made = here.render(gang())
    apply(made, *SERVER_SIDE)
    job = main(made)
    here.held(job)
    before = settled(here, job)
    apply(made, *SERVER_SIDE)
    assert here.get(job)["spec"] == before["spec"]
    assert here.waits(job)
    here.finish(running)
    here.started(job, 2)


def test_a_finished_job_does_not_run_again(here: World, apply: Apply) -> None:
    """No TTL took it away, so a sync finds it done; a new run has a new name."""
    made = here.render(gang())
    apply(made)
    job = main(made)
    here.started(job, 2)
    here.finish(job)
    before = here.get(job)
    apply(made)
    assert here.get(job)["metadata"]["generation"] == before["metadata"]["generation"]
    again = here.render(gang(run="two"))
    apply(again)
    here.started(main(again), 2)
    assert not here.pods(job, "Running")


def test_suspend_written_ends_a_run_at_each_sync(here: World, apply: Apply) -> None:
    """GPU718: what we never write, put in by hand. The sync takes the pods of an admitted Job."""
    made = here.render(gang())
    job = main(made)
    for each in made:
        if each["kind"] == "Job":
            each["spec"]["suspend"] = True
    apply(made)
    here.started(job, 2)
    pods = uids(here, job)
    apply(made)
    here.until(lambda: uids(here, job).isdisjoint(pods), "its pods are gone")


@WAYS
def test_a_smaller_start_is_the_hosts_to_ignore(
    here: World, apply: Apply, how: tuple[str, ...]
) -> None:
    """`minParallelism`: a sync of `parallelism` is refused, and one that leaves it out is not."""
    other = here.submit(batch("other", A100, 4, queue="research", shards={"count": 2}))
    here.started(other, 2)
    shards = {"count": 4, "parallelism": 4, "minParallelism": 1}
    made = here.render(batch("scores", A100, 4, queue="research", shards=shards))
    apply(made, *how)
    job = main(made)
    here.started(job, 2)
    before, pods = settled(here, job), uids(here, job)
    force = ("--force-conflicts",) if how else ()
    with pytest.raises(NotApplied, match="parallelism"):
        apply(made, *how, *force)
    (ignoring,) = made
    ignoring["spec"]["parallelism"] = before["spec"]["parallelism"]
    apply(made, *how, *force)
    assert here.get(job)["spec"] == before["spec"]
    assert uids(here, job) == pods


def test_what_may_not_change_while_it_runs_is_refused(here: World, apply: Apply) -> None:
    """What `docs/queues.md` says of queue, longest run, priority and template; the run goes on."""
    made = here.render(gang())
    apply(made)
    job = main(made)
    here.started(job, 2)
    before = here.get(job)["spec"]
    for change, said in CHANGES:
        changed = [merge(each, change) if each["kind"] == "Job" else each for each in made]
        with pytest.raises(NotApplied, match=said):
            apply(changed)
    assert here.get(job)["spec"] == before
    assert len(here.places(job)) == 2


def test_one_priority_can_become_another_while_it_runs(here: World, apply: Apply) -> None:
    """C-37: and the queue counts with the new one."""
    made = here.render(gang())
    apply(made)
    job = main(made)
    here.started(job, 2)
    pods = uids(here, job)
    apply(here.render(gang(priority="urgent")))
    here.until(lambda: here.workload(job)["spec"]["priority"] == 20000, "the queue has seen it")
    assert uids(here, job) == pods


@WAYS
def test_a_server_is_not_rolled_out_again(here: World, apply: Apply, how: tuple[str, ...]) -> None:
    """Its pods are those that were there, and its Deployment has the generation that it had."""
    made = here.render(server("chat", A100, 8, replicas=2))
    apply(made, *how)
    deployment = main(made)
    here.started(deployment, 2)
    before, pods = settled(here, deployment), uids(here, deployment)
    apply(made, *how)
    assert here.get(deployment)["metadata"]["generation"] == before["metadata"]["generation"]
    assert here.get(deployment)["spec"] == before["spec"]
    assert uids(here, deployment) == pods


def uids(here: World, ref: Ref) -> set[str]:
    return {pod["metadata"]["uid"] for pod in here.pods(ref)}


def settled(here: World, ref: Ref) -> Object:
    """The object, once its controllers have said of all its pods what becomes of them."""

    def probe() -> Object | None:
        found = here.get(ref)
        status = found["status"]
        ready = status.get("readyReplicas" if ref.kind == "Deployment" else "ready", 0)
        told = ready == len(here.places(ref)) and not any(status.get("uncountedTerminatedPods", ()))
        return found if told and here.get(ref) == found else None

    return here.until(probe, f"{ref.name} is settled")
