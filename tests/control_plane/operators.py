"""Other operators beside a control plane: their kinds, their webhooks by URL, our certificates.

The certificate of the control plane lies where each looks for its own, so that none makes one.
"""

from __future__ import annotations

import http.client
import json
from base64 import b64encode
from typing import TYPE_CHECKING, Literal, NamedTuple

import yaml

from tests.control_plane import binaries
from tests.control_plane.crds import established
from tests.control_plane.processes import free_ports, listens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.control_plane.client import Client, Object
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
    operator, manifests = OPERATORS[name], binaries.folder(name) / "manifests"
    webhooks, health = free_ports(2)
    kinds = list(_read(manifests / "crds"))
    for kind in kinds:
        client.create(kind)
    for kind in kinds:
        established(client, kind)
    settings = {
        "apiVersion": operator.configuration,
        "kind": "Configuration",
        "leaderElection": {"leaderElect": False},
        "health": {"healthProbeBindAddress": f"127.0.0.1:{health}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": webhooks, "certDir": str(plane.folder)},
        "internalCertManagement": {"enable": False},
        "clientConnection": {"qps": 300, "burst": 500},
    }
    path = plane.folder / f"{name}.json"
    path.write_text(json.dumps(settings), encoding="utf-8")
    process = plane.run(name, f"--config={path}", f"--kubeconfig={plane.kubeconfig}")
    process.wait(lambda: listens(webhooks) and _healthy(health))
    authority = b64encode(plane.certificates.authority.read_bytes()).decode()
    for document in _read(manifests / "webhooks"):
        document["metadata"]["name"] = f"{name}-{document['metadata']['name']}"
        for webhook in document["webhooks"]:
            # Kueue has some of the same name.
            webhook["name"] = f"{name}.{webhook['name']}"
            where = webhook["clientConfig"]["service"]["path"]
            url = f"https://127.0.0.1:{webhooks}{where}"
            webhook["clientConfig"] = {"url": url, "caBundle": authority}
            if any("pods" in rule["resources"] for rule in webhook["rules"]):
                exists = {"key": operator.pods, "operator": "Exists"}
                webhook["objectSelector"] = {"matchExpressions": [exists]}
        client.create(document)


def _read(folder: Path) -> Iterator[Object]:
    for path in sorted(folder.glob("*.yaml")):
        for document in yaml.load_all(path.read_bytes(), yaml.CSafeLoader):
            if document:
                document.pop("status", None)
                yield document


def _healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
