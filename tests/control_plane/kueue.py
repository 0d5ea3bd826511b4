"""Kueue's controller beside a control plane: its kinds, its webhooks, its certificates.

In a cluster a Secret brings the certificate into the pod. Here the certificate of the control plane,
which has the Service's name too, is the Secret and lies where it would be mounted.
"""

from __future__ import annotations

import json
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from tests.control_plane.client import PATIENCE, Client, Object, Ref, until
from tests.control_plane.controllers import Controller

if TYPE_CHECKING:
    from pathlib import Path

    from tests.control_plane.cluster import ControlPlane

NAMESPACE, SECRET = "kueue-system", "kueue-webhook-server-cert"
# Kinds with two versions, between which the controller converts.
CONVERTED = ("clusterqueues", "cohorts", "localqueues", "multikueueclusters", "workloads")
FRAMEWORKS = (
    "batch/job",
    "jobset.x-k8s.io/jobset",
    "kubeflow.org/mpijob",
    "kubeflow.org/pytorchjob",
    "kubeflow.org/tfjob",
    "leaderworkerset.x-k8s.io/leaderworkerset",
    "ray.io/raycluster",
    "ray.io/rayjob",
    "ray.io/rayservice",
    "pod",
    "deployment",
    "statefulset",
)
TRAINING = ("trainer.kubeflow.org/trainjob",)
"""Kinds whose controllers not every control plane has: Kueue judges TrainJobs by their runtimes."""
# Kueue keeps its webhooks off its own namespace and the system's.
SPARED: Object = {
    "matchExpressions": [
        {
            "key": "kubernetes.io/metadata.name",
            "operator": "NotIn",
            "values": ["kube-system", NAMESPACE],
        }
    ]
}


class Kueue:
    """Starts the controller of one control plane, with these settings of its Configuration."""

    def __init__(self, plane: ControlPlane, settings: dict[str, Any]) -> None:
        self._plane = plane
        self._settings = settings
        self._controller = Controller(plane, "kueue")

    def start(self, client: Client) -> None:
        """Make its kinds, start it, and have the API server ask it from now on."""
        client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        client.create(self._secret())
        self._controller.establish(client, map(self._kind, self._controller.read("crds")))
        self._controller.run(f"--config={self._configuration()}")
        for document in self._controller.read("webhooks"):
            client.create(self._webhook(document))

    def _secret(self) -> Object:
        made = self._plane.certificates
        files = {
            "ca.crt": made.authority,
            "ca.key": made.authority_key,
            "tls.crt": made.server,
            "tls.key": made.server_key,
        }
        return {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": SECRET, "namespace": NAMESPACE},
            "data": {name: b64encode(path.read_bytes()).decode() for name, path in files.items()},
        }

    def _kind(self, document: Object) -> Object:
        if document["spec"]["names"]["plural"] in CONVERTED:
            document["spec"]["conversion"] = {
                "strategy": "Webhook",
                "webhook": {
                    "clientConfig": self._controller.url("/convert"),
                    "conversionReviewVersions": ["v1"],
                },
            }
        return document

    def _webhook(self, document: Object) -> Object:
        name = document["metadata"]["name"]
        document["metadata"]["name"] = f"kueue-{name}"
        for webhook in document["webhooks"]:
            webhook["clientConfig"] = self._controller.url(
                webhook["clientConfig"]["service"]["path"]
            )
            groups = {group for rule in webhook["rules"] for group in rule["apiGroups"]}
            if "kueue.x-k8s.io" not in groups:
                webhook["namespaceSelector"] = SPARED
        return document

    def _configuration(self) -> Path:
        settings = {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2",
            "kind": "Configuration",
            "namespace": NAMESPACE,
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self._controller.health}"},
            "metrics": {"bindAddress": "0"},
            "webhook": {
                "host": "127.0.0.1",
                "port": self._controller.webhooks,
                "certDir": str(self._plane.folder),
            },
            "leaderElection": {"leaderElect": False},
            "clientConnection": {"qps": 300, "burst": 500},
            "internalCertManagement": {
                "enable": True,
                "webhookServiceName": "kueue-webhook-service",
                "webhookSecretName": SECRET,
            },
            "integrations": {"frameworks": list(FRAMEWORKS)},
            # Its server of pending workloads would write its own certificates at the root.
            "featureGates": {"VisibilityOnDemand": False},
            **self._settings,
        }
        path = self._plane.folder / "kueue.json"
        path.write_text(json.dumps(settings), encoding="utf-8")
        return path


def admitted(client: Client, namespace: str, seconds: float = PATIENCE) -> list[Object]:
    """The workloads of a namespace, once Kueue has admitted all that are there."""

    def probe() -> list[Object] | None:
        found = client.objects(Ref("kueue.x-k8s.io/v1beta2", "Workload", namespace=namespace))
        return found if found and all(condition(one, "Admitted") for one in found) else None

    return until(probe, f"workloads in {namespace} are admitted", seconds)


def condition(value: Object, kind: str) -> bool:
    """Whether a condition of an object is true."""
    conditions = value.get("status", {}).get("conditions") or []
    return any(each["type"] == kind and each["status"] == "True" for each in conditions)
