"""The pods that come of a Service of Knative's, ours and the one that KServe makes.

Knative's webhook and the making of a Deployment are its own code (`knative.py`). Its controllers do not run, so that
no revision, no route and no autoscaler is made: the Deployment is created here.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.control_plane import binaries
from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.knative import answer, made
from tests.control_plane.meeting import differences
from tests.control_plane.specs import L4, pool, server
from tests.control_plane.stories import World, main

pytestmark = pytest.mark.control_plane
SERVING = "serving.knative.dev"
FEATURES = tuple(
    f"kubernetes.podspec-{each}"
    for each in ("affinity", "securitycontext", "tolerations", "topologyspreadconstraints")
)
"""What the pods of these stories need."""


@pytest.fixture
def made_world(training_world: Worlds) -> Worlds:
    """Three nodes of one GPU, and a profile that has services carried by a target of Knative's."""
    if how := binaries.unbuilt("knative"):
        pytest.skip(how)

    def world(**more: Any) -> World:
        return training_world(
            pool("l4", L4, nodes=3, gpus=1),
            installed={"kserve": "0.20", "knative": "1.23"},
            knative={"features": list(FEATURES)},
            **more,
        )

    return world


def test_its_pods_are_those_of_a_deployment_behind_queue_proxy(made_world: Worlds) -> None:
    """Admitted under `restricted` and placed, with devices, tolerations, volumes, environment and probes."""
    here = made_world(targets={"service": "knative"})
    spec = server("chat", expose={"port": 80, "containerPort": 8000}, env={"OWN": "1"})
    *around, sent = here.render(spec)
    here.create(around)
    mine = pod_of(here, sent)
    theirs = pod_by_us(here, spec)
    served_by, proxy = mine["spec"].pop("containers")
    (plain,) = theirs["spec"].pop("containers")
    assert differences(mine, theirs) - {"metadata.annotations"} == {
        "metadata.labels.app",
        "metadata.labels.pod-template-hash",
        *(f"metadata.labels.{SERVING}/{each}" for each in ("service", "configuration")),
        *(f"metadata.labels.{SERVING}/{each}" for each in ("revision", "revisionUID")),
        "spec.securityContext.fsGroupChangePolicy",
    }
    # queue-proxy asks for readiness, and the server stops when it has answered all.
    assert {key for key in {*served_by, *plain} if served_by.get(key) != plain.get(key)} == {
        *("env", "lifecycle", "ports", "readinessProbe", "startupProbe"),
        "terminationMessagePolicy",
    }
    asked = next(each for each in proxy["env"] if each["name"] == "SERVING_READINESS_PROBE")
    assert '"path":"/ready","port":8000' in asked["value"]
    assert served_by["startupProbe"]["httpGet"]["port"] == 8000
    assert served_by["lifecycle"]["preStop"]["httpGet"]["path"] == "/wait-for-drain"
    added = {each["name"] for each in served_by["env"]} - {each["name"] for each in plain["env"]}
    assert added == {"PORT", "K_REVISION", "K_CONFIGURATION", "K_SERVICE"}


def test_kserve_makes_the_same_of_an_inferenceservice(made_world: Worlds) -> None:
    """C-57: Its webhooks and controller make a Service, which Knative takes, and of which comes the plan's pod."""
    here = made_world(targets={"service": "kserve-knative"})
    bounds = {"min": 1, "max": 3, "signal": "running", "target": 7}
    here.create(here.render(vllm("chat", replicas=bounds)))
    ref = Ref(f"{SERVING}/v1", "Service", "chat-predictor", here.namespace)
    found = here.until(partial(here.client.find, ref), "KServe makes the Service")
    annotations = found["spec"]["template"]["metadata"]["annotations"]
    scaling = {
        "class": "kpa.autoscaling.knative.dev",
        **{"min-scale": "1", "max-scale": "3", "metric": "concurrency", "target": "7"},
        **{"target-utilization-percentage": "100", "scale-down-delay": "10m"},
    }
    assert (
        annotations.items()
        >= {f"autoscaling.knative.dev/{key}": value for key, value in scaling.items()}.items()
    )
    assert annotations[f"{SERVING}/progress-deadline"]
    pod = pod_of(here, as_sent(found))
    container = pod["spec"]["containers"][0]
    assert container["name"] == "kserve-container"
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert "nvidia.com/gpu" in {each["key"] for each in pod["spec"]["tolerations"]}
    assert pod["spec"]["terminationGracePeriodSeconds"] == 150
    assert container["startupProbe"]["httpGet"]["port"] == 8000
    assert [each["name"] for each in pod["spec"]["containers"]] == [
        "kserve-container",
        "queue-proxy",
    ]


def vllm(name: str, **more: Any) -> Object:
    """An Inference of vLLM, which downloads its weights."""
    spec = {
        "runtime": "vllm",
        "image": "vllm/vllm-openai:v0.33.0",
        "gpu": {"models": [L4]},
        "model": {"id": "org/model", "size": "16Gi", "source": {"hub": {}}},
    }
    return server(name) | {"spec": spec | more}


def pod_of(here: World, service: Object) -> Object:
    """The pod of the Deployment that Knative makes of a Service, once it runs."""
    said = answer(service, FEATURES)
    assert (said.errors, said.warnings) == ([], [])
    deployment = made(said)
    here.client.create(deployment)
    ref = Ref.of(deployment)
    here.started(ref)
    (pod,) = here.pods(ref)
    here.client.delete(ref, policy="Foreground")
    here.until(lambda: here.client.find(ref) is None, "the pod of Knative is gone")
    return pod


def pod_by_us(here: World, spec: Object) -> Object:
    """The pod of the Deployment that we render."""
    objects = here.render(spec | {"spec": spec["spec"] | {"target": "deployment"}})
    here.create(one for one in objects if here.client.find(Ref.of(one)) is None)
    here.started(main(objects))
    (pod,) = here.pods(main(objects))
    return pod


def as_sent(service: Object) -> Object:
    """A Service without what the API server has written."""
    kept = ("name", "namespace", "labels", "annotations")
    meta = {key: value for key, value in service["metadata"].items() if key in kept}
    return {key: service[key] for key in ("apiVersion", "kind", "spec")} | {"metadata": meta}
