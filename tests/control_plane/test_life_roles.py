"""The life of roles beside workers, which a JobSet carries: what starts first, and what ends all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.control_plane import kubelet
from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.meeting import resolve, variables
from tests.control_plane.nodes import node
from tests.control_plane.specs import H100, pool, queue, training
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
ROLE = "jobset.sigs.k8s.io/replicatedjob-name"
CPU_NODE = node("cpu-0", {"cpu": "32", "memory": "128Gi"}, {"kubernetes.io/arch": "amd64"})


@pytest.fixture
def here(world: Worlds) -> World:
    """Two nodes with GPUs, one without, and no queue."""
    made = world(pool("h100", H100, nodes=2), targets={"gang": "jobset"})
    made.create([CPU_NODE])
    return made


def role(name: str, **more: Any) -> Object:
    return {"name": name, "command": [name], "resources": {"cpu": 1, "memory": "1Gi"}} | more


def beside(*roles: Object, **more: Any) -> Object:
    return training("gang", workers=2, roles=list(roles), **more)


def test_a_jobset_with_roles_is_stored_as_it_is_rendered(here: World) -> None:
    """Webhooks and schema take every order and end, and have nothing to fill in."""
    roles = (
        role("driver", starts="before", ends="the-run", port=5000),
        role("prepare", starts="before", ends="by-itself"),
        role("loader", count=2),
        role("judge", starts="after", ends="by-itself"),
    )
    (made,) = here.render(beside(*roles, duration={"max": "8h"}))
    answer = here.client.create(made)
    assert answer.warnings == ()
    assert answer.object["spec"] == made["spec"]


def test_a_driver_starts_first_and_ends_with_the_workers(here: World) -> None:
    """No worker is made until it is ready; when the workers are done it is ended, and all is well."""
    jobset = here.submit(beside(role("driver", starts="before", port=5000)))
    (driver,) = here.wait(lambda: placed(here, jobset, "driver", 1), "the driver has a node")
    assert driver["spec"]["nodeName"] == "cpu-0"
    kubelet.run(here.client, driver, ready=False)
    here.a_second_after(jobset)
    assert of(here, jobset, "worker") == []
    kubelet.run(here.client, driver)
    here.started(jobset, 3)
    assert here.places(jobset) == ["cpu-0", "h100-0", "h100-1"]
    succeed(here, jobset, "worker")
    here.until(lambda: here.condition(jobset, "Completed"), "the set is complete")
    here.until(lambda: not of(here, jobset, "driver"), "the driver is ended")


def test_workers_wait_for_what_is_to_be_done_before(here: World) -> None:
    """A role that starts before and ends by itself: not ready but done."""
    jobset = here.submit(beside(role("prepare", starts="before", ends="by-itself")))
    here.started(jobset, 1)
    here.a_second_after(jobset)
    assert of(here, jobset, "worker") == []
    succeed(here, jobset, "prepare")
    here.started(jobset, 2)
    here.finish(jobset)


def test_a_driver_that_is_done_ends_the_run(here: World) -> None:
    """`ends: the-run`: the workers still run, and are ended; the run has not failed."""
    jobset = here.submit(beside(role("driver", ends="the-run")))
    here.started(jobset, 3)
    succeed(here, jobset, "driver")
    here.until(lambda: here.condition(jobset, "Completed"), "the set is complete")
    here.until(lambda: not of(here, jobset, "worker"), "the workers are ended")


def test_a_role_that_fails_starts_all_anew_in_their_order(here: World) -> None:
    jobset = here.submit(beside(role("driver", starts="before")))
    here.started(jobset, 3)
    old = {pod["metadata"]["uid"] for pod in here.pods(jobset)}
    (driver,) = of(here, jobset, "driver")
    kubelet.fail(here.client, driver)

    def anew() -> bool:
        pods = here.pods(jobset, "Running")
        return len(pods) == 3 and old.isdisjoint(pod["metadata"]["uid"] for pod in pods)

    here.until(anew, "all three are new")
    assert here.get(jobset)["status"]["restartsCountTowardsMax"] == 1


def test_pods_of_all_roles_find_each_other(here: World) -> None:
    """The host names that each is told lead to the pods of that role, by their number."""
    jobset = here.submit(beside(role("loader", count=2)))
    here.started(jobset, 4)
    told = [
        {key: value for key, value in variables(pod).items() if "_HOST" in key}
        for pod in here.pods(jobset)
    ]
    assert told[1:] == told[:-1]
    for name in ("worker", "loader"):
        hosts = told[0][f"{name.upper()}_HOSTS"].split(",")
        assert hosts[0] == told[0][f"{name.upper()}_HOST"]
        pods = [pod["metadata"]["name"] for pod in of(here, jobset, name)]
        for host, pod in zip(hosts, pods, strict=True):
            here.wait(lambda host=host: resolve(here, host), f"{host} is known")  # type: ignore[misc]
            assert resolve(here, host) == [pod]


def test_a_queue_admits_all_roles_at_once_and_gives_each_a_flavor(world: Worlds) -> None:
    """Nothing starts until there is quota for all; what has no GPU goes to the queue's nodes too."""
    here = world(
        pool("h100", H100, nodes=2),
        queues=[queue("research", {"h100": 16})],
        targets={"gang": "jobset"},
    )
    here.create([CPU_NODE])
    first = here.submit(training("first", queue="research", gpus=1))
    here.started(first)
    jobset = here.submit(
        beside(role("loader"), queue="research", resources={"cpu": 32, "memory": "64Gi"})
    )
    assert "h100" in here.held(jobset)
    here.finish(first)
    here.started(jobset, 3)
    admitted = here.workload(jobset)["status"]["admission"]["podSetAssignments"]
    assert {each["name"]: each["count"] for each in admitted} == {"worker": 2, "loader": 1}
    (loader,) = of(here, jobset, "loader")
    assert loader["spec"]["nodeName"].startswith("h100-")


def of(here: World, jobset: Ref, name: str) -> list[Object]:
    """The pods of one role."""
    return [pod for pod in here.pods(jobset) if pod["metadata"]["labels"][ROLE] == name]


def placed(here: World, jobset: Ref, name: str, count: int) -> list[Object] | None:
    found = of(here, jobset, name)
    return found if [bool(pod["spec"].get("nodeName")) for pod in found] == [True] * count else None


def succeed(here: World, jobset: Ref, name: str) -> None:
    for pod in of(here, jobset, name):
        kubelet.succeed(here.client, pod)
