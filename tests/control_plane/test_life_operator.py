"""The platform's own objects that nobody runs here: what the API server takes of them, and what they do.

The GPU Operator's and NFD's kinds are there, and not their controllers. Policies of admission are the
server's own, and so is what becomes of the Jobs that prove nodes.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpuspec
from gpuspec.cluster.platform.limits import POLICY
from tests.control_plane import crds
from tests.control_plane.client import Client, Object, Ref, Refused, until
from tests.control_plane.conftest import Worlds
from tests.control_plane.namespaces import restricted
from tests.control_plane.readback import lost
from tests.control_plane.specs import A100, H100, L4, pool, training
from tests.control_plane.stories import World, main

pytestmark = pytest.mark.control_plane

SHARED = {"mode": "time-slicing", "replicas": 4}
CUT = {"mode": "mig", "strategy": "mixed", "profiles": {"1g.10gb": 7}, "gpus": 4}
OPERATOR = {
    "driver": {"version": "580.105.08", "upgrade": {"unavailable": 2, "wait": "4h"}},
    "dcgmExporter": {"metrics": {"DCGM_FI_PROF_SM_ACTIVE": "gauge"}},
    "nodeFeatureRules": True,
}
PROVEN = {"image": "registry.example.com/nccl-tests:2.17.6@sha256:" + "a1" * 32}


def loaded(folder: Path, value: Object) -> gpuspec.Profile:
    """A profile from a file."""
    path = folder / f"beside-{value['metadata']['name']}.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    (found,) = gpuspec.load_profiles(str(path))
    return found


def profile(folder: Path, name: str, **spec: object) -> gpuspec.Profile:
    """A profile beside the story's, of pools that are told by their labels."""
    pools = [
        pool("h100", H100, nodes=2, driver="595.91.07"),
        pool("half", A100, nodes=2, sharing=CUT),
        pool("l4", L4, nodes=1, gpus=4, sharing=SHARED),
    ]
    value: Object = {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": "ClusterProfile",
        "metadata": {"name": name},
        "spec": {"kubernetes": "1.35", "pools": pools, **spec},
    }
    return loaded(folder, value)


@pytest.fixture
def here(world: Worlds) -> World:
    return world(pool("h100", H100, nodes=1))


@pytest.mark.parametrize(
    ("spec", "kinds"),
    [
        ({}, {"NVIDIADriver", "NodeFeatureRule", "ConfigMap"}),
        (
            {"extends": "openshift"},
            {"ClusterPolicy", "NVIDIADriver", "NodeFeatureRule", "ConfigMap"},
        ),
    ],
    ids=["chart", "olm"],
)
@pytest.mark.parametrize("version", ["25.3", "26.7"])
def test_operators_kinds_take_what_is_made_for_them(
    here: World, tmp_path: Path, spec: dict[str, object], kinds: set[str], version: str
) -> None:
    """C-19: against the CustomResourceDefinitions, with strict validation; nothing of it is lost."""
    found = profile(
        tmp_path, "eu", installed={"gpu-operator": version}, gpuOperator=OPERATOR, **spec
    )
    made = gpuspec.platform(found).objects
    assert {each["kind"] for each in made} == kinds
    crds.skip_without(crds.supply(here.client, made))
    if version == "26.7" and not _has_fallback(here.client):
        pytest.skip(
            "not run: no definition of NVIDIADriver of 26.7; GPUSPEC_OUTSIDE names the folder"
        )
    for each in made:
        if space := each["metadata"].get("namespace"):
            restricted(here.client, space)
    wrong = [text for each in made for text in _taken(here.client, each)]
    for each in made:
        here.client.delete(Ref.of(each))
    assert wrong == []


def _has_fallback(client: Client) -> bool:
    (known,) = [
        each
        for each in client.objects(Ref("apiextensions.k8s.io/v1", "CustomResourceDefinition"))
        if each["spec"]["names"]["kind"] == "NVIDIADriver"
    ]
    schema = known["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    return "upgradePolicy" in schema["spec"]["properties"]


def _taken(client: Client, value: Object) -> Iterator[str]:
    try:
        answer = client.create(value)
    except Refused as refused:
        yield f"{value['kind']} is refused: {refused}"
        return
    yield from answer.warnings
    yield from lost(value, answer.object)


# ------------------------------------------------------------------------------------------- limits


@pytest.fixture
def limited(here: World, tmp_path: Path) -> Iterator[World]:
    """A namespace where a container that says nothing has a request, and a pod has 4 GPUs at most."""
    space = here.namespace
    limits = {"defaults": {"cpu": "500m", "memory": "1Gi"}, "maxGpusPerPod": 4}
    found = profile(tmp_path, "limited", namespaces=[{"name": space, **limits}])
    made = gpuspec.platform(found).objects
    (named,) = [each for each in made if each["kind"] == "Namespace"]
    ref = Ref("v1", "Namespace", space)
    before = here.get(ref)["metadata"]["labels"]
    here.client.patch(ref, {"metadata": {"labels": named["metadata"]["labels"]}})
    here.create(each for each in made if each["kind"] not in ("Namespace", "ConfigMap"))
    until(lambda: _refused(here, bare(9)) is not None, "the policy is in force")
    yield here
    here.client.patch(
        ref, {"metadata": {"labels": {key: before.get(key) for key in named["metadata"]["labels"]}}}
    )


def bare(*gpus: int, first: int = 0, beside: int = 0, name: str = "nvidia.com/gpu") -> Object:
    """A pod with so many GPUs in each container, in an init container, in a sidecar."""
    secure = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }

    def container(called: str, count: int) -> Object:
        made: Object = {"name": called, "image": "a", "securityContext": secure}
        return made | ({"resources": {"limits": {name: str(count)}}} if count else {})

    inits = [container("first", first)] if first else []
    inits += [container("beside", beside) | {"restartPolicy": "Always"}] if beside else []
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "bare"},
        "spec": {
            "containers": [container(f"c{at}", count) for at, count in enumerate(gpus)],
            **({"initContainers": inits} if inits else {}),
        },
    }


def _refused(world: World, pod: Object) -> str | None:
    """Why the server refuses a pod; None where it takes it."""
    pod["metadata"]["namespace"] = world.namespace
    try:
        world.client.create(pod, dry_run=True)
    except Refused as refused:
        return str(refused)
    return None


def test_a_pod_has_no_more_gpus_than_its_namespace_allows(limited: World) -> None:
    """C-39: containers and sidecars together, init containers each alone, slices as GPUs."""
    for fits in (bare(0), bare(4), bare(2, 2), bare(4, first=4), bare(2, beside=2, first=4)):
        assert _refused(limited, fits) is None
    for many, asks in (
        (bare(5), 5),
        (bare(3, 2), 5),
        (bare(1, first=6), 6),
        (bare(2, beside=3), 5),
        (bare(7, name="nvidia.com/mig-1g.10gb"), 7),
    ):
        said = _refused(limited, many)
        assert said is not None
        assert f"asks for {asks} GPUs, and a pod of this namespace may have 4" in said
        assert POLICY in said


def test_what_a_container_does_not_say_is_filled_in(limited: World) -> None:
    """A request alone: a default limit would stand below what others ask for without one."""
    pod = bare(1)
    pod["metadata"]["namespace"] = limited.namespace
    answer = limited.client.create(pod, dry_run=True).object["spec"]["containers"][0]["resources"]
    assert answer["requests"] == {"cpu": "500m", "memory": "1Gi", "nvidia.com/gpu": "1"}
    assert answer["limits"] == {"nvidia.com/gpu": "1"}
    pod["spec"]["containers"][0]["resources"]["requests"] = {"memory": "8Gi"}
    assert limited.client.create(pod, dry_run=True)


def test_what_we_render_keeps_to_the_limits(limited: World) -> None:
    """Its Job is made; that of more GPUs than allowed has no pod, and says why in its events."""
    job = limited.submit(training("four", gpus=4))
    limited.started(job)
    limited.finish(job)
    job = limited.submit(training("eight", gpus=8))
    events = Ref("v1", "Event", namespace=limited.namespace)
    limited.until(
        lambda: [e for e in limited.client.objects(events) if "asks for 8 GPUs" in e["message"]],
        "the Job says why it has no pod",
    )
    assert limited.pods(job) == []


# --------------------------------------------------------------------------------------- validation


def test_nodes_are_proven_all_at_once_and_each_by_its_own_pod(
    world: Worlds, tmp_path: Path
) -> None:
    """C-15: every pod is on a node of its pool; a slice and a share are counted one by one."""
    here = world(
        pool("h100", H100, nodes=2),
        pool("a100", A100, nodes=3, rdma={"resource": "rdma/ib", "memlock": "unlimited"}),
        pool("half", A100, nodes=2, sharing=CUT, taints=[{"key": "example.com/cut"}]),
        pool("l4", L4, nodes=1, gpus=2, sharing=SHARED),
        kubernetes="1.35",
    )
    made = _proof(here, tmp_path)
    here.create(made)
    jobs = {
        each["metadata"]["labels"]["app.kubernetes.io/name"]: each
        for each in made
        if each["kind"] == "Job"
    }
    assert sorted(jobs) == [
        "validate-a100",
        "validate-h100",
        "validate-half",
        "validate-half-1g-10gb",
        "validate-l4",
    ]
    expected = {
        "validate-h100": ["h100-0", "h100-1"],
        "validate-a100": ["a100-0", "a100-1", "a100-2"],
        "validate-half": ["half-0", "half-1"],
        "validate-half-1g-10gb": sorted(["half-0", "half-1"] * 28),
        "validate-l4": ["l4-0"] * 8,
    }
    for name, nodes in expected.items():
        assert here.started(Ref.of(jobs[name]), len(nodes)) == nodes
    for name in ("validate-h100", "validate-l4"):
        here.finish(Ref.of(jobs[name]))


def test_a_node_that_lacks_a_gpu_leaves_a_pod_without_a_place(
    world: Worlds, tmp_path: Path
) -> None:
    here = world(pool("h100", H100, nodes=2))
    node = Ref("v1", "Node", "h100-1")
    lost_one = {name: {"nvidia.com/gpu": "7"} for name in ("capacity", "allocatable")}
    here.client.patch(node, {"status": lost_one}, part="status")
    made = _proof(here, tmp_path)
    here.create(made)
    job = main(made)

    def without_a_place() -> list[Object]:
        return [
            each
            for pod in here.pods(job, "Pending")
            for each in pod["status"].get("conditions", ())
            if each.get("reason") == "Unschedulable"
        ]

    (said,) = here.until(without_a_place, "a pod has no place")
    assert "Insufficient nvidia.com/gpu" in said["message"]
    assert here.started(job, 1) == ["h100-0"]


def _proof(here: World, folder: Path) -> list[Object]:
    """The Jobs for a story's nodes, in its namespace."""
    document = here.profile.document
    assert document is not None
    value = copy.deepcopy(document.value)
    assert isinstance(value, dict)
    value["spec"]["validation"] = {**PROVEN, "namespace": here.namespace}
    return gpuspec.validation_jobs(loaded(folder, value)).objects
