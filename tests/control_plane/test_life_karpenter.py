"""Nodes that come and go: Karpenter makes them for pods that we render, of NodePools that we render.

Its machines are simulated. All else is Karpenter's own: which machine a pod gets, whether it may be bought
at all, and which nodes are taken away.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.control_plane import binaries, crds, karpenter
from tests.control_plane.client import Object, Ref
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import H100, L4, pool, queue, server, training
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
POOL = "karpenter.sh/nodepool"
TYPE = "node.kubernetes.io/instance-type"
INSTALLED = {"karpenter": "1.14", "kueue": "0.19", "jobset": "0.12"}
FABRIC = {"models": [H100], "count": 8, "interconnect": "rdma"}
# Quick, and allowed to move what may be moved.
EAGER = {"consolidation": "WhenEmptyOrUnderutilized", "consolidateAfter": "1s"}
SIZES = {
    H100: {"cpu": 190, "memory": "1850Gi", "ephemeralStorage": "2Ti"},
    L4: {"cpu": 47, "memory": "170Gi", "ephemeralStorage": "2Ti"},
}


@pytest.fixture
def worlds(provisioning_world: Worlds) -> Worlds:
    """Makes worlds in which Karpenter is installed."""
    return partial(provisioning_world, installed=INSTALLED)


def h100(most: int = 4, how: Object | None = None, **more: Any) -> Object:
    return made_pool("h100", H100, 8, "p5.48xlarge", most, how, **more)


def l4(most: int = 4, how: Object | None = None, **more: Any) -> Object:
    return made_pool("l4", L4, 4, "g6.12xlarge", most, how, **more)


def made_pool(
    name: str, model: str, gpus: int, machine: str, most: int, how: Object | None, **more: Any
) -> Object:
    """A pool of which there is no node before somebody asks for one."""
    labels = {TYPE: machine, "example.com/pool": name}
    said = {"nodeClass": karpenter.REFERENCE, "consolidateAfter": "1s", **(how or {})}
    own = {"labels": labels, "karpenter": said, "allocatable": SIZES[model]}
    return pool(name, model, 0, gpus, **{**own, **more}) | {"nodes": {"max": most}}


def names(here: World, pool: str = "") -> set[str]:
    return {node["metadata"]["name"] for node in karpenter.made(here.client, pool)}


def test_a_training_gets_the_node_that_its_pool_promises(worlds: Worlds) -> None:
    """Labels, taints and GPUs are those of the profile, and the NodePool is content."""
    here = worlds(h100(zones=["zone-b"]), l4())
    here.until(partial(content, here, "h100"), "the NodePool is ready")
    job = here.submit(training("pretrain"))
    (name,) = here.started(job)
    node = here.get(Ref("v1", "Node", name))
    labels = node["metadata"]["labels"]
    assert (
        labels.items()
        >= {
            POOL: "h100",
            TYPE: "p5.48xlarge",
            "example.com/pool": "h100",
            "topology.kubernetes.io/zone": "zone-b",
            "karpenter.sh/capacity-type": "on-demand",
        }.items()
    )
    taints = [(each["key"], each["effect"]) for each in node["spec"]["taints"]]
    assert taints == [("nvidia.com/gpu", "NoSchedule")]
    assert node["status"]["allocatable"]["nvidia.com/gpu"] == "8"
    assert names(here) == {name}, "one node, and none of the other pool"


def test_workers_get_a_node_each_and_no_more_than_the_pool_has(worlds: Worlds) -> None:
    """`nodes.max` bounds what is bought: a third worker's node is not."""
    here = worlds(h100(most=2))
    job = here.submit(training("pretrain", workers=2))
    assert len(set(here.started(job, 2))) == 2
    late = here.submit(training("late"))
    here.until(partial(told, here, late, "limit"), "Karpenter says that the pool has no more")
    assert len(names(here)) == 2
    here.finish(job)
    here.started(late)


def test_an_empty_node_goes_and_a_run_stays(worlds: Worlds) -> None:
    """C-51: where it may take nodes away that have room elsewhere, runs that must not be moved keep theirs."""
    here = worlds(l4(how=EAGER))
    three, one = here.submit(training("three", L4, 3)), here.submit(training("two", L4, 2))
    (first,) = here.started(three)
    (second,) = here.started(one)
    assert first != second
    small = here.submit(training("small", L4, 1))
    (place,) = here.started(small)
    # What fills the other node leaves: now all would have room on one.
    left = three if place == second else one
    gone = first if place == second else second
    here.finish(left)
    here.until(lambda: names(here) == {first, second} - {gone} | {place}, "the empty node goes")


def test_runs_stay_on_two_nodes_and_servers_move_to_one(worlds: Worlds) -> None:
    """The same load twice: of servers Karpenter saves a node, of runs none."""
    here = worlds(
        l4(how=EAGER),
        made_pool("train", L4, 4, "g6.12xlarge", 4, EAGER, taints=[{"key": "train"}]),
    )
    runs = apart(here, partial(training, place={"pools": ["train"]}))
    servers = apart(here, partial(server, place={"pools": ["l4"]}))
    assert len(names(here, "train")) == len(names(here, "l4")) == 2
    for each in (runs, servers):
        here.client.delete(each[1])
    here.until(lambda: len(names(here, "l4")) == 1, "servers are moved to one node")
    assert len(names(here, "train")) == 2
    assert [here.pods(each, "Running") for each in (runs[0], runs[2])]


def test_the_first_of_the_profile_is_bought_first(worlds: Worlds) -> None:
    """Where both would do, and the second is cheaper."""
    here = worlds(
        made_pool("large", L4, 8, "g6.48xlarge", 1, None),
        made_pool("small", L4, 4, "g6.12xlarge", 4, None),
    )
    for name, of in (("first", "large"), ("second", "large"), ("third", "small")):
        here.started(here.submit(training(name, L4, 4)))
        assert len(names(here, of)) == 1
    assert len(names(here)) == 2


def test_what_a_queue_admits_gets_its_nodes(worlds: Worlds) -> None:
    """Kueue admits by quota alone, and while it waits nothing is bought."""
    here = worlds(h100(), queues=[queue("research", {"h100": 8})])
    first = here.submit(training("first", queue="research"))
    here.started(first)
    second = here.submit(training("second", queue="research"))
    here.held(second)
    assert len(names(here)) == 1
    here.finish(first)
    here.started(second)


def test_huge_pages_of_a_fabric_are_told_before_there_is_a_node(worlds: Worlds) -> None:
    """EC2 counts EFA on a machine and no huge pages; the overlay does, and the kubelet says them then."""
    fabric = {"resource": "vpc.amazonaws.com/efa", "count": 32, "hugepages": "5120Mi"}
    here = worlds(h100(rdma=fabric))
    overlay = Ref("karpenter.sh/v1alpha1", "NodeOverlay", "h100")
    here.until(lambda: here.condition(overlay, "Ready"), "the overlay is taken")
    job = here.submit(training("pretrain", workers=2, gpu=FABRIC))
    here.until(lambda: len(names(here)) == 2, "two nodes are made")
    for name in names(here):
        pages = {"hugepages-2Mi": "5120Mi"}
        told = {"status": {"capacity": pages, "allocatable": pages}}
        here.client.patch(Ref("v1", "Node", name), told, part="status")
    assert len(set(here.started(job, 2))) == 2


@pytest.fixture
def aws(provisioning_plane: ControlPlane) -> None:
    """The kind of AWS's classes."""
    try:
        found = sorted(binaries.definitions("karpenter-aws").glob("*.yaml"))
    except binaries.Missing as missing:
        pytest.skip(str(missing))
    crds.define(provisioning_plane.client(), found)


@pytest.mark.usefixtures("aws")
def test_what_is_made_for_eks_is_taken_and_works(worlds: Worlds) -> None:
    """Classes and NodePools are stored as they are rendered; of a simulated class Karpenter makes the node
    that a pod bound by AWS's own labels waits for."""
    tags = {"karpenter.sh/discovery": "eu"}
    name = {
        "role": "nodes",
        "amiAlias": "al2023@v20260805",
        "subnets": tags,
        "securityGroups": tags,
    }
    how: Object = {"nodeClass": {"name": "gpu"}}
    here = worlds(
        h100(how=how, labels={}, localDisk=True, rdma={"recipe": "efa", "count": 32}),
        l4(how=how, labels={"team": "serving"}, zones=["zone-a"]),
        extends="eks",
        nodeClasses=[{"name": "gpu", **name}],
    )
    kept = here.get(Ref("karpenter.k8s.aws/v1", "EC2NodeClass", "gpu"))["spec"]
    assert kept["amiSelectorTerms"] == [{"alias": "al2023@v20260805"}]
    assert kept["instanceStorePolicy"] == "RAID0"
    small = Ref("karpenter.sh/v1", "NodePool", "l4")
    asked = here.get(small)["spec"]
    here.client.delete(small)
    asked["template"]["spec"]["nodeClassRef"] = karpenter.REFERENCE
    again = {"apiVersion": small.api_version, "kind": small.kind, "metadata": {"name": "l4"}}
    here.create([again | {"spec": asked}])
    job = here.submit(training("tune", L4, 4))
    (place,) = here.started(job)
    labels = here.get(Ref("v1", "Node", place))["metadata"]["labels"]
    assert labels["karpenter.k8s.aws/instance-gpu-name"] == "l4"
    assert (labels[TYPE], labels["team"]) == ("g6.12xlarge", "serving")


def content(here: World, name: str) -> bool:
    return bool(here.condition(Ref("karpenter.sh/v1", "NodePool", name), "Ready"))


def told(here: World, job: Ref, word: str) -> bool:
    """Whether Karpenter has said why it makes no node for a pod."""
    pods = {pod["metadata"]["uid"] for pod in here.pods(job)}
    events = here.client.objects(Ref("v1", "Event", namespace=here.namespace))
    return any(
        each["involvedObject"].get("uid") in pods
        and each["source"].get("component") == "karpenter"
        and word in each["message"]
        for each in events
    )


def apart(here: World, make: Any) -> list[Ref]:
    """Three of them on two nodes, of which the first and the last have room on one."""
    made = []
    for gpus in (3, 2, 1):
        name = f"{'run' if make.func is training else 'server'}-{gpus}"
        made.append(here.submit(make(name, L4, gpus)))
        here.started(made[-1])
    return made
