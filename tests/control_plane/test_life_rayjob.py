"""The life of a RayJob: KubeRay makes its cluster under `restricted`, submits the command, ends the cluster."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from gpuspec.manifests import Quantity
from tests.control_plane import kubelet
from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.meeting import answering, variables
from tests.control_plane.ray import started
from tests.control_plane.specs import H100, pool, queue, training
from tests.control_plane.stories import GPU, World

pytestmark = pytest.mark.control_plane
TYPE = "ray.io/node-type"
HERE: Object = {"targets": {"gang": "rayjob"}, "installed": {"kuberay": "1.6", "kueue": "0.19"}}


@pytest.fixture
def here(training_world: Worlds) -> World:
    """Two GPU nodes with a taint, one node for all else, no queue."""
    return training_world(pool("h100", H100, nodes=2), plain(), **HERE)


def plain() -> Object:
    """Nodes that let in whatever needs no GPU, as far as a profile can say it: GPUs without a taint."""
    return pool("plain", "L4", nodes=1, gpus=1) | {"taints": []}


def gang(name: str = "gang", **more: Any) -> Object:
    said: Object = {"workers": 2, "command": ["python", "train.py", "--name=a b"], "dataLoaders": 1}
    return training(name, **(said | more))


def cluster(here: World, job: Ref) -> Ref:
    """The RayCluster of a RayJob, once it is there."""
    name = here.until(
        lambda: here.get(job).get("status", {}).get("rayClusterName"), f"{job.name} has a cluster"
    )
    return Ref("ray.io/v1", "RayCluster", name, here.namespace)


def by_type(here: World, job: Ref) -> dict[str, list[Object]]:
    found: dict[str, list[Object]] = {}
    for pod in here.pods(job):
        found.setdefault(pod["metadata"]["labels"][TYPE], []).append(pod)
    return found


def submitted(here: World, job: Ref) -> Object:
    """The pod that submits the command, once it has a node."""
    pods = Ref("v1", "Pod", namespace=here.namespace)

    def placed() -> Object | None:
        found = here.client.objects(pods, f"batch.kubernetes.io/job-name={job.name}")
        return next((pod for pod in found if pod["spec"].get("nodeName")), None)

    return here.until(placed, "the command is submitted")


def leads_to(here: World, service: str, pods: list[str]) -> bool:
    return answering(here, service) == pods


def test_a_rayjob_is_stored_as_it_is_rendered(here: World) -> None:
    """Its CRD has nothing to fill in: what it would is written out."""
    (made,) = here.render(gang(retries={"limit": 1}, duration={"max": "8h"}))
    answer = here.client.create(made)
    assert answer.warnings == ()
    assert answer.object["spec"] == made["spec"]


def test_its_pods_are_admitted_and_placed(here: World) -> None:
    """C-58: What KubeRay adds to them is admitted too, and each offers to Ray what it has."""
    job = here.submit(gang())
    here.started(job, 3)
    found = by_type(here, job)
    assert {kind: len(pods) for kind, pods in found.items()} == {"head": 1, "worker": 2}
    for pod in found["worker"]:
        (first,) = pod["spec"]["initContainers"]
        main = pod["spec"]["containers"][0]
        assert first["name"] == "wait-gcs-ready"
        assert first["securityContext"] == main["securityContext"]
        assert pod["spec"]["nodeName"].startswith("h100-")
        told, limits = started(pod), main["resources"]["limits"]
        assert told["num-gpus"] == limits[GPU] == "8"
        assert Quantity.parse(told["memory"]).value == Quantity.parse(limits["memory"]).value
        asked = main["resources"]["requests"]["cpu"]
        assert Quantity.parse(told["num-cpus"]).value == Quantity.parse(asked).value
        (shm,) = (
            v["emptyDir"] for v in pod["spec"]["volumes"] if "medium" in v.get("emptyDir", {})
        )
        store = Quantity.parse(told["object-store-memory"]).value
        assert store * 2 == Quantity.parse(shm["sizeLimit"]).value
        assert pod["spec"]["restartPolicy"] == "Never"
        assert {"livenessProbe", "readinessProbe"} <= main.keys()
    (head,) = found["head"]
    told, main = started(head), head["spec"]["containers"][0]
    assert (told["num-gpus"], told["num-cpus"]) == ("0", "0")
    assert GPU not in main["resources"]["limits"]
    assert head["spec"]["nodeName"] == "plain-0"
    assert variables(head)["NVIDIA_VISIBLE_DEVICES"] == "void"


def test_its_head_answers_under_the_names_of_its_services(here: World) -> None:
    """The cluster's own, by which workers and submitter reach it, and the job's."""
    job = here.submit(gang())
    here.started(job, 3)
    (head,) = by_type(here, job)["head"]
    name = head["metadata"]["name"]
    reached = f"{cluster(here, job).name}-head-svc"
    for service in (reached, f"{job.name}-head-svc"):
        leads = partial(leads_to, here, service, [name])
        here.until(leads, f"{service} leads to the head")
    assert all(reached in started(pod)["address"] for pod in by_type(here, job)["worker"])


def test_the_command_is_submitted_when_all_workers_are_there(here: World) -> None:
    """By a pod that `restricted` admits, and word for word."""
    job = here.submit(gang(env={"MODE": "fast"}, args=["--mode=$(MODE)"]))
    here.started(job, 3)
    pod = submitted(here, job)
    main = pod["spec"]["containers"][0]
    (line,) = main["args"]
    assert " -- python train.py '--name=a b' '--mode=$(MODE)' ;" in line
    assert variables(pod)["MODE"] == "fast"
    assert pod["spec"]["nodeName"] == "plain-0"


def test_a_worker_that_is_lost_comes_again(here: World) -> None:
    """KubeRay makes another one; the command is to start from its checkpoint there."""
    job = here.submit(gang())
    here.started(job, 3)
    lost = by_type(here, job)["worker"][0]
    kubelet.fail(here.client, lost, 137, disrupted=True)

    def anew() -> bool:
        names = {pod["metadata"]["name"] for pod in here.pods(job)}
        return lost["metadata"]["name"] not in names and len(here.places(job)) == 3

    here.until(anew, "another worker runs")


def test_a_command_that_fails_starts_anew_in_a_new_cluster(here: World) -> None:
    """`retries.limit: 1`, once the submitter has given up: no pod of the old cluster is left."""
    job = here.submit(gang(retries={"limit": 1}))
    here.started(job, 3)
    first = cluster(here, job)
    pods = Ref("v1", "Pod", namespace=here.namespace)

    def anew() -> bool:
        for pod in here.client.objects(pods, f"batch.kubernetes.io/job-name={job.name}"):
            if pod["status"]["phase"] == "Running":
                kubelet.fail(here.client, pod, 1)
        found = here.get(job)["status"].get("rayClusterName")
        return bool(found) and found != first.name

    # The submitter is tried three times.
    here.until(anew, "it has another cluster")
    assert here.get(job)["status"]["failed"] == 1
    here.started(job, 3)
    label = "ray.io/cluster"
    of = {pod["metadata"]["labels"][label] for pod in here.pods(job)}
    assert of == {cluster(here, job).name}


def test_a_hung_rayjob_is_ended_by_its_deadline(here: World) -> None:
    """`duration.max`, with retries left: it fails, and lets go of its GPUs at once."""
    job = here.submit(gang(duration={"max": "5s"}))
    here.until(lambda: here.get(job).get("status", {}).get("reason") == "DeadlineExceeded", "ended")
    here.until(lambda: not here.pods(job), "its pods are gone")
    assert here.get(job)["status"]["jobDeploymentStatus"] == "Failed"


def test_a_rayjob_in_a_queue_waits_and_starts_whole(training_world: Worlds) -> None:
    """On nodes of its workers alone, which leave room for its head and its submitter there."""
    here = training_world(
        pool("h100", H100, nodes=2), queues=[queue("research", {"h100": 16})], **HERE
    )
    first = here.submit(training("first", target="job", queue="research"))
    here.started(first)
    job = here.submit(gang(queue="research"))
    assert f"{GPU} in flavor h100, 8 more needed" in here.held(job)
    here.finish(first)
    here.started(job, 3)
    nodes = {"h100-0", "h100-1"}
    assert submitted(here, job)["spec"]["nodeName"] in nodes
    assert {each["spec"]["nodeName"] for each in here.pods(job)} == nodes
