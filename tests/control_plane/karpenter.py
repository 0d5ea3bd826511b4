"""Karpenter beside a control plane, whose machines are simulated: it makes Node objects, and takes them away.

Its provider knows the machines of a file. Nobody runs on its nodes: what a kubelet says of a node that has
come up, and what ends with one that is gone, the test says.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.control_plane.client import Ref, Refused

if TYPE_CHECKING:
    from tests.control_plane.client import Client, Object
    from tests.control_plane.cluster import ControlPlane
    from tests.control_plane.controllers import Controller

GROUP, KIND, NAME = "karpenter.kwok.sh", "KWOKNodeClass", "simulated"
REFERENCE = {"group": GROUP, "kind": KIND, "name": NAME}
CLASS: Object = {"apiVersion": f"{GROUP}/v1alpha1", "kind": KIND, "metadata": {"name": NAME}}
NODES, POOLS = Ref("v1", "Node"), Ref("karpenter.sh/v1", "NodePool")
ZONES = ("zone-a", "zone-b")
_LABEL = "karpenter.sh/nodepool"
# What Karpenter counts of EC2's machines that stories are about.
MACHINES = {
    "p5.48xlarge": {"name": "h100", "gpus": 8, "cpu": 192, "memory": "1894Gi", "efa": 32},
    "g6.12xlarge": {"name": "l4", "gpus": 4, "cpu": 48, "memory": "177Gi", "efa": 1},
    "g6.48xlarge": {"name": "l4", "gpus": 8, "cpu": 192, "memory": "710Gi", "efa": 1},
    "m7i.xlarge": {"name": "", "gpus": 0, "cpu": 4, "memory": "14Gi", "efa": 0},
}


def arguments(plane: ControlPlane, controller: Controller) -> tuple[str, ...]:
    """What it is told: to be quick about it, and the machines that there are."""
    path = plane.folder / "machines.json"
    path.write_text(json.dumps([_machine(name) for name in MACHINES]), encoding="utf-8")
    return (
        f"--health-probe-port={controller.health}",
        f"--metrics-port={controller.webhooks}",
        "--disable-leader-election=true",
        "--batch-idle-duration=200ms",
        "--feature-gates=NodeOverlay=true",
        f"--instance-types-file-path={path}",
    )


def _machine(name: str) -> Object:
    """A machine as the provider reads it: what it has, and where it is to be had at which price."""
    has = MACHINES[name]
    resources = {"cpu": str(has["cpu"]), "memory": has["memory"], "ephemeral-storage": "4000Gi"}
    if has["gpus"]:
        resources |= {"nvidia.com/gpu": str(has["gpus"])}
        resources |= {"vpc.amazonaws.com/efa": str(has["efa"])}
    price = 1.0 + 10 * float(str(has["gpus"]))
    return {
        "name": name,
        "architecture": "amd64",
        "operatingSystems": ["linux"],
        "resources": resources,
        "offerings": [
            {
                "Price": price * (0.3 if capacity == "spot" else 1),
                "Available": True,
                "Requirements": [
                    _is("karpenter.sh/capacity-type", capacity),
                    _is("topology.kubernetes.io/zone", zone),
                    # As Karpenter of AWS labels its nodes.
                    _is("karpenter.k8s.aws/instance-gpu-name", str(has["name"])),
                    _is("karpenter.k8s.aws/instance-gpu-count", str(has["gpus"])),
                ],
            }
            for capacity in ("on-demand", "spot")
            for zone in ZONES
        ],
    }


def _is(key: str, value: str) -> Object:
    return {"key": key, "operator": "In", "values": [value]}


def step(client: Client) -> None:
    """What kubelets of new nodes would have said by now: that they are ready."""
    for node in client.objects(NODES, _LABEL):
        conditions = node.get("status", {}).get("conditions") or ()
        if any(each["type"] == "Ready" and each["status"] == "True" for each in conditions):
            continue
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready"}
        try:
            client.patch(Ref.of(node), {"status": {"conditions": [ready]}}, part="status")
        except Refused as refused:
            if refused.code != 404:
                raise


def made(client: Client, pool: str = "") -> list[Object]:
    """The nodes that Karpenter has made, of one NodePool if one is named."""
    return client.objects(NODES, f"{_LABEL}={pool}" if pool else _LABEL)
