"""The life of servers that a HorizontalPodAutoscaler of ours scales, by Kubernetes' own controller."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from threading import Lock

import pytest

from tests.control_plane.client import Object, Ref
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.conftest import Worlds
from tests.control_plane.measured import CUSTOM, EXTERNAL, Adapter, register
from tests.control_plane.specs import L4, pool, server
from tests.control_plane.stories import World, main

pytestmark = pytest.mark.control_plane
AT_ONCE = {"stabilizationWindowSeconds": 0}
HURRIED = {"scaleUp": AT_ONCE, "scaleDown": AT_ONCE}
"""Windows that a test does not wait for."""
OWN = {"metric": "in_flight", "target": 5}


@pytest.fixture(scope="module")
def adapter(measuring_plane: ControlPlane) -> Iterator[Adapter]:
    """An adapter of both metrics APIs, which the API server leads to."""
    client, lock = measuring_plane.client(), Lock()

    def pods(namespace: str) -> list[str]:
        with lock:
            found = client.objects(Ref("v1", "Pod", namespace=namespace))
        return [pod["metadata"]["name"] for pod in found]

    with Adapter(measuring_plane, pods) as running:
        for name in (CUSTOM, EXTERNAL):
            register(client, name, running.port)
        yield running


@pytest.fixture
def measured(adapter: Adapter) -> Adapter:
    """The same with nothing asked yet, and nothing to do for anybody."""
    adapter.value = 0
    adapter.paths.clear()
    adapter.selectors.clear()
    return adapter


def test_replicas_follow_what_the_pods_have_to_do(
    measuring_world: Worlds, measured: Adapter
) -> None:
    """Up with the load and no further than `max`; down when it goes, and no further than `min`."""
    here = three(measuring_world, metrics={"source": "custom-metrics"})
    servers = scaled(here, {"min": 1, "max": 3, **OWN})
    measured.value = 9
    here.started(servers, 2)
    measured.value = 100
    here.started(servers, 3)
    own = f"/apis/custom.metrics.k8s.io/v1beta2/namespaces/{here.namespace}/pods/*/in_flight"
    assert {*measured.paths} == {own}
    measured.value = 0
    here.started(servers, 1)


def test_it_waits_before_it_ends_a_replica(measuring_world: Worlds, measured: Adapter) -> None:
    """As rendered it goes down after ten quiet minutes: what it wants is kept, and says so."""
    here = three(measuring_world, metrics={"source": "custom-metrics"})
    servers = scaled(here, {"min": 1, "max": 3, **OWN}, behavior={"scaleUp": AT_ONCE})
    measured.value = 100
    here.started(servers, 3)
    measured.value = 0
    here.until(partial(stabilized, here), "it says that it waits")
    assert len(here.pods(servers, "Running")) == 3


@pytest.mark.parametrize(
    ("source", "described", "asked", "selected"),
    [
        (
            "custom-metrics",
            {"object": {"kind": "Service", "name": "gateway"}},
            "custom.metrics.k8s.io/v1beta2/namespaces/{}/services/gateway/in_flight",
            set(),
        ),
        (
            "external-metrics",
            {"external": {"labels": {"pool": "chat"}}},
            "external.metrics.k8s.io/v1beta1/namespaces/{}/in_flight",
            {"pool=chat"},
        ),
    ],
)
def test_a_metric_of_something_else(
    measuring_world: Worlds,
    measured: Adapter,
    source: str,
    described: Object,
    asked: str,
    selected: set[str],
) -> None:
    """All requests together, shared among the replicas: 14 are three times 5."""
    here = three(measuring_world, metrics={"source": source})
    servers = scaled(here, {"min": 1, "max": 3, **OWN, "metricFrom": described})
    measured.value = 14
    here.started(servers, 3)
    assert {*measured.paths} == {f"/apis/{asked.format(here.namespace)}"}
    assert {*measured.selectors} == selected
    measured.value = 6
    here.started(servers, 2)


def test_the_last_replica_goes_and_comes_again(
    measuring_world: Worlds, measuring_plane: ControlPlane, measured: Adapter
) -> None:
    """From Kubernetes 1.37 on, by a metric that is there without the servers."""
    if measuring_plane.minor == "1.35":
        pytest.skip("before 1.37 an HPA goes to zero with a feature gate alone")
    here = three(measuring_world, metrics={"source": "external-metrics"}, kubernetes="1.37")
    servers = scaled(here, {"min": 0, "max": 3, **OWN, "metricFrom": {"external": {}}})
    here.started(servers, 0)
    measured.value = 1
    here.started(servers, 1)
    measured.value = 0
    here.started(servers, 0)


def three(worlds: Worlds, **profile: object) -> World:
    """Three nodes of one GPU."""
    return worlds(pool("l4", L4, nodes=3, gpus=1), **profile)


def scaled(here: World, replicas: Object, behavior: Object = HURRIED) -> Ref:
    """Servers with so many replicas, whose autoscaler does not wait unless it is told to."""
    made = here.render(server("chat", replicas=replicas))
    here.create(made)
    (scaler,) = (each for each in made if each["kind"] == "HorizontalPodAutoscaler")
    assert here.get(Ref.of(scaler))["spec"] == filled(scaler["spec"]), "stored as it is rendered"
    here.client.patch(Ref.of(scaler), {"spec": {"behavior": behavior}})
    return main(made)


def filled(spec: Object) -> Object:
    """With what the API server fills in of the behavior."""
    behavior = {way: {"selectPolicy": "Max", **rules} for way, rules in spec["behavior"].items()}
    return {**spec, "behavior": behavior}


def stabilized(here: World) -> bool:
    ref = Ref("autoscaling/v2", "HorizontalPodAutoscaler", "chat", here.namespace)
    conditions = here.get(ref).get("status", {}).get("conditions", ())
    return any(one["reason"] == "ScaleDownStabilized" for one in conditions)
