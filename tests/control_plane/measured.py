"""What autoscalers measure, as a test says it: a Prometheus, and an adapter of the metrics APIs.

The API server leads a metrics API to a Service; here that Service is a name for loopback.
"""

from __future__ import annotations

import json
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.control_plane.client import Ref, Refused, until

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from tests.control_plane.client import Client, Object
    from tests.control_plane.cluster import ControlPlane

CUSTOM, EXTERNAL = "v1beta2.custom.metrics.k8s.io", "v1beta1.external.metrics.k8s.io"
NAMESPACE = "metrics"


class Answering:
    """A server on loopback; a context manager. `answer` makes JSON of a path and its query."""

    def __init__(self, secure: ControlPlane | None = None) -> None:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = urlsplit(self.path)
                found = outer.answer(unquote(asked.path), parse_qs(asked.query))
                body = json.dumps({} if found is None else found).encode()
                self.send_response(404 if found is None else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if secure is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(secure.certificates.server, secure.certificates.server_key)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = int(self._server.server_address[1])

    def __enter__(self) -> Any:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, query: dict[str, list[str]]) -> Any:
        """What is said; None for what is not there."""
        raise NotImplementedError


class Prometheus(Answering):
    """A Prometheus in which every query has the same answer, but for those that name what it has."""

    def __init__(self) -> None:
        super().__init__()
        self.value: float | None = 0
        """None: no series is found."""
        self.named: dict[str, float] = {}
        """Values of queries that have this in them."""
        self.queries: list[str] = []
        """What was asked."""

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    def answer(self, path: str, query: dict[str, list[str]]) -> Any:
        """The value, as an instant vector."""
        if path != "/api/v1/query":
            return None
        (asked,) = query["query"]
        self.queries.append(asked)
        value = next((self.named[name] for name in self.named if name in asked), self.value)
        found = [] if value is None else [{"metric": {}, "value": [time.time(), str(value)]}]
        return {"status": "success", "data": {"resultType": "vector", "result": found}}


class Adapter(Answering):
    """An adapter of both metrics APIs in which every metric has the same value."""

    def __init__(self, plane: ControlPlane, pods: Callable[[str], list[str]]) -> None:
        super().__init__(plane)
        self._pods = pods
        self.value = 0
        self.paths: list[str] = []
        """What was asked, without its query."""
        self.selectors: list[str] = []

    def answer(self, path: str, query: dict[str, list[str]]) -> Any:
        """Discovery, or the value of what is asked for."""
        steps = path.strip("/").split("/")
        if steps[0] != "apis" or len(steps) < 3:
            return None
        _, group, version, *rest = steps
        if not rest:
            return _resources(group, version)
        self.paths.append(path)
        self.selectors += query.get("labelSelector", [])
        namespace, what = rest[1], rest[2]
        api = f"{group}/{version}"
        if group.startswith("external"):
            value = {"metricName": what, "value": str(self.value), **_now()}
            return {"kind": "ExternalMetricValueList", "apiVersion": api, "items": [value]}
        names = self._pods(namespace) if what == "pods" else [rest[3]]
        kind = "Pod" if what == "pods" else "Service"
        items = [
            {
                "describedObject": {"kind": kind, "namespace": namespace, "name": name},
                "metric": {"name": rest[4]},
                "value": str(self.value),
                **_now(),
            }
            for name in names
        ]
        return {"kind": "MetricValueList", "apiVersion": api, "items": items}


def register(client: Client, name: str, port: int) -> None:
    """Have the API server lead a metrics API to a port of loopback, and wait until it does."""
    version, group = name.split(".", 1)
    service = f"{name.replace('.', '-')}"
    for each in (
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": service, "namespace": NAMESPACE},
            "spec": {"type": "ExternalName", "externalName": "localhost"},
        },
        {
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {"name": name},
            "spec": {
                "group": group,
                "version": version,
                "service": {"name": service, "namespace": NAMESPACE, "port": port},
                "insecureSkipTLSVerify": True,
                "groupPriorityMinimum": 100,
                "versionPriority": 100,
            },
        },
    ):
        _ensure(client, each)
    ref = Ref("apiregistration.k8s.io/v1", "APIService", name)
    until(lambda: _available(client.get(ref)), f"{name} is served")


def _ensure(client: Client, value: Object) -> None:
    try:
        client.create(value)
    except Refused as refused:
        if refused.code != 409:
            raise


def _available(service: Object) -> bool:
    conditions = service.get("status", {}).get("conditions", ())
    return any(one["type"] == "Available" and one["status"] == "True" for one in conditions)


def _resources(group: str, version: str) -> Object:
    """The list by which clients discover that an API is there."""
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": f"{group}/{version}",
        "resources": [],
    }


def _now() -> Object:
    return {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
