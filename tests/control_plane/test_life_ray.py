"""The life of Ray clusters that go on: KubeRay makes those of a RayService and a RayCluster under `restricted`.

What it does once a dashboard answers, it does not do here: it deploys no application, makes no Service for
clients, and moves nobody over to a second cluster.
"""

from __future__ import annotations

from typing import Any

import pytest

from gpuspec.manifests import Quantity
from tests.control_plane import kubelet
from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.meeting import answering, variables
from tests.control_plane.ray import started
from tests.control_plane.specs import H100, pool, queue, server
from tests.control_plane.stories import GPU, World, main

pytestmark = pytest.mark.control_plane
TYPE, CLUSTER = "ray.io/node-type", "ray.io/cluster"
HERE: Object = {"installed": {"kuberay": "1.6", "kueue": "0.19"}}
APPLICATIONS = {"applications": [{"name": "rank", "import_path": "ranker.app:build"}]}
KINDS = ("rayservice", "raycluster")


@pytest.fixture
def here(training_world: Worlds) -> World:
    """Three GPU nodes with a taint, one node for all else, no queue."""
    return training_world(pool("h100", H100, nodes=3), plain(), **HERE)


def plain() -> Object:
    """Nodes that let in whatever needs no GPU, as far as a profile can say it: GPUs without a taint."""
    return pool("plain", "L4", nodes=1, gpus=1) | {"taints": []}


def ray(target: str, name: str = "chat", **more: Any) -> Object:
    """A spec for one of the two."""
    made = server(name, H100, 8, target=target, runtime="ray", replicas=2)
    for field in ("command", "expose", "probes"):
        del made["spec"][field]
    if target == "rayservice":
        made["spec"]["serve"] = APPLICATIONS
    made["spec"] |= more
    return made


def by_type(here: World, ref: Ref) -> dict[str, list[Object]]:
    found: dict[str, list[Object]] = {}
    for pod in here.pods(ref):
        found.setdefault(pod["metadata"]["labels"][TYPE], []).append(pod)
    return found


def clusters(here: World) -> list[Object]:
    return here.client.objects(Ref("ray.io/v1", "RayCluster", namespace=here.namespace))


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize("replicas", [2, {"min": 1, "max": 3}])
def test_it_is_stored_as_it_is_rendered(here: World, target: str, replicas: object) -> None:
    """But for the number of workers where an autoscaler has it: none, which KubeRay takes for the least."""
    made = here.render(ray(target, replicas=replicas))
    (sent,) = (each for each in made if each["kind"] == main(made).kind)
    answer = here.client.create(sent, dry_run=True)
    assert answer.warnings == ()
    stored = answer.object["spec"]
    cluster, mine = (each.get("rayClusterConfig", each) for each in (stored, sent["spec"]))
    if replicas != 2:
        assert cluster["workerGroupSpecs"][0].pop("replicas") == 0
    for template in (mine["headGroupSpec"], mine["workerGroupSpecs"][0]):
        for port in template["template"]["spec"]["containers"][0]["ports"]:
            port["protocol"] = "TCP"
    assert stored == sent["spec"]


@pytest.mark.parametrize("target", KINDS)
def test_its_pods_are_admitted_and_placed(here: World, target: str) -> None:
    """C-58: With what the plan has: devices, tolerations, environment, probes, drain, identity, volumes."""
    ref = here.submit(
        ray(target, env={"MODE": "fast"}, volumes=[{"mount": "/data", "configMap": "data"}])
    )
    here.started(ref, 3)
    found = by_type(here, ref)
    assert {kind: len(pods) for kind, pods in found.items()} == {"head": 1, "worker": 2}
    for pod in found["worker"]:
        main = pod["spec"]["containers"][0]
        assert pod["spec"]["nodeName"].startswith("h100-")
        told, limits = started(pod), main["resources"]["limits"]
        assert told["num-gpus"] == limits[GPU] == "8"
        assert Quantity.parse(told["memory"]).value == Quantity.parse(limits["memory"]).value
        assert variables(pod)["MODE"] == "fast"
        ready = {"rayservice": "/-/healthz", "raycluster": "/api/local_raylet_healthz"}
        assert main["readinessProbe"]["httpGet"]["path"] == ready[target]
        assert main["livenessProbe"]["httpGet"]["port"] == "agent"
        assert main["lifecycle"]["preStop"]["sleep"]["seconds"] > 120
        assert pod["spec"]["terminationGracePeriodSeconds"] > 135
        assert {"mountPath": "/data", "name": "data"}.items() <= {
            key: value for each in main["volumeMounts"] if each["mountPath"] == "/data"
            for key, value in each.items()
        }.items()  # fmt: skip
        assert pod["spec"]["serviceAccountName"] == "chat"
        assert pod["spec"]["automountServiceAccountToken"] is False
        (first,) = pod["spec"]["initContainers"]
        assert first["securityContext"] == main["securityContext"]
    (head,) = found["head"]
    told, main = started(head), head["spec"]["containers"][0]
    assert (told["num-gpus"], told["num-cpus"]) == ("0", "0")
    assert GPU not in main["resources"]["limits"]
    assert head["spec"]["nodeName"] == "plain-0"
    assert {"livenessProbe", "readinessProbe"} <= main.keys()


@pytest.mark.parametrize("target", KINDS)
def test_the_autoscaler_is_admitted_and_alone_has_a_token(here: World, target: str) -> None:
    """Its container, which KubeRay adds to the head, may change the cluster; programs beside it may not."""
    ref = here.submit(ray(target, replicas={"min": 1, "max": 3}))
    here.started(ref, 2)
    (head,) = by_type(here, ref)["head"]
    ours, scaler = head["spec"]["containers"]
    assert scaler["name"] == "autoscaler"
    assert scaler["securityContext"]["allowPrivilegeEscalation"] is False
    account = "/var/run/secrets/kubernetes.io/serviceaccount"
    mounted = [{each["mountPath"] for each in one["volumeMounts"]} for one in (ours, scaler)]
    assert account not in mounted[0]
    assert account in mounted[1]
    assert head["spec"]["restartPolicy"] == "Never"
    assert head["spec"]["serviceAccountName"] == "chat"
    (cluster,) = clusters(here)
    bound = here.get(
        Ref(
            "rbac.authorization.k8s.io/v1",
            "RoleBinding",
            cluster["metadata"]["name"],
            here.namespace,
        )
    )
    assert [each["name"] for each in bound["subjects"]] == ["chat"]
    # What the autoscaler does is done by hand: KubeRay makes the workers that it asks for.
    group = cluster["spec"]["workerGroupSpecs"][0] | {"replicas": 3}
    patch = {"spec": {"workerGroupSpecs": [group]}}
    here.client.patch(Ref.of(cluster), patch)
    here.started(ref, 4)


def test_the_head_answers_where_the_operator_looks_for_it(here: World) -> None:
    """Of a RayService by the cluster's Service, of which its dashboard is asked."""
    ref = here.submit(ray("rayservice"))
    here.started(ref, 3)
    (cluster,) = clusters(here)
    service = f"{cluster['metadata']['name']}-head-svc"
    (head,) = by_type(here, ref)["head"]
    here.until(lambda: answering(here, service) == [head["metadata"]["name"]], "the head answers")
    ports = here.get(Ref("v1", "Service", service, here.namespace))["spec"]["ports"]
    assert {each["name"]: each["port"] for each in ports}["dashboard"] == 8265
    assert all(service in started(pod)["address"] for pod in by_type(here, ref)["worker"])


def test_a_budget_counts_workers_without_a_scale(here: World) -> None:
    """Of `maxUnavailable` the disruption controller could not tell how many there should be."""
    ref = here.submit(ray("rayservice"))
    here.started(ref, 3)
    budget = Ref("policy/v1", "PodDisruptionBudget", "chat", here.namespace)

    def counted() -> Object | None:
        status = here.get(budget).get("status", {})
        return status if status.get("expectedPods") == 2 else None

    status = here.until(counted, "the budget counts two workers")
    assert status["desiredHealthy"] == 1
    # GPU857: otherwise it lets nobody go.
    here.client.patch(budget, {"spec": {"minAvailable": None, "maxUnavailable": 1}})

    def failed() -> bool:
        status = here.get(budget)["status"]
        reasons = {each["reason"] for each in status.get("conditions", ())}
        return "SyncFailed" in reasons and status["disruptionsAllowed"] == 0

    here.until(failed, "the controller gives up")


def test_without_room_a_change_of_the_pods_waits(here: World) -> None:
    """A worker that comes anew is as the others are; deleted, the cluster comes again as it is to be."""
    ref = here.submit(ray("rayservice"))
    here.started(ref, 3)
    (first,) = clusters(here)
    change(here, ray("rayservice", env={"MODE": "new"}))
    lost = by_type(here, ref)["worker"][0]
    kubelet.fail(here.client, lost, 137, disrupted=True)

    def replaced() -> bool:
        names = {pod["metadata"]["name"] for pod in here.pods(ref)}
        return lost["metadata"]["name"] not in names and len(here.places(ref)) == 3

    here.until(replaced, "another worker runs")
    assert modes(here, ref) == {None}
    assert [each["metadata"]["name"] for each in clusters(here)] == [first["metadata"]["name"]]
    here.client.delete(Ref.of(first))
    here.until(lambda: modes(here, ref) == {"new"}, "another cluster has the change")
    here.started(ref, 3)


def test_a_changed_raycluster_has_its_pods_replaced(here: World) -> None:
    ref = here.submit(ray("raycluster"))
    here.started(ref, 3)
    change(here, ray("raycluster", env={"MODE": "new"}))
    here.until(lambda: modes(here, ref) == {"new"}, "all pods have the change")
    here.started(ref, 3)


@pytest.mark.parametrize("target", KINDS)
def test_in_a_queue_it_waits_and_starts_whole(training_world: Worlds, target: str) -> None:
    """On nodes of its workers alone, which leave room for its head there."""
    here = training_world(
        pool("h100", H100, nodes=2), queues=[queue("research", {"h100": 16})], **HERE
    )
    first = here.submit(ray(target, "first", queue="research"))
    here.started(first, 3)
    second = here.submit(ray(target, "second", queue="research"))
    assert f"{GPU} in flavor h100" in here.held(second)
    here.client.delete(first)
    here.until(lambda: len(here.places(second)) == 3, "the second starts")
    assert set(here.places(second)) == {"h100-0", "h100-1"}


def test_in_a_queue_a_change_stops_the_service_and_starts_it_anew(training_world: Worlds) -> None:
    """No second cluster, which the queue would not see."""
    here = training_world(
        pool("h100", H100, nodes=2), queues=[queue("research", {"h100": 16})], **HERE
    )
    ref = here.submit(ray("rayservice", queue="research"))
    here.started(ref, 3)
    change(here, ray("rayservice", queue="research", env={"MODE": "new"}))
    here.until(lambda: modes(here, ref) == {"new"}, "all pods have the change")
    assert len(clusters(here)) == 1


def change(here: World, spec: Object) -> None:
    """Have the API server patch the object that carries the pods, as an apply does."""
    made = here.render(spec)
    ref = main(made)
    (sent,) = (each for each in made if Ref.of(each) == ref)
    here.client.patch(ref, {"spec": sent["spec"]})


def modes(here: World, ref: Ref) -> set[str | None]:
    """What the pods that are there are told."""
    return {variables(pod).get("MODE") for pod in here.pods(ref)}
