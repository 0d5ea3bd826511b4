"""A small client of the Kubernetes API: JSON over one connection, and nothing between.

No validation, defaults or retries of its own, so that what a test sees is what the server said.
"""

import http.client
import json
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

Object = dict[str, Any]
T = TypeVar("T")

PAUSE = 0.05
PATIENCE = 180
"""Seconds that something may take on a busy machine; who waits for nothing waits so long."""
# The server closes a connection that was idle for longer than some minutes; ours ends before.
IDLE = 30
MERGE, JSON_PATCH, STRATEGIC, APPLY = (
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
)


class Ref(NamedTuple):
    """What names an object. Without a name, all of the kind."""

    api_version: str
    kind: str
    name: str = ""
    namespace: str = ""

    @classmethod
    def of(cls, value: Object) -> "Ref":
        """The name of an object."""
        meta = value["metadata"]
        namespace = meta.get("namespace", "")
        return cls(value["apiVersion"], value["kind"], meta.get("name", ""), namespace)


class Answer(NamedTuple):
    """What the server says of a request that it granted."""

    object: Object
    warnings: tuple[str, ...]


class Refused(Exception):
    """A request that the server refused."""

    def __init__(self, code: int, status: Object) -> None:
        super().__init__(status.get("message") or f"HTTP {code}")
        self.code = code
        self.reason: str = status.get("reason", "")
        self.message: str = status.get("message", "")
        self.causes: list[Object] = (status.get("details") or {}).get("causes") or []


class Resource(NamedTuple):
    """Where objects of a kind are served."""

    plural: str
    namespaced: bool


class Client:
    """Talks to one API server as one user."""

    def __init__(self, port: int, token: str, authority: Path) -> None:
        self._connection = http.client.HTTPSConnection(
            "127.0.0.1", port, timeout=60, context=ssl.create_default_context(cafile=authority)
        )
        self._token = token
        self._used = 0.0
        self._resources: dict[str, dict[str, Resource]] = {}

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    # ------------------------------------------------------------------------------- requests

    def create(self, value: Object, *, dry_run: bool = False, text: str | None = None) -> Answer:
        """Create an object with strict field validation.

        `text` is sent instead of the object, as YAML, where its very spelling matters.
        """
        ref = Ref.of(value)
        body = json.dumps(value) if text is None else text
        kind = "application/json" if text is None else "application/yaml"
        return self.request("POST", self.path(ref, named=False), body, kind, _strict(dry_run))

    def replace(self, value: Object, *, dry_run: bool = False) -> Answer:
        """Replace an object, as a client that read it before does."""
        path = self.path(Ref.of(value))
        return self.request("PUT", path, json.dumps(value), "application/json", _strict(dry_run))

    def apply(self, value: Object, manager: str = "gitops", *, force: bool = False) -> Answer:
        """Apply an object on the server's side, as GitOps controllers do."""
        query = _strict(False) | {"fieldManager": manager, "force": str(force).lower()}
        return self.request("PATCH", self.path(Ref.of(value)), json.dumps(value), APPLY, query)

    def patch(self, ref: Ref, change: Any, kind: str = MERGE, part: str = "") -> Object:
        """Patch an object, or a subresource of it such as `status`."""
        path = self.path(ref) + (f"/{part}" if part else "")
        return self.request("PATCH", path, json.dumps(change), kind, _strict(False)).object

    def get(self, ref: Ref) -> Object:
        """Read an object. Raises `Refused` with 404 if there is none."""
        return self.request("GET", self.path(ref)).object

    def find(self, ref: Ref) -> Object | None:
        """Read an object; None if there is none."""
        try:
            return self.get(ref)
        except Refused as refused:
            if refused.code == 404:
                return None
            raise

    def objects(self, ref: Ref, labels: str = "") -> list[Object]:
        """The objects of a kind, in one namespace or in all, with these labels."""
        query = {"labelSelector": labels} if labels else {}
        items = self.request("GET", self.path(ref, named=False), query=query).object["items"]
        return [{"apiVersion": ref.api_version, "kind": ref.kind} | item for item in items]

    def delete(self, ref: Ref, *, grace: int | None = None, policy: str = "Background") -> None:
        """Delete an object; that it is gone already is fine."""
        options: Object = {"propagationPolicy": policy}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        try:
            self.request("DELETE", self.path(ref), json.dumps(options), "application/json")
        except Refused as refused:
            if refused.code != 404:
                raise

    # ---------------------------------------------------------------------------------- below

    def path(self, ref: Ref, *, named: bool = True) -> str:
        """The path of an object, or of the list that it is in."""
        resource = self.resource(ref.api_version, ref.kind)
        path = _root(ref.api_version)
        if resource.namespaced and ref.namespace:
            path += f"/namespaces/{ref.namespace}"
        return f"{path}/{resource.plural}" + (f"/{ref.name}" if named else "")

    def resource(self, api_version: str, kind: str) -> Resource:
        """Where a kind is served. Raises `Refused` with 404 if it is not."""
        known = self._resources.get(api_version, {})
        if kind not in known:
            served = self.request("GET", _root(api_version)).object["resources"]
            known = {
                each["kind"]: Resource(each["name"], each["namespaced"])
                for each in served
                if "/" not in each["name"]
            }
            self._resources[api_version] = known
        if kind not in known:
            raise Refused(404, {"message": f"no {kind} in {api_version}", "reason": "NotFound"})
        return known[kind]

    def request(
        self,
        method: str,
        path: str,
        body: str | None = None,
        kind: str = "",
        query: dict[str, str] | None = None,
    ) -> Answer:
        """One request. Raises `Refused` with the server's status."""
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = kind
        target = path + (f"?{urlencode(query)}" if query else "")
        if time.monotonic() - self._used > IDLE:
            self._connection.close()
        try:
            self._connection.request(method, target, body and body.encode(), headers)
            response = self._connection.getresponse()
            data = response.read()
        except (http.client.HTTPException, OSError):
            self._connection.close()
            raise
        self._used = time.monotonic()
        said = _json(data)
        if response.status >= 400:
            raise Refused(response.status, said)
        return Answer(said, tuple(_warning(w) for w in response.headers.get_all("Warning") or ()))

    def healthy(self) -> bool:
        """Whether the server says that it is ready."""
        try:
            self.request("GET", "/readyz")
        except (Refused, OSError, http.client.HTTPException):
            return False
        return True


def until(probe: Callable[[], T | None], what: str, seconds: float = PATIENCE) -> T:
    """Ask again until the answer is more than nothing. Fails with `what`."""
    end = time.monotonic() + seconds
    while True:
        found = probe()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds:.0f} s: {what}")
        time.sleep(PAUSE)


def _strict(dry_run: bool) -> dict[str, str]:
    return {"fieldValidation": "Strict"} | ({"dryRun": "All"} if dry_run else {})


def _root(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"


def _json(data: bytes) -> Object:
    try:
        said = json.loads(data)
    except ValueError:
        said = None
    return said if isinstance(said, dict) else {"message": data.decode(errors="replace")}


def _warning(header: str) -> str:
    """The text of a Warning header: `299 - "text"`."""
    text = header.split(" ", 2)[2]
    return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
