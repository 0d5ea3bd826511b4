"""Kueue's own admission checks, as they are rendered: an autoscaler's word first, and other clusters.

The autoscaler is played by the test: it says of a ProvisioningRequest that there are nodes.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from functools import partial

import pytest

from tests.control_plane import binaries, crds
from tests.control_plane.client import Client, Object, Ref
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.conftest import Worlds, _worlds_of
from tests.control_plane.kueue import NAMESPACE
from tests.control_plane.specs import H100, pool, queue, training
from tests.control_plane.stories import QUEUES, World

pytestmark = pytest.mark.control_plane
REQUESTS = "autoscaling.x-k8s.io/v1"
ASKS: Object = {"name": "nodes", "provisioningRequest": {}}


@pytest.fixture(scope="module")
def asking_plane() -> Iterator[ControlPlane]:
    """One that serves ProvisioningRequests before Kueue starts, which looks for them once. Of the kinds that
    Kueue sends to other clusters, all have to be there: Jobs alone.
    """
    settings = {"integrations": {"frameworks": ["batch/job"]}}
    try:
        with _Asking(binaries.NEWEST, kueue=settings) as running:
            yield running
    except binaries.Missing as missing:
        pytest.skip(str(missing))


class _Asking(ControlPlane):
    def _schedule(self) -> None:
        beside = binaries.folder("kueue") / "manifests" / "beside"
        crds.define(self.client(), sorted(beside.glob("*.yaml")))
        super()._schedule()


asking_world = _worlds_of("asking_plane")


@pytest.fixture
def secret(asking_plane: ControlPlane) -> Iterator[str]:
    """A Secret in Kueue's namespace with which it reaches a cluster: its own."""
    text = json.dumps(json.loads(asking_plane.kubeconfig.read_text(encoding="utf-8")))
    made: Object = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "eu-west", "namespace": NAMESPACE},
        "data": {"kubeconfig": b64encode(text.encode()).decode()},
    }
    client = asking_plane.client()
    client.create(made)
    yield "eu-west"
    client.delete(Ref.of(made))


def test_work_starts_once_the_autoscaler_has_its_nodes(asking_world: Worlds) -> None:
    """All pods of a workload are asked for at once, of the class that makes all nodes or none."""
    here = asking_world(
        pool("h100", H100, nodes=2),
        queues=[queue("research", {"h100": 16}, admissionChecks=[{"name": "nodes"}])],
        admissionChecks=[ASKS],
    )
    job = here.submit(training("pretrain", workers=2, queue="research"))
    (asked,) = here.until(partial(requests, here), "Kueue asks for nodes")
    wanted = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"
    assert asked["spec"]["provisioningClassName"] == wanted
    assert [each["count"] for each in asked["spec"]["podSets"]] == [2]
    assert here.waits(job)
    answer(here.client, asked, "Provisioned")
    here.started(job, 2)


def test_what_fails_is_asked_again(asking_world: Worlds) -> None:
    """Without nodes nothing starts: Kueue gives the quota back, and asks anew."""
    here = asking_world(
        pool("h100", H100, nodes=1),
        queues=[queue("research", {"h100": 8}, admissionChecks=[{"name": "nodes"}])],
        admissionChecks=[ASKS],
    )
    job = here.submit(training("pretrain", queue="research"))
    (asked,) = here.until(partial(requests, here), "Kueue asks for nodes")
    answer(here.client, asked, "Failed")
    here.until(lambda: evicted(here, job), "Kueue gives the quota back")
    again = {
        each["metadata"]["name"]
        for each in here.until(lambda: others(here, asked), "Kueue asks anew")
    }
    assert again == {asked["metadata"]["name"].removesuffix("-1") + "-2"}
    assert here.waits(job)


def test_clusters_are_reached_and_the_check_is_active(asking_world: Worlds, secret: str) -> None:
    far: Object = {
        "name": "far",
        "multiKueue": {"clusters": [{"name": "eu-west", "kubeConfig": secret}]},
    }
    here = asking_world(
        pool("h100", H100, nodes=1),
        queues=[queue("research", {"h100": 8}, admissionChecks=[{"name": "far"}])],
        admissionChecks=[far],
    )
    cluster = Ref(QUEUES, "MultiKueueCluster", "eu-west")
    here.until(lambda: here.condition(cluster, "Active"), "Kueue reaches the cluster")
    check = Ref(QUEUES, "AdmissionCheck", "far")
    here.until(lambda: here.condition(check, "Active"), "the check is active")
    job = here.submit(training("pretrain", queue="research"))
    here.until(lambda: here.get(job)["spec"].get("managedBy"), "the Job is another's")
    assert here.get(job)["spec"]["managedBy"] == "kueue.x-k8s.io/multikueue"


def requests(here: World) -> list[Object]:
    return here.client.objects(Ref(REQUESTS, "ProvisioningRequest", namespace=here.namespace))


def answer(client: Client, asked: Object, what: str) -> None:
    said = {
        "type": what,
        "status": "True",
        "reason": what,
        "message": "as the test says",
        "lastTransitionTime": "2026-06-01T00:00:00Z",
    }
    client.patch(Ref.of(asked), {"status": {"conditions": [said]}}, part="status")


def others(here: World, known: Object) -> list[Object]:
    """The requests that Kueue made beside one that is known."""
    return [each for each in requests(here) if each["metadata"]["uid"] != known["metadata"]["uid"]]


def evicted(here: World, job: Ref) -> bool:
    """Whether Kueue has evicted a Job's Workload at any time.

    The condition stays, with the status False, when quota is reserved again, which can follow within milliseconds.
    """
    conditions = here.workload(job).get("status", {}).get("conditions", ())
    return any(each["type"] == "Evicted" for each in conditions)
