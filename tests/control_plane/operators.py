"""Other operators beside a control plane: their kinds, their webhooks by URL, our certificates.

Each finds the certificate of the control plane where it looks for its own, so that none makes one.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tests.control_plane import binaries, karpenter, keda
from tests.control_plane.controllers import Controller

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.control_plane.client import Client, Object
    from tests.control_plane.cluster import ControlPlane

Title = Literal[
    "JobSet",
    "LeaderWorkerSet",
    "Kubeflow Trainer",
    "Kubeflow training-operator",
    "Kubeflow mpi-operator",
    "KubeRay",
    "KServe",
    "KServe llmisvc",
    "AppWrapper",
    "KEDA",
    "Karpenter",
]


class Operator(NamedTuple):
    """What tells one operator from another."""

    title: Title
    """Its own name."""
    settings: Callable[[ControlPlane, Controller], dict[str, Any] | None]
    """Its manager's Configuration; None for one that has only arguments."""
    arguments: Callable[[ControlPlane, Controller], tuple[str, ...]] = lambda *_: ()
    pods: str | None = None
    """The label of the pods that its webhooks are asked about."""
    webhooks: bool = True
    """Whether its webhooks are asked."""
    asks: bool = True
    """Whether it has an argument for how it reaches the API server."""
    stored: tuple[Object, ...] = ()
    """What it reads from the API server when it starts: its configuration, and where that is."""
    namespace: str = ""
    """Where the presets are that it brings."""
    looks_for: str = ""
    """Whose kinds it looks for when it starts, if that is built: what it makes is theirs."""
    environment: Mapping[str, str] = MappingProxyType({})
    """Variables that it does not start without."""
    beside: Callable[[ControlPlane, Client, Controller], None] = lambda *_: None
    """Starts what else belongs to it."""


def _none(_: ControlPlane, __: Controller) -> None:
    return None


def _manager(
    api: str, *, told: bool = True, **more: Any
) -> Callable[[ControlPlane, Controller], dict[str, Any]]:
    """The Configuration of a manager that reads one, of this API, `told` where its certificate is."""

    def settings(plane: ControlPlane, controller: Controller) -> dict[str, Any]:
        webhook: dict[str, Any] = {"host": "127.0.0.1", "port": controller.webhooks}
        if told:
            webhook["certDir"] = str(plane.folder)
        return {
            "apiVersion": api,
            "kind": "Configuration",
            "leaderElection": {"leaderElect": False},
            "health": {"healthProbeBindAddress": f"127.0.0.1:{controller.health}"},
            "metrics": {"bindAddress": "0"},
            "webhook": webhook,
            "clientConnection": {"qps": 300, "burst": 500},
            **more,
        }

    return settings


def _flags(plane: ControlPlane, controller: Controller) -> tuple[str, ...]:
    return (
        f"--health-probe-bind-address=127.0.0.1:{controller.health}",
        f"--webhook-server-port={controller.webhooks}",
        f"--webhook-cert-dir={plane.folder}",
    )


def _probe(_: ControlPlane, controller: Controller) -> tuple[str, ...]:
    return (f"--health-probe-bind-address=127.0.0.1:{controller.health}",)


def _llm(_: ControlPlane, controller: Controller) -> tuple[str, ...]:
    return (
        f"--health-probe-addr=127.0.0.1:{controller.health}",
        f"--webhook-port={controller.webhooks}",
        "--metrics-addr=0",
    )


def _ray(plane: ControlPlane, controller: Controller) -> tuple[str, ...]:
    return (*_probe(plane, controller), "--metrics-addr=0", "--enable-leader-election=false")


# What its own installation writes, where that matters: the mode, and resources of what has none. Nothing
# here is an ingress.
_KSERVE: tuple[Object, ...] = (
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kserve"}},
    # What it reads of Knative's own settings.
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "knative-serving"}},
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "config-autoscaler", "namespace": "knative-serving"},
    },
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "inferenceservice-config", "namespace": "kserve"},
        "data": {
            key: json.dumps(value)
            for key, value in {
                "deploy": {"defaultDeploymentMode": "Serverless"},
                "inferenceService": {
                    "resource": {
                        **{"cpuLimit": "1", "cpuRequest": "1"},
                        **{"memoryLimit": "2Gi", "memoryRequest": "2Gi"},
                    }
                },
                "ingress": {
                    "ingressGateway": "knative-serving/knative-ingress-gateway",
                    "ingressDomain": "example.com",
                    "disableIngressCreation": True,
                },
                "storageInitializer": {
                    **{"image": "kserve/storage-initializer:latest", "enableModelcar": True},
                    **{"cpuLimit": "1", "cpuRequest": "100m", "cpuModelcar": "10m"},
                    **{"memoryLimit": "1Gi", "memoryRequest": "100Mi", "memoryModelcar": "15Mi"},
                },
                **{
                    name: {
                        **{"image": "kserve/agent:latest", "cpuLimit": "1", "cpuRequest": "100m"},
                        **{"memoryLimit": "1Gi", "memoryRequest": "100Mi"},
                    }
                    for name in ("logger", "batcher", "agent", "router")
                },
            }.items()
        },
    },
)


_EXTERNAL: dict[str, Any] = {"internalCertManagement": {"enable": False}}
OPERATORS = {
    "jobset": Operator(
        "JobSet",
        _manager("config.jobset.x-k8s.io/v1alpha1", **_EXTERNAL),
        pods="jobset.sigs.k8s.io/jobset-name",
    ),
    "lws": Operator(
        "LeaderWorkerSet",
        _manager("config.lws.x-k8s.io/v1alpha1", **_EXTERNAL),
        pods="leaderworkerset.sigs.k8s.io/name",
    ),
    "trainer": Operator(
        "Kubeflow Trainer",
        _manager(
            "config.trainer.kubeflow.org/v1alpha1",
            told=False,
            certManagement={"enable": False},
        ),
    ),
    "training-operator": Operator("Kubeflow training-operator", _none, _flags),
    # It has no webhooks: what it refuses is a condition of the MPIJob.
    "mpi-operator": Operator("Kubeflow mpi-operator", _none, _probe, webhooks=False),
    "kuberay": Operator("KubeRay", _none, _ray, webhooks=False),
    "kserve": Operator("KServe", _none, _flags, stored=_KSERVE, looks_for="knative"),
    "llmisvc": Operator("KServe llmisvc", _none, _llm, stored=_KSERVE, namespace="kserve"),
    "appwrapper": Operator("AppWrapper", _none, _flags, webhooks=False),
    # What its webhook refuses the judge of refusals says; the operator runs without it.
    "keda": Operator(
        "KEDA",
        _none,
        keda.arguments,
        webhooks=False,
        environment=keda.ENVIRONMENT,
        beside=keda.adapter,
    ),
    # With its provider of simulated machines.
    "karpenter": Operator(
        "Karpenter",
        _none,
        karpenter.arguments,
        webhooks=False,
        asks=False,
        stored=(karpenter.CLASS,),
    ),
}
ALWAYS = ("jobset", "lws")
"""Those that every control plane of the tests has."""
SERVING = ("lws", "llmisvc")
"""KServe's controller of LLMInferenceServices, and what it has groups made by."""
PROVISIONING = (*ALWAYS, "karpenter")
"""Karpenter, and those whose pods it makes nodes for."""
SCALING = ("lws", "kserve", "keda")
"""KEDA, and those whose servers it scales."""
WRAPPING = ("jobset", "training-operator", "appwrapper")
"""AppWrapper, and those whose objects it wraps."""


def start(plane: ControlPlane, client: Client, name: str) -> None:
    """Make an operator's kinds and those that it needs beside, start it, and have the API server ask it
    from now on.

    Raises `binaries.Missing` if it is not built.
    """
    operator, controller = OPERATORS[name], Controller(plane, name)
    controller.establish(client, (*controller.read("beside"), *controller.read("crds")))
    if operator.looks_for and not binaries.unbuilt(operator.looks_for):
        controller.establish(client, Controller(plane, operator.looks_for).read("crds"))
    arguments = operator.arguments(plane, controller)
    settings = operator.settings(plane, controller)
    if settings is not None:
        path = plane.folder / f"{name}.json"
        path.write_text(json.dumps(settings), encoding="utf-8")
        arguments = (*arguments, f"--config={path}")
    for each in operator.stored:
        client.create(each)
    for each in controller.read("presets"):
        each["metadata"]["namespace"] = operator.namespace
        client.create(each)
    environment = {"TMPDIR": str(_temporary(plane)), **operator.environment}
    controller.run(
        *arguments, environment=environment, webhooks=operator.webhooks, asks=operator.asks
    )
    if operator.webhooks:
        for document in controller.read("webhooks"):
            client.create(_webhook(document, name, operator, controller))
    operator.beside(plane, client, controller)


def _temporary(plane: ControlPlane) -> Path:
    """A folder for temporary files, in which managers look for a certificate where none is named."""
    folder = plane.folder / "tmp"
    served = folder / "k8s-webhook-server"
    if not served.exists():
        served.mkdir(parents=True)
        (served / "serving-certs").symlink_to(plane.folder, target_is_directory=True)
    return folder


def _webhook(document: Object, name: str, operator: Operator, controller: Controller) -> Object:
    document["metadata"]["name"] = f"{name}-{document['metadata']['name']}"
    for webhook in document["webhooks"]:
        # Kueue has some of the same name.
        webhook["name"] = f"{name}.{webhook['name']}"
        webhook["clientConfig"] = controller.url(webhook["clientConfig"]["service"]["path"])
        if operator.pods and any("pods" in rule["resources"] for rule in webhook["rules"]):
            exists = {"key": operator.pods, "operator": "Exists"}
            webhook["objectSelector"] = {"matchExpressions": [exists]}
    return document
