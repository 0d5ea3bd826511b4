"""`fleet drift` on a cluster that has what a profile and specs say: it says nothing, and then one thing.

The dump is what `kubectl get` prints of the kinds that the command itself asks for; changes are kubectl's.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

import gpuspec
from gpuspec.drift import Drift
from gpuspec.report.drift import drift_text
from gpuspec.spec import Profile
from gpuspec.targets import names
from tests.control_plane.applying import applier
from tests.control_plane.client import Client, Object, Ref, until
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.crds import served
from tests.control_plane.kubelet import step
from tests.control_plane.namespaces import restricted
from tests.control_plane.nodes import join, nodes
from tests.control_plane.specs import batch, server, spanning, training

pytestmark = pytest.mark.control_plane

ROOT = Path(__file__).parents[2]
PROFILE = ROOT / "examples/clusters/bare-metal.yaml"
KUBECTL = Path(sys.executable).with_name("kubectl")
BOUNDED = (
    "{name: research, podSecurity: restricted}",
    "{name: research, podSecurity: restricted, quota: {nvidia.com/gpu: 1000}}",
)
ALWAYS = ("nodes", "pods")


class Here(NamedTuple):
    """A cluster, what it should hold, and kubectl."""

    profile: Profile
    specs: list[str]
    kubectl: Callable[..., str]
    folder: Path
    kinds: list[str]

    def drift(self) -> Drift:
        """What differs now."""
        said = self.kubectl("get", ",".join(self.kinds), "-A", "-o", "json")
        dump = self.folder / "dump.json"
        dump.write_text(said)
        return gpuspec.fleet_drift(*self.specs, live=str(dump), profile=self.profile)


@pytest.fixture(scope="module")
def here(plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    """The nodes of a profile, `cluster render` and the examples that it carries."""
    folder = tmp_path_factory.mktemp("drift")
    stated = folder / "bare-metal.yaml"
    stated.write_text(PROFILE.read_text().replace(*BOUNDED))
    examples = sorted(map(str, (ROOT / "examples").glob("*.yaml")))
    with _applied(plane, stated, examples) as made:
        yield made


@pytest.fixture(scope="module")
def operated(
    training_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Here]:
    """A workload by each target whose operator runs, with a queue where it can wait in one."""
    folder = tmp_path_factory.mktemp("operated")
    written: list[str] = []
    for target in names():
        for spec in (
            training("train", workers=2, queue="research", run="one", target=target),
            batch("score", shards={"count": 2}, queue="research", run="one", target=target),
            spanning("wide", replicas=1, target=target),
            server("serve", replicas=2, target=target),
        ):
            name = f"{spec['metadata']['name']}-{target}"
            spec["metadata"] = {"name": name, "namespace": "research"}
            path = folder / f"{name}.json"
            path.write_text(json.dumps(spec))
            written.append(str(path))
    stated = folder / "operators.yaml"
    stated.write_text((ROOT / "examples/clusters/operators.yaml").read_text())
    with _applied(training_plane, stated, written) as made:
        yield made


@contextmanager
def _applied(plane: ControlPlane, stated: Path, specs: list[str]) -> Iterator[Here]:
    """Nodes, platform and those of the specs that the profile carries, applied by kubectl."""
    client = plane.client()
    (profile,) = gpuspec.load_profiles(str(stated))
    carried, objects = _carried(client, profile, specs)
    machines = nodes(profile)
    apply = applier(KUBECTL, plane.kubeconfig)
    join(client, machines)
    platform = gpuspec.platform(profile).objects
    apply(platform)
    known = {each["metadata"]["name"] for each in platform if each["kind"] == "Namespace"}
    for space in {each["metadata"].get("namespace", "default") for each in objects} - known:
        restricted(client, space)
    apply(objects)
    kinds = _asked(profile, carried, machines, stated.parent)
    try:
        run = partial(_kubectl, KUBECTL, plane.kubeconfig)
        yield Here(profile, carried, run, stated.parent, kinds)
    finally:
        for each in reversed([*platform, *objects]):
            if each["kind"] != "Namespace":
                client.delete(Ref.of(each))
        spaces = {each["metadata"].get("namespace", "default") for each in objects}
        until(lambda: _ended(client, spaces), "all pods are gone", seconds=120)
        for machine in machines:
            client.delete(Ref.of(machine))


def _ended(client: Client, spaces: set[str]) -> bool:
    """Whether no pod is left there: one whose deletion no kubelet ends keeps its node from others."""
    left = False
    for space in spaces:
        step(client, space)
        left |= bool(client.objects(Ref("v1", "Pod", namespace=space)))
    return not left


def _carried(client: Client, profile: Profile, specs: list[str]) -> tuple[list[str], list[Object]]:
    """The specs that the profile carries by kinds that are served, and their objects."""
    carried: list[str] = []
    objects: list[Object] = []
    for path in specs:
        made: list[Object] = []
        try:
            for workload in gpuspec.load(path):
                made += gpuspec.render(workload, profile).objects
        except (gpuspec.InputError, gpuspec.Refusal):
            continue
        if all(served(client, each["apiVersion"], each["kind"]) for each in made):
            carried.append(path)
            objects += made
    return carried, objects


def _kubectl(kubectl: Path, kubeconfig: Path, *arguments: str) -> str:
    done = subprocess.run(
        [kubectl, f"--kubeconfig={kubeconfig}", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _asked(profile: Profile, specs: list[str], machines: list[Object], folder: Path) -> list[str]:
    """The kinds that the command asks for, given the nodes alone."""
    first = folder / "nodes.json"
    first.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": machines}))
    found = gpuspec.fleet_drift(*specs, live=str(first), profile=profile)
    assert not found.differences
    return [*ALWAYS, *(one.ask for one in found.unseen if one.ask not in ALWAYS)]


BASE = ("API custom.metrics.k8s.io",)
"""What is true of this cluster from the start: no adapter serves the metrics that the profile names."""


def test_what_is_applied_does_not_drift(here: Here) -> None:
    """Defaults of servers, what Kueue lays over admitted Jobs, status and managers: none is drift."""
    assert len(here.specs) > 15
    found = here.drift()
    assert not found.unseen
    assert found.nodes == 34
    assert found.objects > 80
    assert tuple(one.name for one in found.differences) == BASE


def test_what_operators_and_their_webhooks_fill_in_is_no_drift(operated: Here) -> None:
    """Each target's own object, once Kueue has let some of them start."""
    found = operated.drift()
    kinds = {one.split(" ")[0].partition(".")[0] for one in operated.kinds}
    assert {"jobset", "leaderworkerset", "rayjob", "trainjob", "pytorchjob", "mpijob"} <= kinds
    assert not found.unseen
    assert tuple(one.name for one in found.differences) == BASE


class Change(NamedTuple):
    """What kubectl does and undoes, and what is said of it."""

    do: str
    undo: str
    name: str = ""
    """What differs then; empty where that is no drift."""
    said: str = ""


PATCH = "--type=json -p"
QUOTA = "/spec/resourceGroups/0/flavors/0/resources/3/nominalQuota"
CHANGES = {
    "a label of a node": Change(
        "label node/h100-0 example.com/pool-",
        "label node/h100-0 example.com/pool=h100",
        "pool h100",
        "node h100-0: no label example.com/pool, which the pool has as `h100`",
    ),
    "a node of another pool": Change(
        "label node/h100-1 example.com/pool=blue --overwrite",
        "label node/h100-1 example.com/pool=h100 --overwrite",
        "nodes of no pool",
        "nearest is pool h100: label example.com/pool is `blue`, but the pool says `h100`",
    ),
    "a level of the topology": Change(
        "label node/a100-0 example.com/rack-",
        "label node/a100-0 example.com/rack=room-1-0",
        "pool a100",
        "node a100-0: no label example.com/rack, a level of the topology",
    ),
    "a taint": Change(
        "taint node t4-0 example.com/team=a:NoSchedule",
        "taint node t4-0 example.com/team-",
        "pool t4",
        "node t4-0: taint example.com/team=a:NoSchedule, which the pool does not have",
    ),
    "a cordon": Change(
        "cordon grace-0", "uncordon grace-0", "pool grace", "node grace-0: cordoned"
    ),
    "a vanished GPU": Change(
        "patch node/h100-2 --subresource=status --type=merge -p "
        '{"status":{"allocatable":{"nvidia.com/gpu":"7"}}}',
        "patch node/h100-2 --subresource=status --type=merge -p "
        '{"status":{"allocatable":{"nvidia.com/gpu":"8"}}}',
        "pool h100",
        "node h100-2: 7 of 8 nvidia.com/gpu can be allocated",
    ),
    "a quota": Change(
        "-n=research patch quota/gpuspec --type=merge -p "
        '{"spec":{"hard":{"requests.nvidia.com/gpu":"900"}}}',
        "-n=research patch quota/gpuspec --type=merge -p "
        '{"spec":{"hard":{"requests.nvidia.com/gpu":"1000"}}}',
        "ResourceQuota research/gpuspec",
        'spec.hard["requests.nvidia.com/gpu"]: 1k → "900"',
    ),
    "one more resource in a quota": Change(
        '-n=research patch quota/gpuspec --type=merge -p {"spec":{"hard":{"pods":"900"}}}',
        '-n=research patch quota/gpuspec --type=merge -p {"spec":{"hard":{"pods":null}}}',
        "ResourceQuota research/gpuspec",
        'spec.hard.pods: "900"',
    ),
    "a queue's GPUs": Change(
        f'patch clusterqueue/small {PATCH} [{{"op":"replace","path":"{QUOTA}","value":"12"}}]',
        f'patch clusterqueue/small {PATCH} [{{"op":"replace","path":"{QUOTA}","value":"16"}}]',
        "ClusterQueue small",
        'nominalQuota: "16" → "12"',
    ),
    "a namespace's level": Change(
        "label ns/serving pod-security.kubernetes.io/enforce=privileged --overwrite",
        "label ns/serving pod-security.kubernetes.io/enforce=restricted --overwrite",
        "Namespace serving",
        "restricted → privileged",
    ),
    "an image": Change(
        "-n=serving set image deployment/chat main=example.com/chat:2",
        "-n=serving rollout undo deployment/chat",
        "Deployment serving/chat",
        "→ example.com/chat:2",
    ),
    "a variable": Change(
        "-n=serving set env deployment/chat EXTRA=1",
        "-n=serving rollout undo deployment/chat",
        "Deployment serving/chat",
        "env[name=EXTRA]",
    ),
    "a selector of nodes": Change(
        "-n=serving patch deployment/chat --type=merge -p "
        '{"spec":{"template":{"spec":{"nodeSelector":{"example.com/pool":"t4"}}}}}',
        "-n=serving rollout undo deployment/chat",
        "Deployment serving/chat",
        "nodeSelector",
    ),
    "a restart": Change(
        "-n=serving rollout restart deployment/chat", "-n=serving rollout undo deployment/chat"
    ),
    "replicas that an autoscaler moves": Change(
        "-n=serving scale deployment/chat --replicas=5",
        "-n=serving scale deployment/chat --replicas=2",
    ),
    "replicas that nobody moves": Change(
        "-n=serving scale deployment/chat-70b --replicas=5",
        "-n=serving scale deployment/chat-70b --replicas=2",
        "Deployment serving/chat-70b",
        "spec.replicas: 2 → 5",
    ),
    "the bounds of an autoscaler": Change(
        '-n=serving patch hpa/chat --type=merge -p {"spec":{"maxReplicas":9}}',
        '-n=serving patch hpa/chat --type=merge -p {"spec":{"maxReplicas":6}}',
        "HorizontalPodAutoscaler serving/chat",
        "spec.maxReplicas: 6 → 9",
    ),
    "an annotation of somebody else": Change(
        "-n=serving annotate deployment/chat example.com/seen=yes",
        "-n=serving annotate deployment/chat example.com/seen-",
    ),
    "what we made once": Change(
        "create priorityclass old --value=7",
        "delete priorityclass/old",
    ),
    "what bears our label": Change(
        "label priorityclass/other app.kubernetes.io/managed-by=gpuspec",
        "label priorityclass/other app.kubernetes.io/managed-by-",
        "PriorityClass other",
        "gpuspec made it, but the profile no longer requires it",
    ),
    "a server of nobody's": Change(
        "-n=kube-public create -f {stranger}",
        "-n=kube-public delete --force --grace-period=0 -f {stranger}",
        "Deployment kube-public/stranger",
        "6 nvidia.com/gpu in 2 pods, but no given spec or manifest creates it",
    ),
}
STRANGER = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "stranger", "namespace": "kube-public"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "stranger"}},
        "template": {
            "metadata": {"labels": {"app": "stranger"}},
            "spec": {
                "containers": [
                    {
                        "name": "main",
                        "image": "example.com/stranger:1",
                        "resources": {"limits": {"nvidia.com/gpu": 3}},
                    }
                ]
            },
        },
    },
}


@pytest.fixture(scope="module")
def other(here: Here) -> Iterator[None]:
    """A class that somebody else made."""
    here.kubectl("create", "priorityclass", "other", "--value=3")
    yield
    here.kubectl("delete", "priorityclass/other")


@pytest.mark.usefixtures("other")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_one_change_is_said_and_nothing_else(here: Here, change: Change) -> None:
    stranger = here.folder / "stranger.json"
    stranger.write_text(json.dumps(STRANGER))
    here.kubectl(*change.do.replace("{stranger}", str(stranger)).split(" "))
    try:
        found = until(lambda: _said(here, change), f"{change.name or 'nothing'} is said", 60)
    finally:
        here.kubectl(*change.undo.replace("{stranger}", str(stranger)).split(" "))
    assert change.said in drift_text(found)
    extra = ["pool h100"] if change.name == "nodes of no pool" else []
    names = [one.name for one in found.differences if one.name not in BASE]
    assert names == [*extra, *([change.name] if change.name else [])]


def _said(here: Here, change: Change) -> Drift | None:
    """What differs, once it can be seen: controllers make pods a moment later."""
    found = here.drift()
    return found if change.said in drift_text(found) else None
