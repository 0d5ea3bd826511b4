"""GPU914 of Multus: what its page does not show."""

import pytest

from tests.lint.pages import raised

POD = """\
---
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: ml, annotations: {ANNOTATIONS}}
spec:
  containers:
    - {name: main, image: x, resources: {limits: {nvidia.com/gpu: 8, ASKS}}}
"""
DEFINITION = """\
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: rdma-a, namespace: ml, annotations: {k8s.v1.cni.cncf.io/resourceName: acme.com/vf}}
spec: {config: "{}"}
"""
PLAIN = DEFINITION.replace("k8s.v1.cni.cncf.io/resourceName: acme.com/vf", "team: a")
SRIOV = """\
apiVersion: sriovnetwork.openshift.io/v1
kind: SriovIBNetwork
metadata: {name: rdma-a, namespace: sriov}
spec: {networkNamespace: ml, resourceName: vf}
"""
NETWORKS = "k8s.v1.cni.cncf.io/networks"


def places(network: str, annotations: str, asks: str) -> list[str]:
    pod = POD.replace("ANNOTATIONS", annotations).replace("ASKS", asks)
    said = [one.finding() for one in raised(network + pod) if one.rule.code == "GPU914"]
    assert {one.severity for one in said} <= {"warning"}
    return [one.path for one in said]


@pytest.mark.parametrize("network", [DEFINITION, SRIOV])
@pytest.mark.parametrize(
    "selects",
    [
        "rdma-a",
        "'other, ml/rdma-a@net1'",
        """'[{"name": "rdma-a"}]'""",
        """'[{"name": "rdma-a", "namespace": "ml", "interface": "net1"}]'""",
    ],
)
def test_a_network_without_its_device(network: str, selects: str) -> None:
    annotation = f"{NETWORKS}: {selects}"
    assert places(network, annotation, "") == [f'metadata.annotations["{NETWORKS}"]']
    assert not places(network, annotation, "acme.com/vf: 1")


@pytest.mark.parametrize("network", [DEFINITION, SRIOV])
@pytest.mark.parametrize(
    ("annotation", "found"),
    [
        ("team: a", True),
        (f"{NETWORKS}: other", True),
        (f"{NETWORKS}: elsewhere/rdma-a", True),
        (f"{NETWORKS}: '[{{name'", False),
        ("v1.multus-cni.io/default-network: ml/rdma-a", False),
    ],
)
def test_a_device_without_its_network(network: str, annotation: str, found: bool) -> None:
    said = places(network, annotation, "acme.com/vf: 1")
    assert said == ['spec.containers[0].resources.limits["acme.com/vf"]'] * found


def test_what_a_network_does_not_say_is_not_asked_for() -> None:
    assert not places(PLAIN, f"{NETWORKS}: rdma-a", "")
    assert not places(PLAIN, "team: a", "acme.com/vf: 1")
    assert not places("", f"{NETWORKS}: rdma-a", "")
    for config in ('{"type": "macvlan"}', '{"plugins": [{"type": "ipvlan"}]}'):
        own = DEFINITION.replace('"{}"', f"'{config}'")
        assert not places(own, f"{NETWORKS}: rdma-a", "")
    sriov = DEFINITION.replace('"{}"', """'{"type": "sriov"}'""")
    assert places(sriov, f"{NETWORKS}: rdma-a", "")
    elsewhere = SRIOV.replace("networkNamespace: ml", "networkNamespace: infer")
    assert not places(elsewhere, "team: a", "acme.com/vf: 1")
    assert not places(elsewhere, f"{NETWORKS}: rdma-a", "")
