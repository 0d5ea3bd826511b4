"""GPU826: sysctls that kubelets refuse."""

import pytest

from gpuspec.lint.model import Finding
from tests.lint.pages import raised

POD = """apiVersion: v1
kind: Pod
metadata: {{name: it, namespace: ml}}
spec:
  securityContext: {{sysctls: [{{name: {name}, value: "1"}}]}}
  containers: [{{name: main, image: "registry.example.com/it:1.0"}}]
"""
NAMESPACE = """---
apiVersion: v1
kind: Namespace
metadata: {name: ml, labels: {pod-security.kubernetes.io/enforce: baseline}}
"""


def said(name: str, more: str = "") -> list[Finding]:
    found = [one.finding() for one in raised(POD.format(name=name) + more)]
    return [one for one in found if one.rule == "GPU826"]


@pytest.mark.parametrize(
    "name", ["net.core.somaxconn", "net/ipv4/tcp_congestion_control", "kernel.shmmax"]
)
def test_one_that_has_to_be_allowed(name: str) -> None:
    (found,) = said(name)
    assert "--allowed-unsafe-sysctls" in found.message and found.confidence == "likely"


@pytest.mark.parametrize(
    "name", ["vm.max_map_count", "kernel.pid_max", "fs.inotify.max_user_watches"]
)
def test_one_of_the_node(name: str) -> None:
    (found,) = said(name)
    assert "every kubelet rejects" in found.message


@pytest.mark.parametrize(
    "name", ["net.ipv4.tcp_rmem", "kernel.shm_rmid_forced", "net/ipv4/tcp_syncookies"]
)
def test_a_safe_one(name: str) -> None:
    assert not said(name)


def test_a_namespace_that_refuses_it_says_so_better() -> None:
    found = {one.finding().rule for one in raised(POD.format(name="kernel.shmmax") + NAMESPACE)}
    assert "GPU601" in found and "GPU826" not in found
