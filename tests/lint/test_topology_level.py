"""GPU720: beyond what its page shows."""

import pytest
import yaml

from tests.lint.pages import raised
from tests.lint.sets import base

SET = """\
apiVersion: batch/v1
kind: Job
metadata: {name: sweep, namespace: ml, labels: {kueue.x-k8s.io/queue-name: q}}
spec:
  template:
    metadata: {annotations: {KEY: LEVEL}}
    spec: {restartPolicy: Never, containers: [{name: t, image: x}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: ml}
spec: {clusterQueue: cq}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 8}]}]}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
spec: {FLAVOR}
"""
TOPOLOGY = """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: t}
spec: {levels: [{nodeLabel: example.com/rack}, {nodeLabel: kubernetes.io/hostname}]}
"""
REQUIRED = "kueue.x-k8s.io/podset-required-topology"


def said(
    level: str, flavor: str = "topologyName: t", topology: str = TOPOLOGY, key: str = REQUIRED
) -> list[str]:
    made = SET.replace("KEY", key).replace("LEVEL", level).replace("FLAVOR", flavor) + topology
    return [one.found.message for one in raised(made) if one.rule.code == "GPU720"]


@pytest.mark.parametrize("key", [REQUIRED, "kueue.x-k8s.io/podset-preferred-topology"])
def test_a_level_that_no_flavor_has(key: str) -> None:
    (message,) = said("example.com/block", key=key)
    assert (
        "no flavor of ClusterQueue `cq` has a topology with the level `example.com/block`"
        in message
    )


def test_flavors_without_a_topology() -> None:
    assert said("example.com/rack", "nodeLabels: {a: b}", "")


@pytest.mark.parametrize(
    ("level", "flavor", "topology"),
    [
        ("example.com/rack", "topologyName: t", TOPOLOGY),
        ("example.com/block", "topologyName: t", ""),
        ("example.com/block", "topologyName: t", TOPOLOGY.replace("name: t", "name: other")),
    ],
)
def test_a_level_that_is_there_or_may_be(level: str, flavor: str, topology: str) -> None:
    assert not said(level, flavor, topology)


def grouped(kind: str, leader: dict[str, str], workers: dict[str, str]) -> list[str]:
    first, second = ({"metadata": {"annotations": pairs}} for pairs in (leader, workers))
    if kind == "leaderworkerset":
        templates = {"leaderTemplate": first, "workerTemplate": second}
        workload = base(kind, {"spec": {"leaderWorkerTemplate": templates}})
    else:
        replicas = {"Master": {"template": first}, "Worker": {"template": second}}
        workload = base(kind, {"spec": {"pytorchReplicaSpecs": replicas}})
    text = yaml.safe_dump(workload)
    return [one.found.message for one in raised(text) if one.rule.code == "GPU720"]


RACK = {REQUIRED: "example.com/rack"}
GROUP = {"kueue.x-k8s.io/podset-group-name": "one"}


@pytest.mark.parametrize("kind", ["leaderworkerset", "pytorchjob"])
def test_leader_and_workers_that_require_a_level_each(kind: str) -> None:
    (message,) = grouped(kind, RACK, RACK)
    assert "places the two templates separately" in message
    assert grouped(kind, RACK | GROUP, RACK | GROUP) == []
    assert grouped(kind, RACK, {}) == []
    assert grouped(kind, RACK, {REQUIRED: "example.com/block"}) == []
    host = {REQUIRED: "kubernetes.io/hostname"}
    assert grouped(kind, host, host) == []
