"""GPU782: beyond what its page shows."""

import json

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: ml, annotations: {ANNOTATION}}
spec:
  MORE
  containers:
    - name: main
      image: x
      resources: {limits: {nvidia.com/gpu: 8}}
      env: [{name: NAME, value: "TOLD"}]
"""
KEY = "networking.gke.io/interfaces"
ROWS = [{"interfaceName": f"eth{at}", "network": f"vpc{at}"} for at in range(1, 5)]
ALL = "eth1,eth2,eth3,eth4"
TCPX, TCPXO = "NCCL_GPUDIRECTTCPX_SOCKET_IFNAME", "NCCL_FASTRAK_IFNAME"


def said(
    rows: object = ROWS, told: str = ALL, name: str = TCPX, more: str = "restartPolicy: Never"
) -> list[str]:
    annotation = "team: a" if rows is None else f"{KEY}: '{rows}'"
    if isinstance(rows, list):
        annotation = f"{KEY}: '{json.dumps(rows)}'"
    text = POD.replace("ANNOTATION", annotation).replace("MORE", more)
    text = text.replace("NAME", name).replace("TOLD", told)
    return [one.finding().message for one in raised(text) if one.rule.code == "GPU782"]


@pytest.mark.parametrize("name", [TCPX, TCPXO])
def test_what_is_attached_is_right(name: str) -> None:
    assert said(name=name) == []
    assert said(name=name, told="eth0, eth1") == [], "every pod has eth0"


@pytest.mark.parametrize("name", [TCPX, TCPXO])
def test_what_is_not_attached_is_named(name: str) -> None:
    (found,) = said(ROWS[:2], name=name)
    assert "does not create `eth3`, `eth4`" in found
    (found,) = said(None, name=name)
    assert "provides none of these interfaces" in found


@pytest.mark.parametrize("rows", ["${INTERFACES}", "{}"])
def test_what_cannot_be_read_is_left_alone(rows: str) -> None:
    assert said(rows) == []


@pytest.mark.parametrize(
    "more",
    [
        "hostNetwork: true",
        "resourceClaims: [{name: rdma, resourceClaimTemplateName: all-rdma}]",
    ],
)
def test_the_nodes_network_and_claims_bring_interfaces_of_their_own(more: str) -> None:
    assert said(None, more=more) == []


def test_a_value_that_something_fills_in_is_left_alone() -> None:
    assert said(None, told="$(IFACES)") == []


def test_an_interface_of_the_node() -> None:
    pod = """\
apiVersion: v1
kind: Pod
metadata: {name: work, annotations: {ANNOTATION: x}}
spec:
  hostNetwork: HOST
  containers:
    - name: main
      image: registry.example.com/work:1
      env: [{name: NCCL_SOCKET_IFNAME, value: "VALUE"}]
      resources: {limits: {nvidia.com/gpu: 1}}
"""

    def messages(value: str, host: str = "false", annotation: str = "team") -> list[str]:
        text = pod.replace("VALUE", value).replace("HOST", host).replace("ANNOTATION", annotation)
        return [one.found.message for one in raised(text) if one.rule.code == "GPU782"]

    (message,) = messages("ens5,bond0")
    assert "names `ens5`, `bond0` of the node" in message
    for value in ("eth0", "^lo,docker", "eth0,ens5", "net1", "=eth0"):
        assert messages(value) == []
    assert messages("ens5", host="true") == []
    assert messages("ens5", annotation="k8s.v1.cni.cncf.io/networks") == []
