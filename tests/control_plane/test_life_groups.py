"""The life of servers whose replicas span nodes: groups meet, answer, start anew and are rolled out."""

from __future__ import annotations

from functools import partial

import pytest

from tests.control_plane import kubelet
from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.meeting import answering, differences, resolve, variables
from tests.control_plane.specs import H100, pool, spanning
from tests.control_plane.stories import World, main

pytestmark = pytest.mark.control_plane
LWS = "leaderworkerset.sigs.k8s.io/"
INDEX, GROUP = f"{LWS}worker-index", f"{LWS}group-index"
PROBES = {"startupProbe", "readinessProbe", "livenessProbe"}
# What a pod of a LeaderWorkerSet has otherwise than that of a Deployment, beside the labels and
# annotations under LeaderWorkerSet's own name: who made it, what it is called, who is in its group.
OTHERWISE = {
    "metadata.labels.apps.kubernetes.io/pod-index",
    "metadata.labels.controller-revision-hash",
    "metadata.labels.pod-template-hash",
    "metadata.labels.statefulset.kubernetes.io/pod-name",
    "spec.containers.main.env.LWS_GROUP_SIZE",
    "spec.containers.main.env.LWS_LEADER_ADDRESS",
    "spec.containers.main.env.LWS_WORKER_INDEX",
    "spec.hostname",
    "spec.subdomain",
}
# What the leader of a group has otherwise than a server alone: it is told of the group, and is given
# more time. And what a worker has otherwise than its leader: it answers no client, and ends later.
LEADS = {
    "spec.containers.main.args",
    "spec.containers.main.env.LWS_GROUP_SIZE.value",
    "spec.containers.main.env.VLLM_ENGINE_READY_TIMEOUT_S.value",
    "spec.containers.main.startupProbe.failureThreshold",
}
FOLLOWS = {
    "spec.containers.main.args",
    "spec.containers.main.env.LWS_WORKER_INDEX.value",
    "spec.containers.main.lifecycle.preStop.sleep.seconds",
    "spec.containers.main.ports",
    *(f"spec.containers.main.{probe}" for probe in PROBES),
}


@pytest.fixture
def here(world: Worlds) -> World:
    """Four nodes, no queue, and a profile that has services carried by LeaderWorkerSets."""
    nodes = pool("h100", H100, nodes=4)
    return world(nodes, targets={"service": "lws"}, bandwidth={"default": "1Gi"})


def test_a_leaderworkerset_is_stored_as_it_is_rendered(here: World) -> None:
    """Webhooks have nothing to fill in, and the schema only says that a port is TCP, as for any pod."""
    *others, sent = here.render(spanning("chat", replicas=2))
    answers = [here.client.create(each, dry_run=True) for each in (*others, sent)]
    assert not any(answer.warnings for answer in answers)
    stored = answers[-1].object
    assert stored["kind"] == "LeaderWorkerSet"
    assert stored["metadata"]["labels"] == sent["metadata"]["labels"]
    assert stored["metadata"]["annotations"] == sent["metadata"]["annotations"]
    leader = sent["spec"]["leaderWorkerTemplate"]["leaderTemplate"]["spec"]["containers"][0]
    for port in leader["ports"]:
        port["protocol"] = "TCP"
    assert stored["spec"] == sent["spec"]


def test_the_workers_of_a_group_find_its_leader(here: World) -> None:
    """Before any is ready: each group its own. Clients are sent to leaders, when these are ready."""
    servers = here.submit(spanning("chat", replicas=2))
    # The kubelets stand still: nothing makes the pods ready.
    pods = here.wait(partial(placed, here, servers, 4), "all pods have a node")
    for pod in pods:
        kubelet.run(here.client, pod, ready=False)
    for group in ("0", "1"):
        leader, worker = (each for each in pods if each["metadata"]["labels"][GROUP] == group)
        (host,) = {variables(each)["LWS_LEADER_ADDRESS"] for each in (leader, worker)}
        here.wait(partial(resolve, here, host), f"{host} is known")
        assert resolve(here, host) == [leader["metadata"]["name"]]
        for rank, each in enumerate((leader, worker)):
            assert each["metadata"]["labels"][INDEX] == str(rank)
            assert variables(each)["LWS_WORKER_INDEX"] == str(rank)
            args = each["spec"]["containers"][0]["args"]
            assert args[args.index("--nnodes") + 1] == variables(each)["LWS_GROUP_SIZE"]
            assert args[args.index("--node-rank") + 1] == "$(LWS_WORKER_INDEX)"
            assert args[args.index("--master-addr") + 1] == "$(LWS_LEADER_ADDRESS)"
    assert answering(here, "chat") == []
    for pod in here.pods(servers):
        kubelet.run(here.client, pod)
    here.wait(lambda: answering(here, "chat") == ["chat-0", "chat-1"], "clients reach both leaders")
    assert here.until(lambda: here.condition(servers, "Available"), "all groups are ready")


def test_a_pod_of_a_leaderworkerset_is_that_of_a_deployment_but_for_its_group(here: World) -> None:
    """C-57: Of the same spec, each made by its own controller; then over two nodes, by what it takes more."""
    (theirs,) = made_of(here, spanning("chat", nodes=1, target="deployment"))
    (mine,) = made_of(here, spanning("chat", nodes=1))
    assert beyond(mine, theirs) == OTHERWISE
    leader, worker = made_of(here, spanning("chat"))
    assert beyond(leader, mine) - {"metadata.labels.controller-revision-hash"} == LEADS
    same = {"spec.hostname", *(each for each in OTHERWISE if each.startswith("metadata."))}
    assert beyond(worker, leader) - same == FOLLOWS
    assert leader["spec"]["containers"][0].keys() >= PROBES


def test_a_group_whose_worker_restarts_starts_anew_as_a_whole(here: World) -> None:
    """A container of one worker ran again: leader and workers are replaced, and the other group stays."""
    servers = here.submit(spanning("chat", replicas=2))
    here.started(servers, 4)
    old = by_group(here, servers)
    worker = next(each for each in here.pods(servers) if each["metadata"]["name"] == "chat-1-1")
    kubelet.restart(here.client, worker)

    def anew() -> bool:
        return len(here.places(servers)) == 4 and not by_group(here, servers)["1"] & old["1"]

    here.until(anew, "both pods of the group are new")
    assert by_group(here, servers)["0"] == old["0"]
    here.until(lambda: meet(here, servers), "they find each other as before")


def test_groups_are_rolled_out_without_a_spare_one(here: World) -> None:
    """On a full pool: one group makes room for the next, and the other group stays whole meanwhile."""
    servers = here.submit(spanning("chat", replicas=2))
    here.started(servers, 4)
    old = by_group(here, servers)
    changed = here.render(spanning("chat", replicas=2, env={"NEW": "1"}))
    (new,) = (each["spec"] for each in changed if Ref.of(each) == servers)
    here.client.patch(servers, {"spec": new})
    whole = []

    def probe() -> bool:
        now = by_group(here, servers, "Running")
        whole.append(sum(len(pods) == 2 for pods in now.values()))
        return whole[-1] == 2 and not any(now[group] & old[group] for group in now)

    here.until(probe, "all groups are new")
    assert min(whole) == 1
    assert all("NEW" in variables(each) for each in here.pods(servers))
    here.until(lambda: meet(here, servers), "they find each other as before")


def made_of(here: World, spec: Object) -> list[Object]:
    """The pods that come of a spec, which are gone again."""
    made = here.render(spec)
    here.create(each for each in made if here.client.find(Ref.of(each)) is None)
    here.started(main(made), spec["spec"]["nodes"])
    pods = here.pods(main(made))
    here.client.delete(main(made), policy="Foreground")
    here.until(lambda: here.client.find(main(made)) is None, "all of it is gone")
    return pods


def placed(here: World, servers: Ref, wanted: int) -> list[Object] | None:
    """The pods, once there are so many and each has a node."""
    found = [each for each in here.pods(servers) if each["spec"].get("nodeName")]
    return found if len(found) == wanted else None


def beyond(one: Object, other: Object) -> set[str]:
    """The differences of two pods, without those under LeaderWorkerSet's own name."""
    found = differences(one, other)
    return {each for each in found if LWS not in each and each != "metadata.annotations"}


def by_group(here: World, servers: Ref, phase: str = "") -> dict[str, set[str]]:
    """The pods of each group; those in one phase, if one is asked for."""
    found: dict[str, set[str]] = {}
    for each in here.pods(servers, phase):
        meta = each["metadata"]
        found.setdefault(meta["labels"][GROUP], set()).add(meta["uid"])
    return found


def meet(here: World, servers: Ref) -> bool:
    """Whether the address that each pod is told leads to the leader of its group."""
    told = {
        f"chat-{each['metadata']['labels'][GROUP]}": variables(each)["LWS_LEADER_ADDRESS"]
        for each in here.pods(servers)
    }
    return all(resolve(here, host) == [leader] for leader, host in told.items())
