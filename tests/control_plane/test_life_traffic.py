"""The life of what leads clients to servers: stored by their definitions, and the picker itself at work."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from gpuspec import runtimes
from tests.control_plane import binaries, crds
from tests.control_plane.client import Client, Object, Ref, Refused
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.conftest import Worlds
from tests.control_plane.processes import Process, free_ports
from tests.control_plane.scraped import metrics
from tests.control_plane.specs import L4, pool, server
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
DEFINED = ("epp", "gateway-api", "envoy-gateway", "openshift")
INSTALLED = {"gateway-api": "1.4", "inference-extension": "1.5", "envoy-gateway": "1.9"}
EPP = "registry.k8s.io/gateway-api-inference-extension/epp:v1.5.0"
GATEWAY = {
    "name": "public",
    "namespace": "gateway",
    "implementation": "envoy-gateway",
    "picker": {"image": EPP, "cpu": 1, "memory": "2Gi"},
}
NETWORK = {"ingress": [{"namespace": "gateway"}], "metrics": [{"namespace": "monitoring"}]}
ROUTE = {"hosts": ["chat.example.com", "chat.example.org"], "paths": ["/v1"]}
IMAGES = {"vllm": "vllm/vllm-openai:v0.33.0", "sglang": "lmsysorg/sglang:v0.5.23"}
ADDRESSES = ("127.0.0.1", "127.0.0.2")


@pytest.fixture(scope="module", autouse=True)
def defined(guarded_plane: ControlPlane) -> None:
    """The kinds of gateways."""
    try:
        found = [path for name in DEFINED for path in binaries.definitions(name).glob("*.yaml")]
    except binaries.Missing as missing:
        pytest.skip(str(missing))
    crds.define(guarded_plane.client(), sorted(found))


@pytest.fixture
def here(guarded_world: Worlds) -> World:
    """Two nodes of one GPU, and another one, behind a Gateway with a picker, the network closed."""
    return guarded_world(
        pool("l4", L4, nodes=2, gpus=1),
        pool("other", L4, nodes=1, gpus=1, taints=[], labels={"example.com/pool": "other"}),
        installed=INSTALLED,
        gateway=GATEWAY,
        network=NETWORK,
    )


def chat(runtime: str = "vllm", port: int = 8000, **more: Any) -> Object:
    """A server with a route."""
    said: Object = {"route": ROUTE, "expose": {"containerPort": port}, "probes": {}, "command": []}
    made = server("chat", runtime=runtime, image=IMAGES[runtime], **(said | more))
    made["spec"]["model"] = {"id": "org/model", "size": "16Gi", "source": {"hub": {}}}
    return made


def told(value: Any, of: Any) -> bool:
    """Whether a server keeps all that was said, whatever it fills in."""
    if isinstance(value, dict):
        return all(key in of and told(each, of[key]) for key, each in value.items())
    if isinstance(value, list):
        return len(value) == len(of) and all(map(told, value, of))
    return bool(value == of)


@pytest.mark.parametrize("more", [{}, {"picker": None}])
def test_what_leads_to_a_server_is_stored_as_it_is_rendered(
    guarded_world: Worlds, more: Object
) -> None:
    gateway = {key: each for key, each in (GATEWAY | more).items() if each}
    here = guarded_world(
        pool("l4", L4, nodes=1), installed=INSTALLED, gateway=gateway, network=NETWORK
    )
    kinds = kept(here, chat(replicas=3))
    assert ("InferencePool" in kinds) is (not more)
    assert {"HTTPRoute", "BackendTrafficPolicy"} <= kinds


def test_routes_of_openshift_are_stored_as_they_are_rendered(guarded_world: Worlds) -> None:
    gateway = {"implementation": "openshift-router"}
    here = guarded_world(pool("l4", L4, nodes=1), provider="openshift", gateway=gateway)
    assert "Route" in kept(here, chat())


def kept(here: World, spec: Object) -> set[str]:
    """The kinds of what is rendered, all of which the API server takes without a word."""
    kinds = set()
    for each in here.render(spec):
        answer = here.client.create(each, dry_run=True)
        assert not answer.warnings
        if "." in each["apiVersion"]:
            assert told(each.get("spec", {}), answer.object.get("spec"))
        kinds.add(each["kind"])
    return kinds


@pytest.mark.parametrize("runtime", IMAGES)
def test_the_picker_knows_the_servers_and_their_queues(
    here: World, guarded_plane: ControlPlane, tmp_path: Path, runtime: str
) -> None:
    """The program itself, with the options, the file and the rights that are rendered."""
    (port,) = free_ports(1)
    made = here.render(chat(runtime, port, replicas=2))
    here.create(made)
    server = Ref("apps/v1", "Deployment", "chat", here.namespace)
    here.started(server, 2)
    for address, pod in zip(ADDRESSES, here.pods(server), strict=True):
        ready = {"podIP": address, "podIPs": [{"ip": address}]}
        here.client.patch(Ref.of(pod), {"status": ready}, part="status")
    known = runtimes.get(runtime).metrics
    assert known is not None
    with ExitStack() as running:
        for address, waiting in zip(ADDRESSES, (6, 2), strict=True):
            told = {known.queue: waiting, str(known.running): 1, str(known.cache): 0.5}
            running.enter_context(metrics(address, port, told))
        ask = running.enter_context(picker(guarded_plane, here, made, tmp_path))
        here.until(lambda: ask("ready_pods") == 2, "the picker reads the metrics of both")
        here.until(lambda: ask("average_queue_size") == 4, "the picker knows their queues")
    here.until(partial(runs, here), "the picker's own pod is admitted, and runs")


def runs(here: World) -> bool:
    return bool(here.pods(Ref("apps/v1", "Deployment", "chat-epp", here.namespace), "Running"))


def test_the_picker_may_do_nothing_but_watch(here: World, guarded_plane: ControlPlane) -> None:
    here.create(here.render(chat()))
    mine = Client(guarded_plane.port, token(here), guarded_plane.certificates.authority)
    group = "inference.networking.k8s.io/v1"
    pool = Ref(group, "InferencePool", "chat", here.namespace)
    path = f"/apis/{group}/namespaces/{here.namespace}/inferencepools"
    assert mine.objects(Ref("v1", "Pod", namespace=here.namespace)) is not None
    assert mine.request("GET", path, query={"fieldSelector": "metadata.name=chat"}).object
    for act in (
        lambda: mine.request("GET", path),
        lambda: mine.objects(Ref("v1", "Secret", namespace=here.namespace)),
        lambda: mine.objects(Ref("v1", "Pod", namespace="default")),
        lambda: mine.delete(pool),
    ):
        with pytest.raises(Refused, match="forbidden"):
            act()
    mine.close()


def token(here: World) -> str:
    """A token of the picker's own account, as its pod has one."""
    path = f"/api/v1/namespaces/{here.namespace}/serviceaccounts/chat-epp/token"
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    answer = here.client.request("POST", path, json.dumps(body), "application/json")
    return str(answer.object["status"]["token"])


class Asked:
    """What a picker says of its pool, by its metrics."""

    def __init__(self, port: int) -> None:
        self._port = port

    def __call__(self, name: str) -> float | None:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=5)
        try:
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
        except OSError:
            return None
        finally:
            connection.close()
        found = re.search(rf'^inference_pool_{name}{{name="chat"}} (\S+)$', text, re.MULTILINE)
        return float(found[1]) if found else None


class picker:  # noqa: N801 — used as a function is
    """Runs the picker as its Deployment says, on loopback, as its own account."""

    def __init__(self, plane: ControlPlane, here: World, made: list[Object], folder: Path) -> None:
        deployment, file = (
            next(
                one for one in made if (one["kind"], one["metadata"]["name"]) == (kind, "chat-epp")
            )
            for kind in ("Deployment", "ConfigMap")
        )
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        (mount,) = container["volumeMounts"]
        for name, text in file["data"].items():
            (folder / name).write_text(text, encoding="utf-8")
        grpc, health, port = free_ports(3)
        account = json.loads(plane.kubeconfig.read_text(encoding="utf-8"))
        account["users"][0]["user"] = {"token": token(here)}
        (folder / "account.json").write_text(json.dumps(account), encoding="utf-8")
        arguments = [each.replace(mount["mountPath"], str(folder)) for each in container["args"]]
        arguments += [f"--grpc-port={grpc}", f"--grpc-health-port={health}"]
        arguments += [f"--metrics-port={port}"]
        environment = {"KUBECONFIG": str(folder / "account.json")}
        self._process: Process = plane.run("epp", *arguments, environment=environment)
        self._asked = Asked(port)

    def __enter__(self) -> Asked:
        self._process.wait(lambda: self._asked("ready_pods") is not None)
        return self._asked

    def __exit__(self, *_: object) -> None:
        self._process.stop()
