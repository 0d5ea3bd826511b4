"""What a pod needs for a vendor's devices besides asking for them: groups, huge pages, variables."""

from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Make

AMD = {"model": "MI300X", "count": 8, "resource": "amd.com/gpu"}
GAUDI = {"model": "Gaudi3", "count": 8, "resource": "habana.ai/gaudi"}
RDMA = {"resource": "rdma/hca", "count": 1, "networks": ["fabric/rail"]}


def pool_of(words: ModuleType, gpu: dict[str, Any], **fields: Any) -> dict[str, Any]:
    taint = {"key": gpu["resource"]}
    return dict(words.cluster({**words.pool("here"), "gpu": gpu, "taints": [taint], **fields}))


def test_groups_of_the_nodes_open_the_device_files(make: Make, words: ModuleType) -> None:
    here = pool_of(words, {**AMD, "groups": [44, 109]})
    made = make("Training", here)
    assert made.pod["securityContext"]["supplementalGroups"] == [44, 109]
    assert made.pod["securityContext"]["runAsNonRoot"] is True
    assert "device files" in made.reason("spec.template.spec.securityContext")
    assert "belong to the groups" not in made.loud()


def test_all_pools_groups_are_the_pods(make: Make, words: ModuleType) -> None:
    one = {**words.pool("one"), "gpu": {**AMD, "groups": [44, 109]}}
    two = {**words.pool("two"), "gpu": {**AMD, "groups": [44, 992]}}
    context = make("Training", words.cluster(one, two)).pod["securityContext"]
    assert context["supplementalGroups"] == [44, 109, 992]


@pytest.mark.parametrize(("groups", "said"), [(None, True), ([], False)])
def test_untold_groups_are_a_loud_note(
    make: Make, words: ModuleType, groups: list[int] | None, said: bool
) -> None:
    told = {} if groups is None else {"groups": groups}
    made = make("Training", pool_of(words, {**AMD, **told}))
    assert "supplementalGroups" not in made.pod["securityContext"]
    assert ("/dev/kfd and /dev/dri belong to the groups render and video" in made.loud()) is said


def test_root_needs_no_group(make: Make, words: ModuleType) -> None:
    space = [{"name": "legacy", "podSecurity": "baseline"}]
    here = pool_of(words, AMD)
    here["spec"]["namespaces"] = space
    waivers = {"root": "the licence manager checks for uid 0"}
    assert "groups" not in make("Training", here, namespace="legacy", waivers=waivers).loud()


def test_nvidias_files_are_open_to_anyone(make: Make, words: ModuleType) -> None:
    made = make("Training", words.cluster(words.pool()))
    assert "supplementalGroups" not in made.pod["securityContext"]
    assert "groups" not in made.loud()


def test_huge_pages_go_with_the_accelerators(make: Make, words: ModuleType) -> None:
    here = pool_of(words, {**GAUDI, "hugepages": "96000Mi"})
    made = make("Training", here, gpu={"count": 2})
    assert made.requests["hugepages-2Mi"] == made.limits["hugepages-2Mi"] == "24000Mi"
    rdma = {"resource": "rdma/hca", "count": 8, "perGpu": True, "hugepages": "800Mi"}
    here = pool_of(words, {**GAUDI, "hugepages": "96000Mi"}, rdma=rdma)
    made = make("Training", here, gpu={"count": 8}, workers=2)
    assert made.requests["hugepages-2Mi"] == "96800Mi"


def test_a_driver_without_huge_pages_is_a_loud_note(make: Make, words: ModuleType) -> None:
    assert "does not say how many huge pages" in make("Training", pool_of(words, GAUDI)).loud()
    assert "huge pages" not in make("Training", pool_of(words, AMD)).loud()


def test_no_variable_of_cudas_in_a_pod_without_cuda(make: Make, words: ModuleType) -> None:
    for gpu in (AMD, GAUDI):
        helper = {"name": "fetch", "image": "fetch:1"}
        made = make("Training", pool_of(words, gpu), initContainers=[helper])
        names = {*made.env, *words.env(made.helper("fetch"))}
        assert not [name for name in names if "CUDA" in name or "NVIDIA" in name]
        assert "FLASHINFER_WORKSPACE_BASE" not in names
    assert made.env["HABANA_LOGS"].startswith("/home/app/")
    nvidia = make("Training", words.cluster(words.pool()))
    assert "CUDA_CACHE_PATH" in nvidia.env and "HABANA_LOGS" not in nvidia.env


@pytest.mark.parametrize(
    ("gpu", "variable", "library"),
    [(AMD, "NCCL_SOCKET_IFNAME", "RCCL"), (GAUDI, "HCCL_SOCKET_IFNAME", "HCCL")],
)
def test_the_library_binds_to_the_pods_own_network(
    make: Make, words: ModuleType, gpu: dict[str, Any], variable: str, library: str
) -> None:
    made = make("Training", pool_of(words, gpu, rdma=RDMA), gpu={"count": 8}, workers=2)
    assert made.env[variable] == "eth0"
    index = [entry["name"] for entry in made.main["env"]].index(variable)
    path = f"spec.template.spec.containers[0].env[{index}]"
    assert made.reason(path).startswith(f"{library} opens its connections")


def test_accelerators_with_ports_of_their_own_need_no_fabric(make: Make, words: ModuleType) -> None:
    gaudi = make("Training", pool_of(words, GAUDI), gpu={"count": 8}, workers=2)
    assert "communicate over TCP" not in gaudi.loud()
    assert "HCCL uses the accelerators' own ports" in gaudi.notes()
    amd = make("Training", pool_of(words, AMD), gpu={"count": 8}, workers=2)
    assert "has no RDMA fabric: the 2 workers communicate over TCP" in amd.loud()
