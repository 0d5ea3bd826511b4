"""What a recipe takes from Pod Security: by whose reasons, in which namespaces, and no more."""

from types import ModuleType

import pytest

from tests.plan.conftest import Make, Refused, Values
from tests.plan.recipe_pools import INSTANCE, ROOT, WHOLE, cluster, pool


def test_without_its_reasons_a_recipe_is_not_used_and_that_is_said(
    make: Make, refused: Refused, words: ModuleType
) -> None:
    profile = cluster(words, pool(words, "gke-tcpxo", waivers={"root": "the daemon needs it"}))
    said = (
        "its fabric gke-tcpxo needs writableRoot, hostPath and capabilities: write the reasons in "
        "the pool's rdma.waivers"
    )
    assert said in refused("Training", profile, **WHOLE)
    made = make("Training", profile, workers=2, gpu={"count": 8})
    assert said in made.loud() and "communicate over TCP" in made.loud()
    assert "initContainers" not in made.pod and "NCCL_FASTRAK_IFNAME" not in made.env


def test_the_reasons_may_be_the_workloads(make: Make, words: ModuleType) -> None:
    bare = cluster(words, pool(words, "gke-rdma", waivers={}))
    own = {"hostPath": "the plugin is the node's"}
    made = make("Training", bare, **WHOLE, waivers=own)
    annotations = made.template["metadata"]["annotations"]
    assert annotations["gpuspec.dev/waiver-host-path"] == "the plugin is the node's"
    assert "not needed" not in made.loud()
    assert made.mounts["/usr/local/gib"]["readOnly"] is True


@pytest.mark.parametrize("level", ["baseline", "restricted"])
def test_a_namespace_that_refuses_the_recipe_is_told_before_it_does(
    refused: Refused, words: ModuleType, level: str
) -> None:
    spaces = [{"name": "default", "podSecurity": level}]
    profile = cluster(words, pool(words, "gke-rdma"), namespaces=spaces)
    said = f"its fabric gke-rdma needs hostPath, and namespace default enforces {level}"
    assert said in refused("Training", profile, **WHOLE)


def test_of_a_namespace_without_a_known_level_it_is_said_loudly(
    make: Make, words: ModuleType
) -> None:
    made = make("Training", cluster(words, pool(words, "gke-rdma"), namespaces=[]), **WHOLE)
    assert "must enforce neither Pod Security restricted nor baseline" in made.loud()


def test_gib_in_the_image_is_restricted(
    make: Make, words: ModuleType, pod_security: ModuleType
) -> None:
    spaces = [{"name": "default", "podSecurity": "restricted"}]
    profile = cluster(words, pool(words, "gke-rdma-image"), namespaces=spaces)
    made = make("Training", profile, **WHOLE)
    assert pod_security.restricted(made.template) == []
    assert made.env["NCCL_NET"] == "gIB"


def test_the_host_network_brings_the_clusters_dns_and_the_devices(
    make: Make, words: ModuleType
) -> None:
    made = make("Training", cluster(words, pool(words, "host-network", "BM.GPU.H100.8")), **WHOLE)
    assert made.pod["hostNetwork"] is True
    assert made.pod["dnsPolicy"] == "ClusterFirstWithHostNet"
    context = made.main["securityContext"]
    assert context["privileged"] is True
    assert "allowPrivilegeEscalation" not in context, "the API server refuses false beside it"
    assert made.mounts["/dev/infiniband"]
    assert made.env["NCCL_IB_HCA"].startswith("=mlx5_0,mlx5_1,mlx5_3")


@pytest.mark.parametrize(
    ("recipe", "why"),
    [
        ("host-network", "have one network"),
        ("nebius-ib", "show every GPU to privileged containers"),
        ("gke-tcpxo", "have one interface on each network"),
    ],
)
def test_what_a_node_has_once_is_not_for_a_part_of_its_gpus(
    make: Make, words: ModuleType, recipe: str, why: str
) -> None:
    half: Values = {"workers": 2, "gpu": {"count": 4}}
    made = make("Training", cluster(words, pool(words, recipe)), **half)
    assert f"its nodes {why}, for a pod with all 8 GPUs" in made.loud()


def test_a_privileged_pod_of_nebius_stays_on_its_own_network(make: Make, words: ModuleType) -> None:
    made = make("Training", cluster(words, pool(words, "nebius-ib")), **WHOLE)
    assert made.main["securityContext"]["privileged"] is True
    assert "hostNetwork" not in made.pod
    assert made.env["NCCL_IB_HCA"] == "mlx5"
    assert "runs the workload as root" in made.loud()
    assert (
        "runs the workload as root"
        not in make("Training", cluster(words, pool(words, "nebius-ib")), **WHOLE, **ROOT).loud()
    )


def test_roles_beside_the_workers_stay_off_the_hosts_network(make: Make, words: ModuleType) -> None:
    jobset: Values = {"installed": {"jobset": "0.12"}, "targets": {"gang": "jobset"}}
    profile = cluster(words, pool(words, "host-network"), **jobset)
    role = {"name": "logger", "command": ["log"], "resources": {"cpu": 1, "memory": "1Gi"}}
    made = make("Training", profile, **WHOLE, roles=[role])
    jobs = {job["name"]: job for job in made.one("JobSet")["spec"]["replicatedJobs"]}
    pods = {name: job["template"]["spec"]["template"]["spec"] for name, job in jobs.items()}
    (workers,) = (name for name in pods if name != "logger")
    assert pods[workers]["hostNetwork"] is True
    assert "hostNetwork" not in pods["logger"]
    assert "privileged" not in pods["logger"]["containers"][0]["securityContext"]


def test_root_may_lock_memory_where_the_node_limits_it(make: Make, words: ModuleType) -> None:
    """On AKS a container's limit is 64 KiB; the capability lifts it, for root alone."""
    why = {"capabilities": "root locks memory for RDMA"}
    limited = pool(words, "aks-ib", memlock="limited", waivers=why)
    made = make("Training", cluster(words, limited), **WHOLE, **ROOT)
    assert made.main["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["IPC_LOCK"]}
    assert made.limits["rdma/ib"] == "8"
    assert "IPC_LOCK is not added" not in made.notes()


def test_who_is_not_root_cannot_lock_memory_where_the_node_limits_it(
    refused: Refused, words: ModuleType
) -> None:
    unsaid = words.pool(
        model="H100-80GB", rdma={"recipe": "aks-ib"}, labels={INSTANCE: "Standard_ND96isr_H100_v5"}
    )
    text = refused("Training", cluster(words, unsaid), **WHOLE)
    assert "its nodes limit locked memory" in text, "the recipe says so of AKS"
