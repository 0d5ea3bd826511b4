"""A small API server on loopback: as much of one as `kubectl get` asks for."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

VERSIONS = {
    "v1": [
        *("nodes", "pods", "namespaces", "persistentvolumes", "persistentvolumeclaims"),
        *("resourcequotas", "services"),
    ],
    "apps/v1": ["deployments"],
    "batch/v1": ["jobs"],
    "node.k8s.io/v1": ["runtimeclasses"],
    "scheduling.k8s.io/v1": ["priorityclasses"],
}
CLAIMS = {
    "resource.k8s.io/v1": [
        *("resourceslices", "deviceclasses", "resourceclaims", "resourceclaimtemplates")
    ]
}
KINDS = {"priorityclasses": "PriorityClass", "runtimeclasses": "RuntimeClass"}
SHORT = {
    **{"namespaces": "ns", "persistentvolumes": "pv", "persistentvolumeclaims": "pvc"},
    **{
        "priorityclasses": "pc",
        "resourcequotas": "quota",
        "deployments": "deploy",
        "services": "svc",
    },
}
KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: eu-prod
clusters: [{{name: eu, cluster: {{server: "{server}"}}}}]
contexts: [{{name: eu-prod, context: {{cluster: eu, user: me}}}}]
users: [{{name: me, user: {{}}}}]
"""


@contextmanager
def serving(
    objects: list[dict[str, Any]], folder: Path, *, claims: bool = True, forbidden: str = ""
) -> Iterator[Path]:
    """A server with some objects, whose kubeconfig is in the folder; one kind may not be read."""
    versions = {**VERSIONS, **(CLAIMS if claims else {})}

    def answer(path: str) -> tuple[int, dict[str, Any]]:
        if path == "/api":
            return 200, {"kind": "APIVersions", "versions": ["v1"]}
        if path == "/apis":
            return 200, {
                "kind": "APIGroupList",
                "groups": [_group(v) for v in versions if "/" in v],
            }
        version = path.removeprefix("/apis/").removeprefix("/api/")
        if version in versions:
            found = [_resource(name) for name in versions[version]]
            listed = {"kind": "APIResourceList", "groupVersion": version, "resources": found}
            return 200, listed
        version, _, name = version.rpartition("/")
        if name not in versions.get(version, ()):
            return 404, _status(404, "the server could not find the requested resource")
        if name == forbidden:
            said = f'{name} is forbidden: User "me" cannot list resource "{name}"'
            return 403, _status(403, said, "Forbidden")
        kind = _kind(name)
        items = [one for one in objects if one["kind"] == kind]
        return 200, {"kind": f"{kind}List", "apiVersion": version, "metadata": {}, "items": items}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            code, body = answer(self.path.partition("?")[0])
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        config = folder / "kubeconfig"
        config.write_text(KUBECONFIG.format(server=f"http://127.0.0.1:{server.server_port}"))
        yield config
        server.shutdown()


def _group(version: str) -> dict[str, Any]:
    name, _, short = version.partition("/")
    told = {"groupVersion": version, "version": short}
    return {"name": name, "versions": [told], "preferredVersion": told}


def _resource(name: str) -> dict[str, Any]:
    short = [SHORT[name]] if name in SHORT else []
    told = {"name": name, "kind": _kind(name), "namespaced": False, "shortNames": short}
    return {**told, "singularName": _kind(name).lower(), "verbs": ["get", "list"]}


def _kind(name: str) -> str:
    return KINDS.get(name, name.removesuffix("s").capitalize())


def _status(code: int, message: str, reason: str = "NotFound") -> dict[str, Any]:
    told = {"kind": "Status", "apiVersion": "v1", "status": "Failure"}
    return {**told, "code": code, "message": message, "reason": reason}
