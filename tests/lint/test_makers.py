"""Pods with devices of AMD, Intel and Gaudi: what a profile tells of them, and whose library is named."""

from typing import Any

import pytest

from tests.lint.pages import raised
from tests.lint.plain import text


def pod(resource: str, labels: dict[str, str] | None = None, **more: Any) -> str:
    """A pod that is not root with one device, bound to nodes with these labels."""
    spec: dict[str, Any] = {
        "nodeSelector": labels or {},
        "securityContext": {"runAsUser": 1000, "runAsNonRoot": True, **more.pop("security", {})},
        "containers": [
            {
                "name": "main",
                "image": "ghcr.io/example/app:1",
                "resources": {"limits": {resource: 1, "memory": "8Gi", **more.pop("limits", {})}},
            }
        ],
    }
    metadata = {"name": "p", "namespace": "ml"}
    return text({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})


def said(manifest: str, code: str, profile: str | None = None) -> list[str]:
    """What one rule says of a manifest."""
    return [one.found.message for one in raised(manifest, profile) if one.rule.code == code]


@pytest.mark.parametrize(
    ("product", "security", "found"),
    [
        ("Instinct_MI210", {}, False),
        ("AMD_Instinct_MI300X_OAM", {}, True),
        ("AMD_Instinct_MI300X_OAM", {"fsGroup": 109}, False),
        ("AMD_Instinct_MI300X_OAM", {"supplementalGroups": [44, 109]}, False),
    ],
)
def test_a_profile_says_who_may_open_the_files(
    product: str, security: dict[str, Any], found: bool
) -> None:
    made = pod("amd.com/gpu", {"amd.com/gpu.product-name": product}, security=security)
    assert bool(said(made, "GPU622", "makers")) is found
    assert bool(said(made, "GPU622")) is ("supplementalGroups" not in security)


def test_pools_that_say_nothing_are_no_proof() -> None:
    assert said(pod("gpu.intel.com/xe"), "GPU622", "makers")


def test_huge_pages_of_the_driver() -> None:
    (message,) = said(pod("habana.ai/gaudi"), "GPU913", "makers")
    assert "95000Mi of `hugepages-2Mi` for their accelerators' driver" in message
    asked = pod("habana.ai/gaudi", limits={"hugepages-2Mi": "11876Mi"})
    assert said(asked, "GPU913", "makers") == said(pod("habana.ai/gaudi"), "GPU913") == []
    assert said(pod("amd.com/gpu"), "GPU913", "makers") == []


@pytest.mark.parametrize(
    ("resource", "library"), [("amd.com/gpu", "RCCL"), ("nvidia.com/gpu", "NCCL")]
)
def test_the_library_is_called_by_its_name(resource: str, library: str) -> None:
    limits = {resource: 8, "rdma/hca": 1}
    made = pod(resource, limits=limits).replace(
        "name: main", "name: main\n    env: [{name: NCCL_IB_DISABLE, value: '1'}]"
    )
    (message,) = said(made, "GPU911")
    assert f"makes {library} ignore the `rdma/hca`" in message


def test_variables_of_nccl_say_nothing_to_another_library() -> None:
    made = pod("habana.ai/gaudi", limits={"rdma/hca": 1}).replace(
        "name: main", "name: main\n    env: [{name: NCCL_IB_DISABLE, value: '1'}]"
    )
    assert said(made, "GPU911") == []


def test_nodes_without_the_fabric_are_none_of_a_pods_that_asks_for_it() -> None:
    """A pod with all GPUs of a node and its RDMA devices does not land on larger nodes without."""
    limits = {"amd.com/gpu": 8, "cpu": "180", "rdma/hca": 8}
    made = pod("amd.com/gpu", limits=limits)
    assert said(made, "GPU401", "makers-with-fabric") == []
    del limits["rdma/hca"]
    assert said(pod("amd.com/gpu", limits=limits), "GPU401", "makers-with-fabric")


def with_variable(resource: str, name: str, value: str) -> str:
    """A pod with one device whose container has a variable."""
    entry = f"name: main\n    env: [{{name: {name}, value: '{value}'}}]"
    return pod(resource).replace("name: main", entry)


@pytest.mark.parametrize(
    ("resource", "name", "value", "found"),
    [
        ("nvidia.com/gpu", "NVIDIA_VISIBLE_DEVICES", "all", "overrides the device plugin"),
        ("amd.com/gpu", "NVIDIA_VISIBLE_DEVICES", "all", None),
        ("habana.ai/gaudi", "NVIDIA_VISIBLE_DEVICES", "void", None),
        ("nvidia.com/gpu", "CUDA_VISIBLE_DEVICES", "3", "CUDA ignores device 3"),
        ("amd.com/gpu", "CUDA_VISIBLE_DEVICES", "3", "ROCm ignores device 3"),
        ("amd.com/gpu", "HIP_VISIBLE_DEVICES", "3", "ROCm ignores device 3"),
        ("nvidia.com/gpu", "HIP_VISIBLE_DEVICES", "3", None),
        ("habana.ai/gaudi", "CUDA_VISIBLE_DEVICES", "3", None),
    ],
)
def test_variables_that_choose_devices_are_of_one_maker(
    resource: str, name: str, value: str, found: str | None
) -> None:
    messages = said(with_variable(resource, name, value), "GPU604")
    assert [found in message for message in messages if found] == ([True] if found else [])
    assert found is not None or messages == []


def test_values_of_nccl_are_not_those_of_another_library() -> None:
    """RCCL takes `ERROR` as a level, which NCCL does not know."""
    assert said(with_variable("nvidia.com/gpu", "NCCL_DEBUG", "ERROR"), "GPU706")
    assert said(with_variable("amd.com/gpu", "NCCL_DEBUG", "ERROR"), "GPU706") == []


def test_a_part_of_a_device_is_asked_for_as_its_maker_has_it() -> None:
    for resource, words in (("amd.com/gpu", "partition"), ("gpu.intel.com/xe", "shared-dev-num")):
        made = pod(resource).replace(f"{resource}: 1", f"{resource}: 0.5")
        (note,) = [one.found.note for one in raised(made) if one.rule.code == "GPU101"]
        assert note is not None and words in note and "MIG" not in note
