"""What stands beside pods and nodes, read from plain objects."""

from typing import Any

import pytest
from hypothesis import given, settings

from gpuspec.fleet.scheduler.cluster_context import ClusterContext, beside_of
from gpuspec.fleet.scheduler.shape import Priority
from gpuspec.fleet.scheduler.snapshot import Snapshot
from gpuspec.fleet.scheduler.verdict import feasible
from tests.fleet.scheduler.fleet import bare, node
from tests.fleet.scheduler.test_shape import ANYTHING

Json = dict[str, Any]
KINDS = (
    *("PriorityClass", "RuntimeClass", "Namespace", "PersistentVolumeClaim", "PersistentVolume"),
    *("Pod", "ConfigMap"),
)


def named(kind: str, name: str, **more: Any) -> Json:
    return {"kind": kind, "metadata": {"name": name}, **more}


def volume(name: str, phase: str = "", zone: str = "a") -> Json:
    made = named("PersistentVolume", name, status={"phase": phase} if phase else {})
    made["metadata"]["labels"] = {"topology.kubernetes.io/zone": zone}
    return made | {"spec": {"claimRef": {"namespace": "default", "name": "data"}}}


def claim(on: str = "") -> Json:
    return named("PersistentVolumeClaim", "data", spec={"volumeName": on} if on else {})


MOUNTS = bare(volumes=[{"persistentVolumeClaim": {"claimName": "data"}}])


@pytest.mark.parametrize(
    ("objects", "on", "unknown"),
    [
        ([claim("one"), volume("one")], "one", False),
        ([volume("one", "Bound")], "one", False),
        ([volume("one", "Bound"), claim()], "one", False),
        ([claim("two"), volume("one"), volume("two")], "two", False),
        ([volume("two"), volume("one", "Bound"), claim("two")], "two", False),
        ([claim("two"), claim(), volume("two")], "two", False),
        ([volume("one", "Released"), claim()], None, False),
        ([volume("one", "Released")], None, True),
        ([claim("elsewhere")], None, True),
        ([claim()], None, False),
        ([], None, True),
    ],
)
def test_the_volume_of_a_claim(objects: list[Json], on: str | None, unknown: bool) -> None:
    zones = {"one": "a", "two": "b"}
    for one in objects:
        if one["kind"] == "PersistentVolume":
            one["metadata"]["labels"]["topology.kubernetes.io/zone"] = zones[
                one["metadata"]["name"]
            ]
    beside = beside_of(objects)
    shape = beside.shape(MOUNTS, {}, "default")
    key = "topology.kubernetes.io/zone"
    found = feasible(shape, Snapshot([node("x", {key: "a"}), node("y", {key: "b"})])).nodes
    assert found == {None: (0, 1), "one": (0,), "two": (1,)}[on]
    assert beside.unknown(shape) == (("data",) if unknown else ())
    assert not beside.shape(MOUNTS, {}, "elsewhere").volumes


def test_a_class_is_what_it_says_and_else_what_its_pods_say() -> None:
    pod = named("Pod", "p", spec=bare(nodeName="n", priorityClassName="x", priority=7))
    pod["spec"]["preemptionPolicy"] = "Never"
    gone = named("Pod", "q", spec=bare(priorityClassName="y", priority=9))
    row = named("PriorityClass", "x", value=5, globalDefault=True)
    assert beside_of([pod, gone]).priorities == {"x": Priority(7, preempts=False)}
    assert beside_of([row, pod]).priorities == {"x": Priority(5), "": Priority(5)}
    assert beside_of([row]).shape(bare(), {}, "default").priority == 5


def test_a_runtime_class_adds_its_overhead_once() -> None:
    over = {"cpu": "250m"}
    row = named("RuntimeClass", "x", overhead={"podFixed": over})
    pod = named("Pod", "p", spec=bare(nodeName="n", runtimeClassName="x", overhead=over))
    asks = bare(runtimeClassName="x")
    for known in ([row], [pod], [row, pod]):
        assert beside_of(known).shape(asks, {}, "default").requests == {"cpu": 250}
        told = {**asks, "overhead": over}
        assert beside_of(known).shape(told, {}, "default").requests == {"cpu": 250}
    assert ClusterContext().shape(asks, {}, "default").requests == {}


def test_a_namespace_keeps_the_labels_that_it_has() -> None:
    first, then = named("Namespace", "x"), named("Namespace", "x")
    first["metadata"]["labels"] = {"a": "1", "b": "1"}
    then["metadata"]["labels"] = {"b": "2"}
    assert beside_of([first, then]).namespaces == {"x": {"a": "1", "b": "2"}}


@settings(max_examples=100, deadline=None)
@given(ANYTHING, ANYTHING, ANYTHING)
def test_nothing_in_an_object_raises(metadata: Any, spec: Any, more: Any) -> None:
    fields = {"metadata": metadata, "spec": spec, "value": more, "overhead": more, "status": more}
    beside = beside_of({"kind": kind, **fields} for kind in KINDS)
    assert not beside.shape({}, None, "default").requests
