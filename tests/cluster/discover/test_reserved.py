"""What DaemonSets reserve is measured where pods are given, and said not to be where they are not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.discover.conftest import Discover, MakeNode, there

Json = dict[str, Any]


def pod(on: str, *containers: Json, owner: str | None = "DaemonSet", **spec: Any) -> Json:
    """A Pod in two namespaces by turns, so that nobody asks whether it was listed with -A."""
    return {
        "kind": "Pod",
        "metadata": {
            "name": "p",
            "namespace": spec.pop("namespace", "kube-system"),
            "ownerReferences": [{"kind": owner}] if owner else [],
        },
        "spec": {"nodeName": on, "containers": list(containers)} | spec,
        "status": {"phase": spec.pop("phase", "Running")},
    }


def asks(kind: str = "requests", **resources: str) -> Json:
    named = {key.replace("disk", "ephemeral-storage"): value for key, value in resources.items()}
    return {"resources": {kind: named}}


OTHER = pod("elsewhere", owner=None, namespace="default")


@pytest.mark.parametrize(
    ("pods", "cpu", "memory"),
    [
        # Containers add up and are rounded up.
        ([pod("n1", asks(cpu="110m", memory="100Mi"), asks(cpu="1"))], "1200m", "128Mi"),
        # Pods add up.
        ([pod("n1", asks(cpu="100m")), pod("n1", asks(cpu="200m"))], "300m", "0"),
        # A static pod is on its node like a DaemonSet's.
        ([pod("n1", asks(cpu="100m"), owner="Node")], "100m", "0"),
        # The largest init container, if it asks for more.
        (
            [pod("n1", asks(cpu="100m"), initContainers=[asks(cpu="700m"), asks(cpu="500m")])],
            "700m",
            "0",
        ),
        # A sidecar stays; an init container after it comes on top.
        (
            [
                pod(
                    "n1",
                    asks(cpu="100m"),
                    initContainers=[asks(cpu="200m") | {"restartPolicy": "Always"}, asks(cpu="1")],
                )
            ],
            "1200m",
            "0",
        ),
        # A limit stands for a request; overhead is added; a pod's own request stands for all.
        ([pod("n1", asks("limits", cpu="300m"))], "300m", "0"),
        ([pod("n1", asks(cpu="100m"), overhead={"cpu": "200m"})], "300m", "0"),
        ([pod("n1", asks(cpu="100m"), resources={"requests": {"cpu": "500m"}})], "500m", "0"),
        # The most on any node, not the sum over nodes.
        ([pod("n1", asks(cpu="100m")), pod("n2", asks(cpu="400m"))], "400m", "0"),
        # Others do not count: not owned by a DaemonSet, or ended.
        (
            [
                pod("n1", asks(cpu="100m")),
                pod("n1", asks(cpu="9"), owner="ReplicaSet"),
                pod("n1", asks(cpu="9"), owner=None),
                pod("n1", asks(cpu="9"), phase="Succeeded"),
            ],
            "100m",
            "0",
        ),
    ],
)
def test_requests_of_pods_that_every_node_has(
    pods: list[Json], cpu: str, memory: str, node: MakeNode, found: Discover
) -> None:
    result = found(node("n1"), node("n2"), *pods, OTHER)
    reserved = result.pool.reserved
    assert (str(reserved.cpu), str(reserved.memory)) == (cpu, memory)
    assert "requests of DaemonSet and static pods, the most on any of 2 nodes" in result.comments
    assert "not measured" not in result.comments


def test_disk_is_measured_too(node: MakeNode, found: Discover) -> None:
    pool = found(node(), pod("n1", asks(disk="1500M")), OTHER).pool
    assert str(pool.reserved.ephemeral_storage) == "2Gi"


def test_without_pods_the_default_stands_and_a_comment_says_so(
    node: MakeNode, found: Discover
) -> None:
    result = found(node())
    assert "reserved" not in result.text.replace(result.comments, "").split("pools:")[1]
    assert "what DaemonSets take is not measured" in result.comments


def test_a_pool_without_any_listed_pod_is_not_measured(
    node: MakeNode, h100: Json, found: Discover
) -> None:
    other = node("t4", {"nvidia.com/gpu.product": "Tesla-T4"})
    result = found(node(), other, pod("n1", asks(cpu="100m")), OTHER)
    assert str(result.pools["t4"].reserved.cpu) == "1"
    assert "no DaemonSet pod was listed on these nodes" in result.comments


def test_the_default_leaves_something_of_a_small_node(node: MakeNode, found: Discover) -> None:
    small = {"cpu": "1", "memory": "4Gi", "ephemeral-storage": "8Gi"}
    result = found(node(**small))
    reserved = result.pool.reserved
    assert str(reserved.cpu) == "100m"
    allocatable = there(result.pool.allocatable)
    assert 0 < reserved.memory < allocatable.memory
    assert 0 < reserved.ephemeral_storage < there(allocatable.ephemeral_storage)
    assert "a tenth where the default would leave nothing" in result.comments


def test_a_full_node_keeps_the_last_step(node: MakeNode, found: Discover) -> None:
    result = found(node(cpu="1950m"), pod("n1", asks(cpu="1930m")), OTHER)
    assert str(result.pool.reserved.cpu) == "1940m"


def test_pods_of_one_namespace_make_us_ask(node: MakeNode, found: Discover) -> None:
    result = found(node(), pod("n1", asks(cpu="100m")))
    assert "all pods are of namespace kube-system: were they listed with -A?" in result.notes
