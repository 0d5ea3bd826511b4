"""Host ports of a pod's containers.

Source: Kubernetes 1.37, `GetHostPorts` and `HostPortInfo` of the scheduler; with `hostNetwork` the
API server makes each container port a host port.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.fleet.scheduler.reading import rows, text, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_ANY = ("", "0.0.0.0")


class HostPort(msgspec.Struct, frozen=True):
    """A port of the host on one of its addresses; an empty address is all of them."""

    port: int
    protocol: str = "TCP"
    address: str = ""

    def clashes(self, host_port: HostPort) -> bool:
        """Return whether two pods with these cannot share a node."""
        if self.port != host_port.port or self.protocol != host_port.protocol:
            return False
        return not self.address or not host_port.address or self.address == host_port.address


def host_ports(spec: Mapping[str, Any]) -> tuple[HostPort, ...]:
    """Return the host ports of a pod's containers, and of its sidecars."""
    lasting = [
        init_container
        for init_container in rows(spec.get("initContainers"))
        if init_container.get("restartPolicy") == "Always"
    ]
    shared = spec.get("hostNetwork") is True
    ports = []
    for container in (*lasting, *rows(spec.get("containers"))):
        for row in rows(container.get("ports")):
            port = whole(row.get("hostPort"), 0)
            if not port and shared:
                port = whole(row.get("containerPort"), 0)
            if port > 0:
                address = text(row.get("hostIP"))
                protocol = text(row.get("protocol")) or "TCP"
                ports.append(HostPort(port, protocol, "" if address in _ANY else address))
    return tuple(ports)


def clash(these: Iterable[HostPort], those: Iterable[HostPort]) -> bool:
    """Return whether pods with these ports cannot share a node."""
    those = tuple(those)
    return any(host_port.clashes(other_port) for host_port in these for other_port in those)
