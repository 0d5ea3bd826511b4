"""The control plane itself: what is pinned runs, nodes take pods, the queue admits, all stops."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import gpuspec
from tests.control_plane import binaries, kubelet
from tests.control_plane.client import Client, Object, Ref, Refused, until
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.conftest import Namespaces
from tests.control_plane.kueue import admitted
from tests.control_plane.nodes import join, node, nodes
from tests.control_plane.processes import listens

pytestmark = pytest.mark.control_plane

ROOT = Path(__file__).parents[2]
NODES = Ref("v1", "Node")
QUEUES = "kueue.x-k8s.io/v1beta2"


def pod_spec(gpus: int) -> Object:
    """A restricted pod that asks for GPUs."""
    return {
        "restartPolicy": "Never",
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": "main",
                "image": "registry.example.com/train:1",
                "resources": {
                    "requests": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": str(gpus)},
                    "limits": {"memory": "1Gi", "nvidia.com/gpu": str(gpus)},
                },
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "capabilities": {"drop": ["ALL"]},
                },
            }
        ],
    }


def pod(name: str, namespace: str, gpus: int) -> Object:
    meta = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": pod_spec(gpus)}


@pytest.fixture
def one_node(client: Client, request: pytest.FixtureRequest) -> Any:
    """A node with four GPUs, and nothing else in the cluster."""
    made = node("only", {"cpu": "32", "memory": "128Gi", "nvidia.com/gpu": "4"})
    join(client, [made])
    yield made
    client.delete(Ref.of(made))


def test_the_pinned_version_runs(plane: ControlPlane, client: Client) -> None:
    said = client.request("GET", "/version").object
    assert said["gitVersion"] == binaries.version("kube-apiserver", plane.minor)
    assert f"{said['major']}.{said['minor']}" == plane.minor


def test_nodes_have_what_the_profile_says(client: Client) -> None:
    (profile,) = gpuspec.load_profiles(str(ROOT / "examples/clusters/mixed-mig.yaml"))
    join(client, nodes(profile, at_most=1))
    try:
        found = client.get(NODES._replace(name="a100-slices-0"))
    finally:
        for each in nodes(profile, at_most=1):
            client.delete(Ref.of(each))
    assert found["status"]["allocatable"]["nvidia.com/mig-1g.10gb"] == "8"
    assert found["status"]["allocatable"]["cpu"] == "126"
    assert found["metadata"]["labels"]["topology.kubernetes.io/zone"] == "room-1"
    # No lifecycle controller and no admission plugin adds the taint of nodes that are not ready.
    assert [taint["key"] for taint in found["spec"]["taints"]] == ["nvidia.com/gpu"]


def test_a_pod_runs_and_ends(client: Client, namespace: Namespaces, one_node: Object) -> None:
    space = namespace()
    ref = Ref.of(client.create(pod("small", space, 4)).object)
    until(lambda: client.get(ref)["spec"].get("nodeName"), "the pod has a node")
    kubelet.step(client, space)
    assert client.get(ref)["status"]["phase"] == "Running"
    assert kubelet.ready(client.get(ref))
    client.create(pod("second", space, 1))
    second = ref._replace(name="second")

    def message() -> str | None:
        conditions = client.get(second)["status"].get("conditions")
        return str(conditions[0]["message"]) if conditions else None

    assert "Insufficient nvidia.com/gpu" in until(message, "the scheduler says why it pends")
    client.delete(ref)
    assert client.get(ref)["metadata"]["deletionTimestamp"]
    kubelet.step(client, space)
    assert client.find(ref) is None
    until(lambda: client.get(second)["spec"].get("nodeName"), "the second pod replaces it")
    client.delete(second)
    kubelet.step(client, space)


def test_a_pod_that_is_not_restricted_is_refused(client: Client, namespace: Namespaces) -> None:
    made = pod("loose", namespace(), 1)
    del made["spec"]["securityContext"]
    with pytest.raises(Refused, match="violates PodSecurity"):
        client.create(made, dry_run=True)


def test_an_unknown_field_is_refused(client: Client, namespace: Namespaces) -> None:
    made = pod("odd", namespace(), 1)
    made["spec"]["restartPolice"] = "Never"
    with pytest.raises(Refused, match=r'unknown field "spec\.restartPolice"'):
        client.create(made, dry_run=True)


def test_what_would_break_the_level_is_warned_of(client: Client, namespace: Namespaces) -> None:
    spec = pod_spec(1)
    del spec["securityContext"]
    meta = {"name": "loose", "namespace": namespace()}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta}
    answer = client.create(job | {"spec": {"template": {"spec": spec}}}, dry_run=True)
    assert any("would violate PodSecurity" in warning for warning in answer.warnings)


def test_a_queue_holds_and_admits(client: Client, namespace: Namespaces, one_node: Object) -> None:
    """C-37: a Job waits while its queue has no room, and starts when it has."""
    space = namespace()
    quota = {"name": "nvidia.com/gpu", "nominalQuota": "4"}
    others = [{"name": name, "nominalQuota": "100Gi"} for name in ("cpu", "memory")]
    group = {
        "coveredResources": ["nvidia.com/gpu", "cpu", "memory"],
        "flavors": [{"name": "plain", "resources": [quota, *others]}],
    }
    flavor = {"apiVersion": QUEUES, "kind": "ResourceFlavor", "metadata": {"name": "plain"}}
    shared = {
        "apiVersion": QUEUES,
        "kind": "ClusterQueue",
        "metadata": {"name": "shared"},
        "spec": {"namespaceSelector": {}, "resourceGroups": [group]},
    }
    local = {
        "apiVersion": QUEUES,
        "kind": "LocalQueue",
        "metadata": {"name": "team", "namespace": space},
        "spec": {"clusterQueue": "shared"},
    }
    for each in (flavor, shared, local):
        client.create(each)
    jobs = [Ref.of(client.create(_job(name, space)).object) for name in ("one", "two")]
    (first,) = until(lambda: _running(client, jobs), "one Job starts")
    pods = until(lambda: client.objects(Ref("v1", "Pod", namespace=space)), "its pod is there")
    until(lambda: client.get(Ref.of(pods[0]))["spec"].get("nodeName"), "its pod has a node")
    assert _running(client, jobs) == [first]
    kubelet.succeed(client, pods[0])
    until(lambda: len(_running(client, jobs)) == 2, "the other starts when there is room")
    assert len(admitted(client, space)) == 2
    for job in jobs:
        client.delete(job)
    for each in (local, shared, flavor):
        client.delete(Ref.of(each))


def _job(name: str, space: str) -> Object:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": space,
            "labels": {"kueue.x-k8s.io/queue-name": "team"},
        },
        "spec": {"template": {"spec": pod_spec(4)}},
    }


def _running(client: Client, jobs: list[Ref]) -> list[Ref]:
    return [job for job in jobs if client.get(job)["spec"]["suspend"] is False]


def test_the_command_starts_prints_and_stops(plane: ControlPlane) -> None:
    """`make control-plane`: a kubeconfig on stdout, all gone after an interrupt."""
    command = [sys.executable, "-m", "tests.control_plane", "--minor", plane.minor, "--no-kueue"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        lines = []
        for line in running.stdout:
            lines.append(line)
            if line.startswith("}"):
                break
        server = json.loads("".join(lines))["clusters"][0]["cluster"]["server"]
        port = urlsplit(server).port
        assert port is not None
        assert listens(port)
        os.kill(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 0
    assert not listens(port)
    folder = Path(said.partition("its kubeconfig is ")[2].splitlines()[0]).parent
    assert not folder.exists()
