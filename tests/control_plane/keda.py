"""KEDA beside a control plane: its operator, and the adapter that the HPAs it makes ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.control_plane import measured
from tests.control_plane.processes import free_ports

if TYPE_CHECKING:
    from tests.control_plane.client import Client
    from tests.control_plane.cluster import ControlPlane
    from tests.control_plane.controllers import Controller

ADAPTER = "keda-adapter"
NAMESPACE = "keda"
ENVIRONMENT = {
    "WATCH_NAMESPACE": "",
    "POD_NAMESPACE": NAMESPACE,
    "KEDA_CLUSTER_OBJECT_NAMESPACE": NAMESPACE,
}


def arguments(plane: ControlPlane, controller: Controller) -> tuple[str, ...]:
    """What its operator is told; on the port that others have for webhooks the adapter asks it."""
    return (
        f"--health-probe-bind-address=127.0.0.1:{controller.health}",
        "--metrics-bind-address=127.0.0.1:0",
        f"--metrics-service-bind-address=127.0.0.1:{controller.webhooks}",
        f"--cert-dir={plane.folder}",
        "--kube-api-qps=300",
        "--kube-api-burst=500",
    )


def adapter(plane: ControlPlane, client: Client, controller: Controller) -> None:
    """Start the adapter, and have the API server ask it for external metrics."""
    port, other = free_ports(2)
    plane.run(
        ADAPTER,
        f"--secure-port={port}",
        "--bind-address=127.0.0.1",
        f"--port={other}",
        f"--metrics-service-address=localhost:{controller.webhooks}",
        f"--client-ca-file={plane.certificates.authority}",
        f"--tls-cert-file={plane.certificates.server}",
        f"--tls-private-key-file={plane.certificates.server_key}",
        f"--cert-dir={plane.folder}",
        *(
            f"--{each}kubeconfig={plane.kubeconfig}"
            for each in ("", "lister-", "authentication-", "authorization-")
        ),
        environment=ENVIRONMENT,
    )
    measured.register(client, measured.EXTERNAL, port)
