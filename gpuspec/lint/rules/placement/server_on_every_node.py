"""A model server that runs once on each node, however many requests there are."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.selecting import services_of
from gpuspec.lint.analysis.serving.servers import gpu_workers, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU868",
    "server-on-every-node",
    "info",
    "A model server is a DaemonSet, with one pod on every node",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield known model servers with devices, unless they are intended for clients on the same
    node."""
    owner = pod.object
    server = next(filter(None, map(server_of, gpu_workers(pod))), None)
    if server is None or not owner.is_a("apps", "DaemonSet"):
        return
    services = services_of(pod, context.collection)
    if any(service.spec.get("internalTrafficPolicy") == "Local" for service in services):
        return
    if any("hostPort" in port for container in pod.containers for port in container.ports):
        return
    if pod.spec.get("hostNetwork") is True:
        return
    yield RawFinding(
        owner.path("kind"),
        f"a DaemonSet runs one {server.title} server on each eligible node: every new node loads "
        "the model again, and no autoscaler can set the number of servers",
        note="use a Deployment, whose `replicas` an autoscaler can change",
        confidence="possible",
    )
