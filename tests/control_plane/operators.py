"""Other operators beside a control plane: their kinds, their webhooks by URL, our certificates.

The certificate of the control plane lies where each looks for its own, so that none makes one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal, NamedTuple

from tests.control_plane.controllers import Controller

if TYPE_CHECKING:
    from tests.control_plane.client import Client
    from tests.control_plane.cluster import ControlPlane


class Operator(NamedTuple):
    """What tells one operator from another."""

    title: Literal["JobSet", "LeaderWorkerSet"]
    """Its own name."""
    configuration: str
    """The API of its manager's Configuration."""
    pods: str
    """The label of the pods that its webhooks are asked about."""


OPERATORS = {
    "jobset": Operator(
        "JobSet", "config.jobset.x-k8s.io/v1alpha1", "jobset.sigs.k8s.io/jobset-name"
    ),
    "lws": Operator(
        "LeaderWorkerSet", "config.lws.x-k8s.io/v1alpha1", "leaderworkerset.sigs.k8s.io/name"
    ),
}


def start(plane: ControlPlane, client: Client, name: str) -> None:
    """Make an operator's kinds, start it, and have the API server ask it from now on.

    Raises `binaries.Missing` if it is not built.
    """
    operator, controller = OPERATORS[name], Controller(plane, name)
    controller.establish(client, controller.read("crds"))
    settings = {
        "apiVersion": operator.configuration,
        "kind": "Configuration",
        "leaderElection": {"leaderElect": False},
        "health": {"healthProbeBindAddress": f"127.0.0.1:{controller.health}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": controller.webhooks, "certDir": str(plane.folder)},
        "internalCertManagement": {"enable": False},
        "clientConnection": {"qps": 300, "burst": 500},
    }
    path = plane.folder / f"{name}.json"
    path.write_text(json.dumps(settings), encoding="utf-8")
    controller.run(path)
    for document in controller.read("webhooks"):
        document["metadata"]["name"] = f"{name}-{document['metadata']['name']}"
        for webhook in document["webhooks"]:
            # Kueue has some of the same name.
            webhook["name"] = f"{name}.{webhook['name']}"
            webhook["clientConfig"] = controller.url(webhook["clientConfig"]["service"]["path"])
            if any("pods" in rule["resources"] for rule in webhook["rules"]):
                exists = {"key": operator.pods, "operator": "Exists"}
                webhook["objectSelector"] = {"matchExpressions": [exists]}
        client.create(document)
