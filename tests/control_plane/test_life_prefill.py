"""The life of a server whose prompts are computed apart: both sides run, and the router finds them."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.meeting import answering, resolve
from tests.control_plane.nodes import node
from tests.control_plane.specs import H100, pool, spanning
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
CPU_NODE = node("cpu-0", {"cpu": "32", "memory": "128Gi"}, {"kubernetes.io/arch": "amd64"})
SGLANG = {"runtime": "sglang", "image": "lmsysorg/sglang:v0.5.23"}
GPU, RDMA = "nvidia.com/gpu", "rdma/hca"
LEADERS = {"chat": ["chat-0"], "chat-prefill": ["chat-prefill-0", "chat-prefill-1"]}


@pytest.fixture
def here(world: Worlds) -> World:
    """Six nodes with GPUs and a fabric, one without, and no queue."""
    fabric = {"resource": RDMA, "memlock": "unlimited"}
    made = world(
        pool("h100", H100, nodes=6, rdma=fabric),
        bandwidth={"default": "1Gi"},
        metrics={"source": "custom-metrics"},
        network={"ingress": [{"namespace": "gateway"}]},
    )
    made.create([CPU_NODE])
    return made


def apart(nodes: int, **more: Any) -> Object:
    return spanning("chat", nodes=nodes, **more)


def of(here: World, name: str, kind: str = "Deployment", version: str = "apps/v1") -> Ref:
    return Ref(version, kind, name, here.namespace)


def told(here: World, option: str) -> list[str]:
    """The host names that the router's pods are told by an option."""
    (args, *others) = [
        pod["spec"]["containers"][0]["args"] for pod in here.pods(of(here, "chat-router"))
    ]
    assert all(each == args for each in others)
    urls = [args[at + 1] for at, word in enumerate(args) if word == option]
    return [str(urlsplit(url).hostname) for url in urls]


def test_all_of_it_is_stored_as_it_is_rendered_and_nothing_is_warned_of(here: World) -> None:
    """Pod Security among those who would warn; of either target, with autoscalers."""
    scaled = {"min": 1, "max": 2}
    for spec in (
        apart(1, target="deployment", replicas=scaled, prefill={"replicas": scaled}),
        apart(2, target="lws", prefill={"replicas": 2}, **SGLANG),
    ):
        for each in here.render(spec):
            answer = here.client.create(each, dry_run=True)
            assert answer.warnings == (), each["metadata"]["name"]


def test_deployments_of_both_sides_answer_behind_a_router(here: World) -> None:
    """Each Service leads to its own pods, and the one that clients ask to the router's."""
    here.submit(apart(1, target="deployment", replicas=2, prefill={"replicas": 3}))
    here.started(of(here, "chat"), 2)
    here.started(of(here, "chat-prefill"), 3)
    assert here.started(of(here, "chat-router"), 2) == ["cpu-0", "cpu-0"]
    for service, carrier in (
        (told(here, "--prefill"), "chat-prefill"),
        (told(here, "--decode"), "chat"),
        (["chat"], "chat-router"),
    ):
        (name,) = service
        wanted = [pod["metadata"]["name"] for pod in here.pods(of(here, carrier))]
        here.until(partial(_answers, here, name, wanted), f"{name} leads to {carrier}")


def test_pods_of_both_sides_are_what_the_plan_says(here: World) -> None:
    """Devices of GPUs and fabric, the address that others ask, no token; none of it on a router."""
    here.submit(apart(1, target="deployment", prefill={"gpu": {"models": [H100], "count": 4}}))
    for name, gpus in (("chat", "8"), ("chat-prefill", "4")):
        here.started(of(here, name))
        (pod,) = here.pods(of(here, name))
        (main,) = pod["spec"]["containers"]
        limits = main["resources"]["limits"]
        assert (limits[GPU], limits[RDMA]) == (gpus, "1")
        (address,) = (e for e in main["env"] if e["name"] == "VLLM_NIXL_SIDE_CHANNEL_HOST")
        assert address["valueFrom"]["fieldRef"]["fieldPath"] == "status.podIP"
        assert "--kv-transfer-config" in main["args"]
        assert {"startupProbe", "readinessProbe", "livenessProbe", "lifecycle"} <= main.keys()
    here.started(of(here, "chat-router"), 2)
    for pod in here.pods(of(here, "chat-router")):
        assert pod["spec"]["automountServiceAccountToken"] is False
        assert {GPU, RDMA}.isdisjoint(pod["spec"]["containers"][0]["resources"]["limits"])
        assert not [one for one in pod["spec"]["volumes"] if "projected" in one]


def test_the_names_of_replicas_are_those_that_lws_gives(here: World) -> None:
    """SGLang: the router and decode pods ask the leader of each group by its name."""
    here.submit(apart(2, target="lws", prefill={"replicas": 2}, **SGLANG))
    lws = partial(of, here, kind="LeaderWorkerSet", version="leaderworkerset.x-k8s.io/v1")
    here.started(lws("chat"), 2)
    here.started(lws("chat-prefill"), 4)
    here.started(of(here, "chat-router"), 2)
    hosts = told(here, "--prefill")
    assert [resolve(here, host) for host in hosts] == [[one] for one in LEADERS["chat-prefill"]]
    assert {host.split(".")[2] for host in hosts} == {here.namespace}
    (decode,) = told(here, "--decode")
    here.until(partial(_answers, here, decode, LEADERS["chat"]), "the leader of decode answers")
    here.until(
        partial(_answers, here, "chat-prefill", LEADERS["chat-prefill"]),
        "leaders of prefill answer",
    )
    for name, side in (("chat", "decode"), ("chat-prefill", "prefill")):
        for pod in here.pods(lws(name)):
            args = pod["spec"]["containers"][0]["args"]
            assert args[args.index("--disaggregation-mode") + 1] == side


def test_what_an_autoscaler_has_set_stays_when_all_is_applied_again(here: World) -> None:
    """Of each side its own; the router's number is the spec's."""
    scaled = {"min": 1, "max": 3}
    spec = apart(1, target="deployment", replicas=scaled, prefill={"replicas": scaled})
    made = here.render(spec)
    here.create(made)
    owners = [one["spec"]["scaleTargetRef"]["name"] for one in made if "scaleTargetRef" in str(one)]
    assert sorted(owners) == ["chat", "chat-prefill"]
    for name, number in (("chat", 2), ("chat-prefill", 3)):
        here.client.patch(of(here, name), {"spec": {"replicas": number}})
    for one in made:
        if one["kind"] == "Deployment":
            here.client.patch(of(here, one["metadata"]["name"]), {"spec": one["spec"]})
    numbers = {
        name: here.get(of(here, name))["spec"]["replicas"]
        for name in ("chat", "chat-prefill", "chat-router")
    }
    assert numbers == {"chat": 2, "chat-prefill": 3, "chat-router": 2}


def _answers(here: World, service: str, pods: list[str]) -> bool:
    return answering(here, service) == sorted(pods)
