"""Pods whose GPUs are had by claims: allocated by the scheduler, over slices as NVIDIA's driver writes them."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.control_plane import binaries, drivers, slices
from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.crds import established
from tests.control_plane.nodes import node
from tests.control_plane.specs import A100, H100, pool, queue, server, spanning, training
from tests.control_plane.stories import World

pytestmark = pytest.mark.control_plane
CLAIM: Object = {"by": "claim"}
CLASS = "gpu.nvidia.com.deviceclass.resource.k8s.io/devices"
CARRIERS = {
    "jobset": "0.12",
    "kubeflow-trainer": "2.3",
    "lws": "0.9",
    "mpi-operator": "0.8",
    "training-operator": "1.9",
}
SMALL: Object = {"cpu": 4, "memory": "16Gi", "ephemeralStorage": "20Gi"}


def claimed(name: str, model: str, nodes: int, gpus: int = 8, **more: Any) -> Object:
    """A pool whose GPUs are had by claims."""
    return handed_out(CLAIM, name, model, nodes, gpus, **more)


def handed_out(
    how: Object, name: str, model: str, nodes: int, gpus: int = 8, **more: Any
) -> Object:
    """A pool whose GPUs a DRA driver hands out."""
    made = pool(name, model, nodes, gpus, **more)
    return made | {"gpu": made["gpu"] | {"dra": how}}


def allocated(here: World, pod: Object) -> list[str]:
    """The devices of a pod's claims."""
    found: list[str] = []
    for status in pod["status"]["resourceClaimStatuses"]:
        ref = Ref(
            "resource.k8s.io/v1", "ResourceClaim", status["resourceClaimName"], here.namespace
        )
        results = here.get(ref)["status"]["allocation"]["devices"]["results"]
        found += [f"{one['pool']} {one['device']} {one['request']}" for one in results]
    return found


def refused(here: World, job: Ref) -> str:
    """What the scheduler says of the pod that it places nowhere."""

    def said() -> str | None:
        for pod in here.pods(job):
            for each in pod["status"].get("conditions") or ():
                if each["type"] == "PodScheduled" and each["status"] == "False":
                    return str(each["message"])
        return None

    return here.until(said, f"the scheduler says why {job.name} waits")


def test_a_run_gets_the_gpus_that_its_claim_chooses(claiming_world: Worlds) -> None:
    """C-56: of two pools the one with the product that the spec names; all eight of one node."""
    here = claiming_world(claimed("h100", H100, 1), claimed("a100", A100, 1))
    job = here.submit(training("one", A100))
    assert here.started(job) == ["a100-0"]
    (pod,) = here.pods(job)
    assert allocated(here, pod) == [f"a100-0 gpu-{at} gpu" for at in range(8)]
    assert "nvidia.com/gpu" not in pod["spec"]["containers"][0]["resources"]["limits"]


def test_the_second_model_is_taken_when_the_first_is_gone(claiming_world: Worlds) -> None:
    """`gpu.models` is an order: alternatives are tried one after another."""
    here = claiming_world(claimed("h100", H100, 1), claimed("a100", A100, 1))
    first = here.submit(training("first", [H100, A100]))
    assert here.started(first) == ["h100-0"]
    second = here.submit(training("second", [H100, A100]))
    assert here.started(second) == ["a100-0"]
    (pod,) = here.pods(second)
    assert allocated(here, pod)[0] == "a100-0 gpu-0 gpu/second"


def test_a_claim_that_no_slice_can_meet_waits(claiming_world: Worlds) -> None:
    """Seven of eight are taken: the scheduler says that it cannot allocate, and the pod pends."""
    here = claiming_world(claimed("h100", H100, 1))
    first = here.submit(training("first", H100, gpus=7, resources=SMALL))
    here.started(first)
    second = here.submit(training("second", H100, gpus=2, resources=SMALL))
    assert "cannot allocate all claims" in refused(here, second)
    here.finish(first)
    assert here.started(second) == ["h100-0"]


def test_a_server_gets_a_mig_partition(claiming_world: Worlds) -> None:
    """The smallest profile with the memory; both classes of the driver are there."""
    sharing = {"mode": "mig", "profiles": {"1g.10gb": 2, "2g.20gb": 1}}
    here = claiming_world(claimed("mig", A100, 1, 2, sharing=sharing))
    one = here.submit(server("one", A100, gpu={"models": [A100], "count": 1, "memory": "15Gi"}))
    assert here.started(one) == ["mig-0"]
    (pod,) = here.pods(one)
    assert "mig-2g20gb" in allocated(here, pod)[0]


def test_a_gang_of_two_nodes(claiming_world: Worlds) -> None:
    """Each worker has a claim of its own, on a node of its own."""
    here = claiming_world(claimed("h100", H100, 2))
    job = here.submit(training("gang", workers=2, command=["python", "-m", "train"]))
    assert here.started(job, 2) == ["h100-0", "h100-1"]
    assert {each.split()[0] for pod in here.pods(job) for each in allocated(here, pod)} == {
        "h100-0",
        "h100-1",
    }


@pytest.mark.parametrize("target", ["jobset", "trainjob", "pytorchjob", "mpijob"])
def test_every_operators_workers_have_their_claims(claiming_world: Worlds, target: str) -> None:
    """Its controller carries them into the pods; who starts others has none."""
    here = claiming_world(claimed("h100", H100, 2), installed=CARRIERS, targets={"gang": target})
    here.create([node("cpu-0", {"cpu": "32", "memory": "128Gi"}, {"kubernetes.io/arch": "amd64"})])
    launcher = "none" if target == "mpijob" else "torchrun"
    job = here.submit(
        training("gang", workers=2, command=["python", "-m", "train"], launcher=launcher)
    )

    def workers() -> list[Object] | None:
        found = [pod for pod in here.pods(job, "Running") if "resourceClaims" in pod["spec"]]
        return found if len(found) == 2 else None

    found = here.until(workers, "both workers run")
    assert sorted(pod["spec"]["nodeName"] for pod in found) == ["h100-0", "h100-1"]
    for pod in found:
        assert len(allocated(here, pod)) == 8
        assert pod["spec"]["containers"][0]["resources"]["claims"] == [{"name": "gpu"}]


def test_a_server_over_two_nodes_has_them_too(claiming_world: Worlds) -> None:
    """Leader and worker of a LeaderWorkerSet."""
    here = claiming_world(claimed("h100", H100, 2), installed=CARRIERS, targets={"service": "lws"})
    servers = here.submit(spanning("chat"))
    here.started(servers, 2)
    assert all(len(allocated(here, pod)) == 8 for pod in here.pods(servers))


def test_all_gpus_of_a_pod_are_alike(claiming_world: Worlds) -> None:
    """A node with four of each of two models: eight of one are nowhere, four are, whichever they are."""
    here = claiming_world(claimed("h100", H100, 1), claimed("a100", A100, 1))
    for name in ("h100-0", "a100-0"):
        here.client.delete(Ref(slices.API, "ResourceSlice", f"{name}-gpu.nvidia.com-0"))
    devices = [
        device | {"name": f"{device['name']}-{number}"}
        for number, model in enumerate((H100, A100))
        for device in slices.whole("h100-0", model, 4)[0]["spec"]["devices"]
    ]
    here.create(slices.pool("h100-0", [{"devices": devices}]))
    spec = {"memory": "70Gi"}
    eight = here.submit(training("eight", H100, gpu={"count": 8} | spec, resources=SMALL))
    assert "cannot allocate all claims" in refused(here, eight)
    four = here.submit(training("four", H100, gpu={"count": 4} | spec, resources=SMALL))
    here.started(four)
    (pod,) = here.pods(four)
    kinds = {each.split()[1].rpartition("-")[2] for each in allocated(here, pod)}
    assert len(kinds) == 1


def test_a_name_that_a_class_stands_behind(claiming_world: Worlds) -> None:
    """C-56: of a MIG profile `cluster render` makes the class; the scheduler makes the claim."""
    if here_minor() != binaries.NEWEST:
        pytest.skip("the scheduler makes claims of extended resources since 1.36")
    how = {"by": "extended-resource"}
    sharing = {"mode": "mig", "profiles": {"1g.10gb": 2, "2g.20gb": 1}}
    here = claiming_world(
        handed_out(how, "mig", A100, 1, 2, sharing=sharing),
        handed_out(how, "h100", H100, 1),
        kubernetes="1.37",
    )
    one = here.submit(server("one", A100, gpu={"models": [A100], "count": 1, "memory": "15Gi"}))
    whole = here.submit(training("whole", H100))
    assert here.started(one) == ["mig-0"]
    assert here.started(whole) == ["h100-0"]
    (pod,) = here.pods(one)
    claim = pod["status"]["extendedResourceClaimStatus"]
    ref = Ref(slices.API, "ResourceClaim", claim["resourceClaimName"], here.namespace)
    (result,) = here.get(ref)["status"]["allocation"]["devices"]["results"]
    assert "mig-2g20gb" in result["device"]


def test_a_quota_counts_devices_by_their_class(claiming_world: Worlds) -> None:
    """C-56: as `cluster render` writes it; a pod whose claim is beyond it pends."""
    here = claiming_world(claimed("h100", H100, 1))
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "gpus", "namespace": here.namespace},
        "spec": {"hard": {CLASS: "8"}},
    }
    here.create([quota])
    ref = Ref.of(quota)
    here.until(lambda: here.get(ref).get("status", {}).get("used"), "the quota is counted")
    first = here.submit(training("first", H100, gpus=6, resources=SMALL))
    here.started(first)
    assert here.get(ref)["status"]["used"] == {CLASS: "6"}
    second = here.submit(training("second", H100, gpus=4, resources=SMALL))
    here.until(lambda: here.pods(second), "its pod is made")
    assert not here.places(second)


def test_a_queue_counts_the_devices_of_claims(claiming_world: Worlds) -> None:
    """C-56: Kueue's configuration maps the class to the resource that the queue has quota of."""
    here = claiming_world(claimed("h100", H100, 2), queues=[queue("research", {"h100": 8})])
    first = here.submit(training("first", queue="research"))
    here.started(first)
    second = here.submit(training("second", queue="research"))
    assert "insufficient unused quota for nvidia.com/gpu in flavor h100" in here.held(second)
    here.finish(first)
    here.started(second)


def test_workers_that_nvlink_joins_keep_to_one_clique(claiming_world: Worlds) -> None:
    """C-56: two racks of two nodes; each worker has GPUs and a channel, both are in one rack."""
    here = claiming_world(claimed("rack", "GB200", 4, 4, architecture="arm64", computeDomains=True))
    here.client.create(drivers.COMPUTE_DOMAINS)
    established(here.client, drivers.COMPUTE_DOMAINS)
    for number in range(4):
        labels = {"nvidia.com/gpu.clique": f"domain.{number % 2}", "kubernetes.io/arch": "arm64"}
        here.client.patch(Ref("v1", "Node", f"rack-{number}"), {"metadata": {"labels": labels}})
    made = here.render(
        training("gang", "GB200", 4, workers=2, command=["python", "-m", "train"], resources=SMALL)
    )
    (domain,) = (each for each in made if each["kind"] == "ComputeDomain")
    here.create([*made, drivers.channels(domain)])
    (job,) = (Ref.of(each) for each in made if each["kind"] == "Job")
    assert here.started(job, 2) in (["rack-0", "rack-2"], ["rack-1", "rack-3"])
    for pod in here.pods(job):
        devices = {each.split()[1] for each in allocated(here, pod)}
        assert devices == {"channel-0", "gpu-0", "gpu-1", "gpu-2", "gpu-3"}


def here_minor() -> str:
    """The Kubernetes that runs."""
    return os.environ.get("GPUSPEC_MINOR") or binaries.NEWEST
