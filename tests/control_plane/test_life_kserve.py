"""The life of servers that KServe's own controller makes of an InferenceService."""

from __future__ import annotations

from functools import partial

import pytest

from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.kserve import made_by_us, owned
from tests.control_plane.meeting import answering, differences
from tests.control_plane.specs import L4, pool, server
from tests.control_plane.stories import World, main

pytestmark = pytest.mark.control_plane
KSERVE = "serving.kserve.io"
# What its pods have otherwise than those of a Deployment of ours, beside the workload's name: labels and
# annotations of KServe's own, and in the container its name, a variable, and the limit of CPUs that
# KServe would write otherwise.
OTHERWISE = {
    "metadata.annotations",
    "metadata.labels.app",
    "metadata.labels.component",
    "metadata.labels.pod-template-hash",
    f"metadata.labels.{KSERVE}/inferenceservice",
    # The API server adds the hash of a Deployment's template to what is counted.
    "spec.topologySpreadConstraints",
}
INSIDE = {"name", "env", "resources"}


@pytest.fixture
def here(training_world: Worlds) -> World:
    """Three nodes of one GPU, and a profile that has services carried by InferenceServices."""
    return training_world(
        pool("l4", L4, nodes=3, gpus=1),
        targets={"service": "kserve"},
        installed={"kserve": "0.20"},
        metrics={"source": "custom-metrics"},
    )


def test_an_inferenceservice_is_stored_as_it_is_rendered(here: World) -> None:
    """Webhooks have nothing to fill in: without our limit they would write 1 CPU, below the request."""
    (sent,) = (each for each in here.render(server("chat")) if each["kind"] == "InferenceService")
    answer = here.client.create(sent, dry_run=True)
    assert not answer.warnings
    stored = answer.object
    assert stored["metadata"]["annotations"] == sent["metadata"]["annotations"]
    stored["spec"]["predictor"].pop("model", None)
    (container,) = sent["spec"]["predictor"]["containers"]
    for port in container["ports"]:
        port["protocol"] = "TCP"
    assert stored["spec"] == sent["spec"]


def test_its_pods_are_those_of_a_deployment(here: World) -> None:
    """C-57: Admitted under `restricted`, with devices, tolerations, probes and drain; nothing scales by CPU."""
    servers = here.submit(server("chat", replicas=2))
    here.started(servers, 2)
    mine = here.pods(servers)[0]
    (made,) = owned(here, servers, "apps/v1", "Deployment")
    assert made["metadata"]["name"] == "chat-predictor"
    assert made["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}
    assert not here.client.objects(
        Ref("autoscaling/v2", "HorizontalPodAutoscaler", namespace=here.namespace)
    )
    for service in ("chat", "chat-predictor"):
        here.until(lambda name=service: len(answering(here, name)) == 2, f"{service} answers")  # type: ignore[misc]
    here.client.delete(servers, policy="Foreground")
    here.until(lambda: here.client.find(Ref.of(made)) is None, "all of it is gone")
    theirs, _ = made_by_us(here, server("chat", replicas=2, target="deployment"), pods=2)
    containers = [one["spec"].pop("containers")[0] for one in (mine, theirs)]
    assert differences(mine, theirs) == OTHERWISE
    assert {key for key in containers[0] if containers[0][key] != containers[1].get(key)} == INSIDE
    assert (
        containers[0]["resources"]["limits"].pop("cpu")
        == containers[0]["resources"]["requests"]["cpu"]
    )
    assert containers[0]["resources"] == containers[1]["resources"]
    variables = {each["name"] for each in containers[0]["env"]}
    assert variables - {each["name"] for each in containers[1]["env"]} == {"INFERENCE_SERVICE_NAME"}


def test_without_a_limit_of_its_own_there_is_no_pod(here: World) -> None:
    """GPU846: the limit that KServe fills in, 1 CPU, is below the request, and no Deployment is made."""
    made = here.render(server("chat"))
    for each in made:
        if each["kind"] == "InferenceService":
            del each["spec"]["predictor"]["containers"][0]["resources"]["limits"]["cpu"]
    here.create(made)
    said = here.until(partial(refusal, here, main(made)), "KServe says why")
    assert "must be less than or equal to cpu limit" in said
    assert not here.pods(main(made))


def test_a_change_rolls_out_one_pod_at_a_time(here: World) -> None:
    servers = here.submit(server("chat", replicas=3))
    here.started(servers, 3)
    old = {pod["metadata"]["uid"] for pod in here.pods(servers)}
    new = here.render(server("chat", replicas=3, env={"NEW": "1"}))
    fewest = [3]
    here.client.patch(servers, {"spec": main_spec(new)})

    def replaced() -> bool:
        running = here.pods(servers, "Running")
        fewest.append(len(running))
        return len(running) == 3 and not {pod["metadata"]["uid"] for pod in running} & old

    here.until(replaced, "all pods are new")
    assert min(fewest) == 2


def test_an_autoscaler_beside_it_decides(here: World) -> None:
    """What the HorizontalPodAutoscaler writes stays, whatever else changes in the InferenceService."""
    spec = server("chat", replicas={"min": 1, "max": 3, "metric": "in_flight", "target": 5})
    made = here.render(spec)
    here.create(made)
    servers = main(made)
    here.started(servers)
    (deployment,) = owned(here, servers, "apps/v1", "Deployment")
    (scaler,) = (each for each in made if each["kind"] == "HorizontalPodAutoscaler")
    assert scaler["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"]
    here.client.patch(Ref.of(deployment), {"spec": {"replicas": 2}})
    here.started(servers, 2)
    here.client.patch(servers, {"metadata": {"labels": {"changed": "yes"}}})
    here.until(partial(relabelled, here, servers), "KServe has seen the change")
    assert here.get(Ref.of(deployment))["spec"]["replicas"] == 2


def main_spec(made: list[Object]) -> Object:
    (found,) = (each["spec"] for each in made if each["kind"] == "InferenceService")
    return dict(found)


def relabelled(here: World, servers: Ref) -> bool:
    (deployment,) = owned(here, servers, "apps/v1", "Deployment")
    return bool(deployment["spec"]["template"]["metadata"]["labels"].get("changed"))


def refusal(here: World, servers: Ref) -> str:
    """What the API server said to KServe, as the InferenceService has it; empty for nothing yet."""
    conditions = here.get(servers).get("status", {}).get("conditions", ())
    found = (one.get("message", "") for one in conditions if one["status"] == "False")
    return next((message for message in found if "limit" in message), "")


def test_a_model_is_laid_over_the_runtime_of_the_platform(training_world: Worlds) -> None:
    """KServe's arguments first and ours behind, its image and port replaced, and the plan's pod around both."""
    here = training_world(
        pool("l4", L4, nodes=3, gpus=1),
        targets={"service": "kserve"},
        installed={"kserve": "0.20"},
        runtimes={
            "serving": {"vllm": {"name": RUNTIME["metadata"]["name"], "modelFormat": "vLLM"}}
        },
    )
    here.create([RUNTIME])
    source = {"pvc": "weights", "path": "qwen"}
    spec = server("chat") | {
        "spec": {
            "runtime": "vllm",
            "image": "vllm/vllm-openai:v0.33.0",
            "gpu": {"models": [L4]},
            "model": {"id": "org/model", "size": "16Gi", "source": source},
            "context": 8192,
        }
    }
    sent = here.render(spec)
    (own,) = (one for one in sent if one["kind"] == "InferenceService")
    stored = here.client.create(own, dry_run=True).object["spec"]["predictor"]
    asked = own["spec"]["predictor"]
    asked["model"]["ports"][0]["protocol"] = "TCP"
    asked["model"]["name"] = ""
    assert stored == asked
    here.create(sent)
    (deployment,) = here.until(
        partial(owned, here, main(sent), "apps/v1", "Deployment"), "KServe makes the Deployment"
    )
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["args"][:2] == ["--model=/mnt/models", "--port=8080"]
    assert container["args"][2:4] == ["--max-model-len", "8192"]
    assert container["command"] == ["vllm", "serve"]
    assert container["image"] == "vllm/vllm-openai:v0.33.0"
    assert [each["containerPort"] for each in container["ports"]] == [8080]
    assert container["startupProbe"]["httpGet"]["port"] == "http"
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert pod["tolerations"] == asked["tolerations"]
    assert pod["securityContext"] == asked["securityContext"]
    assert pod["terminationGracePeriodSeconds"] == asked["terminationGracePeriodSeconds"]
    variables = {each["name"] for each in container["env"]}
    assert {"OF_RUNTIME", "HF_HOME"} <= variables
    # It waits for the claim; that it is there is Pod Security's word.
    (made, *_) = here.until(lambda: here.pods(main(sent)), "its pod is admitted")
    mounts = {each["mountPath"]: each for each in made["spec"]["containers"][0]["volumeMounts"]}
    assert {"/mnt/models", "/home/app"} <= mounts.keys()
    assert mounts["/mnt/models"]["subPath"] == "qwen"


RUNTIME: Object = {
    "apiVersion": "serving.kserve.io/v1alpha1",
    "kind": "ClusterServingRuntime",
    "metadata": {"name": "kserve-vllm"},
    "spec": {
        "supportedModelFormats": [{"name": "vLLM"}],
        "protocolVersions": ["v2"],
        "containers": [
            {
                "name": "kserve-container",
                "image": "registry.example.com/vllm:1",
                "command": ["vllm", "serve"],
                "args": ["--model=/mnt/models", "--port=8080"],
                "env": [{"name": "OF_RUNTIME", "value": "1"}],
                "ports": [{"containerPort": 8080, "protocol": "TCP"}],
            }
        ],
    },
}
"""A runtime that a platform keeps."""
