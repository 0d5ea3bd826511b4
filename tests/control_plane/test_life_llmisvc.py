"""The life of servers that KServe's own controller makes of an LLMInferenceService, under its presets."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.control_plane import kubelet
from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.kserve import made_by_us, owned
from tests.control_plane.meeting import answering, differences, resolve, variables
from tests.control_plane.specs import H100, pool, spanning
from tests.control_plane.stories import World, main

pytestmark = pytest.mark.control_plane
KSERVE = "serving.kserve.io/v1alpha2"
LWS = "leaderworkerset.sigs.k8s.io/"
INDEX, GROUP = f"{LWS}worker-index", f"{LWS}group-index"
PRESET = "kserve-config-llm-worker-pipeline-parallel"
# What its pods have otherwise than those of a Deployment of ours. KServe's labels, by which its own Service
# and its pools choose them.
LABELS = {
    "metadata.labels.app.kubernetes.io/part-of",
    "metadata.labels.kserve.io/component",
    "metadata.labels.llm-d.ai/role",
    "metadata.labels.pod-template-hash",
    # The label that tells who answers, and the API server's hash, are among what is counted.
    "spec.topologySpreadConstraints",
}
# What is written so that no preset decides it.
WRITTEN = {
    "spec.containers.main.env.HF_HUB_CACHE",
    "spec.containers.main.lifecycle.preStop.exec",
    "spec.containers.main.lifecycle.preStop.sleep",
    "spec.containers.main.securityContext.runAsNonRoot",
}
# What the preset adds: a level of the log that is the server's own, messages from the log, the pod's profile
# for the container too, and volumes that nothing of ours looks into.
ADDED = {
    "spec.containers.main.env.VLLM_LOGGING_LEVEL",
    "spec.containers.main.securityContext.seccompProfile",
    "spec.containers.main.terminationMessagePolicy",
    "spec.containers.main.volumeMounts.model-cache",
    "spec.containers.main.volumeMounts.tls-certs",
    *(f"spec.volumes.{name}" for name in ("dshm", "model-cache", "tls-certs", "tmp-dir")),
}
# What the pods of its groups have otherwise than those of a LeaderWorkerSet of ours: names, and what is
# written in case a preset lies under them; of the leader also how it is known as the one that answers.
GROUPED = WRITTEN | {
    "metadata.labels.app.kubernetes.io/part-of",
    "metadata.labels.controller-revision-hash",
    "metadata.labels.statefulset.kubernetes.io/pod-name",
    "spec.containers.main.env.LWS_LEADER_ADDRESS.value",
    "spec.hostname",
    "spec.subdomain",
}
ANSWERING = {
    "metadata.labels.kserve.io/component",
    "metadata.labels.llm-d.ai/role",
    "spec.topologySpreadConstraints",
}


@pytest.fixture
def here(serving_world: Worlds) -> World:
    """Four nodes, and a profile that has services carried by LLMInferenceServices."""
    return serving_world(
        pool("h100", H100, nodes=4),
        targets={"service": "llminferenceservice"},
        installed={"kserve": "0.20", "lws": "0.9", "gateway-api": "1.5"},
        metrics={"source": "custom-metrics"},
        bandwidth={"default": "1Gi"},
        gateway={"name": "public", "namespace": "kserve", "listener": "http"},
    )


def alone(name: str, **more: Any) -> Object:
    """A server of which each replica is one pod."""
    return spanning(name, nodes=1, **more)


def test_it_is_stored_as_it_is_rendered(here: World) -> None:
    """Webhooks have nothing to fill in, whatever it is made of."""
    for spec in (alone("chat", replicas=2), spanning("large", route={"paths": ["/v1"]})):
        sent = own(here.render(spec))
        answer = here.client.create(sent, dry_run=True)
        assert not answer.warnings
        stored = answer.object
        for field in ("labels", "annotations"):
            assert stored["metadata"][field] == sent["metadata"][field]
        for port in sent["spec"]["template"]["containers"][0]["ports"]:
            port["protocol"] = "TCP"
        assert stored["spec"] == sent["spec"]


def test_its_pods_are_those_of_a_deployment_and_what_the_preset_adds(here: World) -> None:
    """C-57: Admitted under `restricted`, with devices, tolerations, probes and environment of the plan."""
    servers = here.submit(alone("chat", replicas=2))
    here.started(servers, 2)
    mine = here.pods(servers)[0]
    (made,) = owned(here, servers, "apps/v1", "Deployment")
    assert made["metadata"]["name"] == "chat-kserve"
    for service in ("chat", "chat-kserve-workload-svc"):
        here.until(lambda name=service: len(answering(here, name)) == 2, f"{service} answers")  # type: ignore[misc]
    here.until(lambda: here.condition(servers, "Ready"), "KServe says that it is ready")
    assert not here.client.objects(
        Ref("autoscaling/v2", "HorizontalPodAutoscaler", namespace=here.namespace)
    )
    here.client.delete(servers, policy="Foreground")
    here.until(partial(gone, here, servers, made), "all of it is gone")
    theirs, _ = made_by_us(here, alone("chat", replicas=2, target="deployment"), pods=2)
    assert differences(mine, theirs) == LABELS | WRITTEN | ADDED
    (container,), (plain,) = (each["spec"]["containers"] for each in (mine, theirs))
    assert container["command"] == plain["command"] == ["vllm", "serve"]
    pause = plain["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert container["lifecycle"]["preStop"]["exec"]["command"] == ["/bin/sleep", str(pause)]
    said = variables(mine)
    assert said["HF_HUB_CACHE"] == f"{said['HF_HOME']}/hub"
    mounts = {each["mountPath"]: each["name"] for each in container["volumeMounts"]}
    ours = {each["mountPath"]: each["name"] for each in plain["volumeMounts"]}
    assert ours.items() <= mounts.items()
    assert mounts.keys() - ours == {"/home", "/models", "/var/run/kserve/tls"}


def test_a_pause_of_another_kind_makes_no_pod(here: World) -> None:
    """As any Deployment has it: beside the command of the preset the API server refuses it."""
    made = here.render(alone("chat"))
    (container,) = own(made)["spec"]["template"]["containers"]
    container["lifecycle"]["preStop"] = {"sleep": {"seconds": 15}}
    here.create(made)
    said = here.until(partial(refusal, here, main(made), "WorkloadsReady"), "KServe says why")
    assert "may not specify more than 1 handler type" in said
    assert not here.pods(main(made))


def test_text_in_two_braces_is_read_as_a_template(here: World) -> None:
    """Wherever it stands: nothing is made of the object, and the render refuses it beforehand."""
    made = here.render(alone("chat", env={"TEXT": "BRACES"}))
    for each in own(made)["spec"]["template"]["containers"][0]["env"]:
        if each["name"] == "TEXT":
            each["value"] = "{{ messages }}"
    here.create(made)
    said = here.until(partial(refusal, here, main(made), "PresetsCombined"), "KServe says why")
    assert 'function "messages" not defined' in said
    assert not here.pods(main(made))


def test_another_label_is_one_of_another_deployment(here: World) -> None:
    """KServe has the labels of the pods in its selector, which cannot change."""
    servers = here.submit(alone("chat"))
    here.started(servers)
    here.client.patch(servers, {"spec": {"labels": {"example.com/tier": "gold"}}})
    said = here.until(partial(refusal, here, servers, "WorkloadsReady"), "KServe says why")
    assert "field is immutable" in said


def test_of_few_replicas_a_new_pod_comes_first(here: World) -> None:
    """A quarter of them may be new, rounded up, and a quarter missing, rounded down."""
    servers = here.submit(alone("chat", replicas=2))
    here.started(servers, 2)
    old = {pod["metadata"]["uid"] for pod in here.pods(servers)}
    new = here.render(alone("chat", replicas=2, env={"NEW": "1"}))
    most, fewest = [2], [2]
    here.client.patch(servers, {"spec": own(new)["spec"]})

    def replaced() -> bool:
        running = here.pods(servers, "Running")
        most.append(len(running))
        fewest.append(len(running))
        return len(running) == 2 and not {pod["metadata"]["uid"] for pod in running} & old

    here.until(replaced, "all pods are new")
    assert (min(fewest), max(most)) == (2, 3)


@pytest.mark.parametrize(
    ("nodes", "version", "kind"),
    [(1, "apps/v1", "Deployment"), (2, "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet")],
)
def test_an_autoscaler_beside_it_decides(here: World, nodes: int, version: str, kind: str) -> None:
    """What the HorizontalPodAutoscaler writes stays, whatever else changes in the object."""
    made = here.render(spanning("chat", nodes=nodes, replicas={"min": 1, "max": 3}))
    here.create(made)
    servers = main(made)
    here.started(servers, nodes)
    (carrier,) = owned(here, servers, version, kind)
    (scaler,) = (each for each in made if each["kind"] == "HorizontalPodAutoscaler")
    of = scaler["spec"]["scaleTargetRef"]
    assert (of["kind"], of["name"]) == (kind, carrier["metadata"]["name"])
    here.client.patch(Ref.of(carrier), {"spec": {"replicas": 2}})
    here.started(servers, 2 * nodes)
    here.client.patch(servers, {"spec": {"annotations": {"example.com/changed": "yes"}}})
    here.until(partial(annotated, here, Ref.of(carrier)), "KServe has seen the change")
    assert here.get(Ref.of(carrier))["spec"]["replicas"] == 2


def test_a_route_beside_it_is_the_only_one(here: World) -> None:
    """KServe makes none, and tells of this one's address once its Gateway has it."""
    api = "gateway.networking.k8s.io/v1"
    by = {
        "apiVersion": api,
        "kind": "GatewayClass",
        "metadata": {"name": "example"},
        "spec": {"controllerName": "example.com/gateways"},
    }
    gateway = {
        "apiVersion": api,
        "kind": "Gateway",
        "metadata": {"name": "public", "namespace": "kserve"},
        "spec": {
            "gatewayClassName": "example",
            "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}],
        },
    }
    here.create([by, gateway])
    servers = here.submit(alone("chat", route={"hosts": ["chat.example.com"]}))
    here.started(servers)
    routes = Ref(api, "HTTPRoute", namespace=here.namespace)
    (route,) = here.client.objects(routes)
    assert route["metadata"]["name"] == "chat"
    (backend,) = route["spec"]["rules"][0]["backendRefs"]
    assert (backend["name"], backend["port"]) == ("chat", 8000)
    seen = here.until(partial(routed, here, servers), "KServe has seen the route")
    assert seen == ["chat"]
    assert not here.client.objects(
        Ref("inference.networking.k8s.io/v1", "InferencePool", namespace=here.namespace)
    )


def test_prefill_and_decode_are_two_of_them(here: World) -> None:
    """Each Service leads to the pods of its own side."""
    here.submit(alone("chat", prefill={"replicas": 2}))
    decode, prefill = (
        Ref(KSERVE, "LLMInferenceService", name, here.namespace)
        for name in ("chat", "chat-prefill")
    )
    here.started(decode)
    here.started(prefill, 2)
    for service, side in (("chat-decode", decode), ("chat-prefill", prefill)):
        pods = [each["metadata"]["name"] for each in here.pods(side)]
        here.until(lambda name=service, of=pods: answering(here, name) == of, f"{service} answers")  # type: ignore[misc]


def test_without_the_preset_of_the_platform_there_are_no_groups(here: World) -> None:
    here.client.delete(Ref(KSERVE, "LLMInferenceServiceConfig", PRESET, here.namespace))
    servers = here.submit(spanning("chat"))
    said = here.until(partial(refusal, here, servers, "PresetsCombined"), "KServe says why")
    assert f'"{PRESET}" not found' in said
    assert not here.pods(servers)


def test_the_pods_of_a_group_are_those_of_a_leaderworkerset(here: World) -> None:
    """Nothing is laid under them: the plan's leader and workers meet, and the leader alone answers."""
    servers = here.submit(spanning("chat", replicas=2))
    groups = here.wait(partial(placed, here, servers, 4), "all pods have a node")
    (made,) = owned(here, servers, "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet")
    assert made["metadata"]["name"] == "chat-kserve-mn"
    assert made["spec"]["leaderWorkerTemplate"]["size"] == 2
    for pod in groups:
        kubelet.run(here.client, pod, ready=False)
    for group in ("0", "1"):
        leader, worker = (each for each in groups if each["metadata"]["labels"][GROUP] == group)
        (host,) = {variables(each)["LWS_LEADER_ADDRESS"] for each in (leader, worker)}
        here.wait(partial(resolve, here, host), f"{host} is known")
        assert resolve(here, host) == [leader["metadata"]["name"]]
        for rank, each in enumerate((leader, worker)):
            assert variables(each)["LWS_WORKER_INDEX"] == str(rank)
            args = each["spec"]["containers"][0]["args"]
            assert args[args.index("--nnodes") + 1] == variables(each)["LWS_GROUP_SIZE"]
            assert args[args.index("--node-rank") + 1] == "$(LWS_WORKER_INDEX)"
    assert answering(here, "chat") == []
    for pod in here.pods(servers):
        kubelet.run(here.client, pod)
    leaders = ["chat-kserve-mn-0", "chat-kserve-mn-1"]
    for service in ("chat", "chat-kserve-workload-svc"):
        here.wait(lambda name=service: answering(here, name) == leaders, f"{service} answers")  # type: ignore[misc]
    mine = here.pods(servers)[:2]
    here.client.delete(servers, policy="Foreground")
    here.until(partial(gone, here, servers, made), "all of it is gone")
    theirs = made_by_us(here, spanning("chat", replicas=2, target="lws"), pods=4)
    (leader, worker), (their_leader, their_worker) = mine, theirs[:2]
    assert beyond(leader, their_leader) == GROUPED | ANSWERING
    assert beyond(worker, their_worker) == GROUPED


def beyond(one: Object, other: Object) -> set[str]:
    """The fields in which two pods differ, but for labels and annotations under LeaderWorkerSet's name."""
    own_labels = tuple(f"metadata.{each}.{LWS}" for each in ("labels", "annotations"))
    return {each for each in differences(one, other) if not each.startswith(own_labels)}


def placed(here: World, servers: Ref, count: int) -> list[Object]:
    """Its pods, once there are so many and all have a node."""
    pods = here.pods(servers)
    return pods if len(pods) == count and all(p["spec"].get("nodeName") for p in pods) else []


def own(made: list[Object]) -> Object:
    """The LLMInferenceService among what is rendered."""
    (found,) = (each for each in made if each["kind"] == "LLMInferenceService")
    return found


def gone(here: World, servers: Ref, made: Object) -> bool:
    """Whether what KServe has made of it is gone, pods and all: others have the same labels."""
    return here.client.find(Ref.of(made)) is None and not here.pods(servers)


def annotated(here: World, carrier: Ref) -> bool:
    """Whether the pods of what KServe has made are to have another annotation."""
    return "example.com/changed" in str(here.get(carrier)["spec"])


def routed(here: World, servers: Ref) -> list[str]:
    """The routes that KServe says lead to it; empty for none yet."""
    router = here.get(servers).get("status", {}).get("router", {})
    return [
        route["name"]
        for gateway in router.get("gateways", ())
        for route in gateway.get("httpRoutes", ())
    ]


def refusal(here: World, servers: Ref, condition: str) -> str:
    """Why a condition of it is not true, as it says; empty for nothing yet."""
    conditions = here.get(servers).get("status", {}).get("conditions", ())
    found = (one for one in conditions if one["type"] == condition and one["status"] == "False")
    return next((one.get("message", "") for one in found), "")
