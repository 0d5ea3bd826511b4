"""The fabric between workers: what a pod asks of it, how it is attached, where workers go."""

import json
from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Made, Make, Refused, Values


def rdma(**fields: Any) -> Values:
    return {"resource": "rdma/hca_shared_devices_a", "env": {"NCCL_IB_HCA": "mlx5"}, **fields}


def test_workers_ask_for_the_pools_fabric_and_its_settings(make: Make, words: ModuleType) -> None:
    """C-52: RDMA and NCCL settings from the profile, where several pods talk to each other."""
    made = make("Training", words.cluster(words.pool(rdma=rdma())), workers=2, gpu={"count": 8})
    assert made.requests["rdma/hca_shared_devices_a"] == "1"
    assert made.limits["rdma/hca_shared_devices_a"] == "1"
    assert made.env["NCCL_IB_HCA"] == "mlx5"


def test_a_single_pod_leaves_the_fabric_alone(make: Make, words: ModuleType) -> None:
    made = make("Training", words.cluster(words.pool(rdma=rdma())))
    assert not [name for name in made.requests if name.startswith("rdma/")]
    assert "NCCL_IB_HCA" not in made.env


def test_devices_and_huge_pages_go_with_the_share_of_gpus(make: Make, words: ModuleType) -> None:
    efa = rdma(resource="vpc.amazonaws.com/efa", count=32, perGpu=True, hugepages="5120Mi")
    profile = words.cluster(words.pool(rdma=efa))
    whole = make("Training", profile, workers=2, gpu={"count": 8})
    assert whole.requests["vpc.amazonaws.com/efa"] == "32"
    assert whole.requests["hugepages-2Mi"] == whole.limits["hugepages-2Mi"] == "5Gi"
    half = make("Training", profile, workers=2, gpu={"count": 4})
    assert half.requests["vpc.amazonaws.com/efa"] == "16"
    assert half.requests["hugepages-2Mi"] == "2560Mi"


def test_a_fabric_that_restricted_pods_cannot_use_is_refused_when_it_is_required(
    refused: Refused, words: ModuleType
) -> None:
    """IPC_LOCK is forbidden, and does nothing for a process that is not root."""
    profile = words.cluster(words.pool(rdma=rdma(memlock="limited")))
    text = refused("Training", profile, workers=2, gpu={"interconnect": "rdma"})
    assert "its nodes limit locked memory, and restricted pods cannot add IPC_LOCK" in text


def test_a_fabric_that_restricted_pods_cannot_use_is_not_asked_for(
    make: Make, words: ModuleType
) -> None:
    """C-52: the fall back to TCP is said, not silent."""
    profile = words.cluster(words.pool(rdma=rdma(memlock="limited")))
    made = make("Training", profile, workers=2)
    assert not [name for name in made.requests if name.startswith("rdma/")]
    assert "NCCL_IB_HCA" not in made.env
    assert "its RDMA fabric is not used, and the 2 workers communicate over TCP" in made.loud()


def test_workers_without_any_fabric_are_said(make: Make, words: ModuleType) -> None:
    made = make("Training", words.cluster(words.pool()), workers=2)
    assert "pool a100 has no RDMA fabric: the 2 workers communicate over TCP" in made.loud()


def test_pools_with_another_fabric_are_left_out(make: Make, words: ModuleType) -> None:
    other = words.pool("other", rdma=rdma(resource="rdma/ib"))
    made = make("Training", words.cluster(words.pool(rdma=rdma()), other), workers=2)
    assert "pool other is left out: its RDMA fabric is not that of the first choice" in (
        made.notes()
    )
    assert "NotIn" not in str(made.terms), "its nodes do not have the device that is asked for"


def test_every_resource_of_a_fabric_is_asked_for(make: Make, words: ModuleType) -> None:
    rails = rdma(resource="example.com/rail0", resources={"example.com/rail1": 2}, perGpu=False)
    made = make("Training", words.cluster(words.pool(rdma=rails)), workers=2)
    assert made.requests["example.com/rail0"] == made.limits["example.com/rail0"] == "1"
    assert made.requests["example.com/rail1"] == made.limits["example.com/rail1"] == "2"


def test_multus_attaches_the_part_of_the_networks_that_goes_with_the_gpus(
    make: Make, words: ModuleType
) -> None:
    """C-52: devices and attachments agree, or the pod is never created."""
    names = [f"fabric/rail-{i}" for i in range(8)]
    rails = rdma(resource="nvidia.com/rdma-vf", count=8, perGpu=True, networks=names)
    profile = words.cluster(words.pool(rdma=rails))
    for gpus in (8, 4):
        made = make("Training", profile, workers=2, gpu={"count": gpus})
        written = made.template["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"]
        assert written.split(",") == names[:gpus]
        assert made.requests["nvidia.com/rdma-vf"] == str(gpus)
        assert made.env["NCCL_SOCKET_IFNAME"] == "eth0", "not over the fabric's own interface"


def gke(**fields: Any) -> Values:
    names = {"eth2": "rdma-0", "eth3": "rdma-1"}
    resources = {f"networking.gke.io.networks/{name}": 1 for name in ("rdma-0", "rdma-1")}
    main = next(iter(resources))
    more = {name: 1 for name in resources if name != main}
    return {"resource": main, "resources": more, "interfaces": names, **fields}


def test_gke_attaches_interfaces_by_annotations_and_resources(
    make: Make, words: ModuleType
) -> None:
    """C-52: annotations and requests are made from one block."""
    addressed = gke()
    addressed["resources"]["networking.gke.io.networks/rdma-0.IP"] = 1
    profile = words.cluster(words.pool(rdma=addressed))
    made = make("Training", profile, workers=2, gpu={"count": 8})
    annotations = made.template["metadata"]["annotations"]
    assert annotations["networking.gke.io/default-interface"] == "eth0"
    assert json.loads(annotations["networking.gke.io/interfaces"]) == [
        {"interfaceName": "eth0", "network": "default"},
        {"interfaceName": "eth2", "network": "rdma-0"},
        {"interfaceName": "eth3", "network": "rdma-1"},
    ]
    asked = [name for name in made.limits if name.startswith("networking.gke.io.networks/")]
    assert sorted(asked) == [
        f"networking.gke.io.networks/{name}" for name in ("rdma-0", "rdma-0.IP", "rdma-1")
    ]


def test_an_interface_of_ones_own_network_is_written_as_it_is(
    make: Make, words: ModuleType
) -> None:
    own = gke(interfaces={"eth0": "pods", "eth2": "rdma-0", "eth3": "rdma-1"})
    made = make("Training", words.cluster(words.pool(rdma=own)), workers=2, gpu={"count": 8})
    written = made.template["metadata"]["annotations"]["networking.gke.io/interfaces"]
    assert json.loads(written)[0] == {"interfaceName": "eth0", "network": "pods"}
    assert len(json.loads(written)) == 3


def test_interfaces_of_a_node_are_not_for_a_part_of_its_gpus(
    make: Make, refused: Refused, words: ModuleType
) -> None:
    """The second pod of the node would pend for ever."""
    profile = words.cluster(words.pool(rdma=gke()))
    made = make("Training", profile, workers=2, gpu={"count": 4})
    assert "networking.gke.io/interfaces" not in made.template["metadata"]["annotations"]
    assert not [name for name in made.limits if name.startswith("networking.gke.io")]
    assert "one interface on each network, for a pod with all 8 GPUs" in made.loud()
    text = refused("Training", profile, workers=2, gpu={"count": 4, "interconnect": "rdma"})
    assert "one interface on each network" in text


def test_less_than_one_device_for_a_pod_is_none(make: Make, words: ModuleType) -> None:
    """A p4d node has four adapters for eight GPUs: half of its one-GPU pods would pend."""
    efa = rdma(resource="vpc.amazonaws.com/efa", count=4, perGpu=True)
    profile = words.cluster(words.pool(rdma=efa))
    made = make("Training", profile, workers=2, gpu={"count": 1})
    assert "vpc.amazonaws.com/efa" not in made.limits and "FI_PROVIDER" not in made.env
    assert "4 vpc.amazonaws.com/efa for 8 GPUs, less than one for 1" in made.loud()
    pair = make("Training", profile, workers=2, gpu={"count": 2})
    assert pair.limits["vpc.amazonaws.com/efa"] == "1"


def test_other_annotations_of_the_profile_are_written(make: Make, words: ModuleType) -> None:
    other = rdma(annotations={"cni.example.com/rail": "all"})
    profile = words.cluster(words.pool(rdma=other))
    made = make("Training", profile, workers=2)
    assert made.template["metadata"]["annotations"]["cni.example.com/rail"] == "all"
    alone = make("Training", profile)
    assert "cni.example.com/rail" not in alone.template["metadata"]["annotations"]


def test_a_server_that_asks_for_the_fabric_is_attached_too(make: Make, words: ModuleType) -> None:
    other = rdma(networks=["fabric/ib"])
    profile = words.cluster(words.pool(rdma=other))
    made = make("Inference", profile, gpu={"count": 2, "interconnect": "rdma"})
    annotations = made.template["metadata"]["annotations"]
    assert annotations["k8s.v1.cni.cncf.io/networks"] == "fabric/ib"


@pytest.mark.parametrize(
    ("model", "direct"), [("H100-80GB", "1"), ("A100-80GB", "1"), ("L4", None), ("V100-32GB", None)]
)
def test_efa_is_told_to_libfabric(
    make: Make, words: ModuleType, model: str, direct: str | None
) -> None:
    """C-52: GPUDirect RDMA only where the adapter has it; elsewhere libfabric aborts."""
    efa = {"resource": "vpc.amazonaws.com/efa", "count": 8, "perGpu": True}
    profile = words.cluster(words.pool(model=model, rdma=efa))
    made = make("Training", profile, workers=2, gpu={"count": 8})
    assert made.env["FI_PROVIDER"] == "efa"
    assert made.env.get("FI_EFA_USE_DEVICE_RDMA") == direct
    assert "the image needs the plugin aws-ofi-nccl" in made.notes()


def test_the_profiles_settings_win_over_ours_and_the_specs_over_both(
    make: Make, words: ModuleType
) -> None:
    efa = {"resource": "vpc.amazonaws.com/efa", "env": {"FI_EFA_USE_DEVICE_RDMA": "0"}}
    profile = words.cluster(words.pool(rdma=efa))
    made = make("Training", profile, workers=2)
    assert made.env["FI_EFA_USE_DEVICE_RDMA"] == "0"
    made = make("Training", profile, workers=2, env={"FI_EFA_USE_DEVICE_RDMA": "1"})
    assert made.env["FI_EFA_USE_DEVICE_RDMA"] == "1"


def test_a_spec_that_keeps_nccl_off_the_fabric_is_told(make: Make, words: ModuleType) -> None:
    """C-52: devices asked for, and TCP all the same."""
    profile = words.cluster(words.pool(rdma=rdma()))
    made = make("Training", profile, workers=2, env={"NCCL_IB_DISABLE": 1})
    said = "NCCL_IB_DISABLE=1 disables rdma/hca_shared_devices_a for NCCL"
    assert said in made.loud()
    made = make("Training", profile, workers=2, env={"NCCL_IB_DISABLE": 0})
    assert "keeps NCCL off" not in made.notes()


def test_nothing_gives_a_pod_more_rights_for_the_fabric(
    make: Make, words: ModuleType, pod_security: ModuleType
) -> None:
    """C-52: neither IPC_LOCK nor the host's network; why not is explained."""
    profile = words.cluster(words.pool(rdma=rdma(networks=["ib"], domain="example.com/rack")))
    made = make("Training", profile, workers=2, gpu={"count": 8, "interconnect": "rdma"})
    assert pod_security.restricted(made.template) == []
    assert "hostNetwork" not in made.pod
    assert "IPC_LOCK is not added" in made.notes() and "IPC_LOCK" not in made.loud()


def near(made: Made) -> Values:
    return made.pod["affinity"].get("podAffinity")


def test_workers_prefer_one_domain_of_the_fabric(make: Make, words: ModuleType) -> None:
    """C-52: same rack or NVLink domain, softly."""
    profile = words.cluster(words.pool(rdma=rdma(domain="example.com/rack")))
    made = make("Training", profile, workers=4, run="one")
    (term,) = near(made)["preferredDuringSchedulingIgnoredDuringExecution"]
    assert term["podAffinityTerm"] == {
        "labelSelector": {"matchLabels": {"batch.kubernetes.io/job-name": "work-one"}},
        "topologyKey": "example.com/rack",
    }
    assert "requiredDuringSchedulingIgnoredDuringExecution" not in near(made)
    assert "not all fit" in made.reason(
        "spec.template.spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution"
    )


def test_the_domain_is_for_workers_of_one_job_alone(make: Make, words: ModuleType) -> None:
    """By the Job's name, a digest too: two runs must not draw each other."""
    profile = words.cluster(words.pool(rdma=rdma(domain="example.com/rack")))
    made = make("Training", profile, workers=2)
    (term,) = near(made)["preferredDuringSchedulingIgnoredDuringExecution"]
    selected = term["podAffinityTerm"]["labelSelector"]["matchLabels"]
    assert selected == {"batch.kubernetes.io/job-name": made.workload["metadata"]["name"]}
    assert near(make("Training", profile)) is None
    assert near(make("Training", words.cluster(words.pool(rdma=rdma())), workers=2)) is None


def test_a_domain_is_of_use_without_rdma_too(make: Make, words: ModuleType) -> None:
    """TCP crosses fewer switches as well, and NVLink needs no locked memory."""
    profile = words.cluster(
        words.pool(rdma=rdma(memlock="limited", domain="nvidia.com/gpu.clique"))
    )
    assert near(make("Training", profile, workers=2))


def test_zones_are_loud_only_where_nothing_draws_workers_together(
    make: Make, words: ModuleType
) -> None:
    for domain, loud in ((None, True), ("topology.kubernetes.io/zone", False)):
        fields = rdma(domain=domain) if domain else rdma()
        pool = words.pool(rdma=fields, zones=["a", "b"])
        made = make("Training", words.cluster(pool), workers=2)
        assert ("spans a, b" in made.loud()) is loud
        assert "spans a, b" in made.notes()


@pytest.mark.parametrize(
    "fields",
    [
        {"networks": ["fabric/ib"]},
        {"annotations": {"cni.example.com/rail": "all"}},
        {"interfaces": {"eth1": "rail"}},
    ],
)
def test_pools_that_attach_otherwise_are_left_out(
    make: Make, words: ModuleType, fields: Values
) -> None:
    """What is left out was attached as the first choice in all but this."""
    fixed = {"NCCL_SOCKET_IFNAME": "eth0"}
    first = words.pool(rdma=rdma(env=fixed))
    other = words.pool("other", rdma=rdma(env=fixed, **fields))
    made = make("Training", words.cluster(first, other), workers=2, gpu={"count": 8})
    assert "pool other is left out: its RDMA fabric is not that of the first choice" in (
        made.notes()
    )


def test_a_queue_that_knows_the_topology_places_workers_itself(
    make: Make, words: ModuleType
) -> None:
    """C-52: its annotations say it, and it knows the room of a rack beforehand."""
    levels = [{"name": "rack", "label": "example.com/rack"}]
    profile = words.cluster(
        words.pool(rdma=rdma(domain="example.com/rack")),
        installed={"kueue": "0.19"},
        topology={"levels": levels},
    )
    asked = {"queue": "research", "topology": {"level": "rack"}}
    assert near(make("Training", profile, workers=2, **asked)) is None
    assert near(make("Training", profile, workers=2, queue="research"))
