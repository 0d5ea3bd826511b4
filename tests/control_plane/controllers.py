"""A controller beside a control plane: where it listens, whether it is up, its kinds and webhooks.

In a cluster the API server reaches webhooks by a Service. Here they are on loopback: each reference to
the Service becomes a URL, under the certificate of the control plane.
"""

from __future__ import annotations

import http.client
from base64 import b64encode
from typing import TYPE_CHECKING

import yaml

from tests.control_plane import binaries
from tests.control_plane.crds import established
from tests.control_plane.processes import free_ports, listens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.control_plane.client import Client, Object
    from tests.control_plane.cluster import ControlPlane


class Controller:
    """The place of a controller by its name among the programs. Raises `binaries.Missing`."""

    def __init__(self, plane: ControlPlane, name: str) -> None:
        self._plane, self._name = plane, name
        self._manifests = binaries.folder(name) / "manifests"
        self.webhooks, self.health = free_ports(2)
        """The ports of its webhooks and of its probe."""
        authority = plane.certificates.authority
        self._authority = b64encode(authority.read_bytes()).decode()

    def read(self, folder: str) -> list[Object]:
        """The objects of a folder of its manifests."""
        return [
            document
            for path in sorted((self._manifests / folder).glob("*.yaml"))
            for document in yaml.load_all(path.read_bytes(), yaml.CSafeLoader)
            if document
        ]

    def establish(self, client: Client, kinds: Iterable[Object]) -> None:
        """Make its kinds, and wait until they are served."""
        made = list(kinds)
        for kind in made:
            kind.pop("status", None)
            client.create(kind)
        for kind in made:
            established(client, kind)

    def run(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        webhooks: bool = True,
        asks: bool = True,
    ) -> None:
        """Start it, and wait until it answers, its `webhooks` too if it has any.

        `asks`: whether it has an argument for how it reaches the API server; else a variable says it.
        """
        where = str(self._plane.kubeconfig)
        process = self._plane.run(
            self._name,
            *arguments,
            *([f"--kubeconfig={where}"] if asks else ()),
            environment={**(environment or {}), **({} if asks else {"KUBECONFIG": where})},
        )
        process.wait(lambda: (not webhooks or listens(self.webhooks)) and self._is_healthy())

    def url(self, path: str) -> Object:
        """What leads the API server to one of its webhooks."""
        return {
            "url": f"https://127.0.0.1:{self.webhooks}{path}",
            "caBundle": self._authority,
        }

    def _is_healthy(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.health, timeout=5)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()
