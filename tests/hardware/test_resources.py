import pytest

from gpuspec.hardware import is_gpu_resource, models, resource, vendors


@pytest.mark.parametrize(
    ("name", "vendor", "kind"),
    [
        ("nvidia.com/gpu", "nvidia", "device"),
        ("nvidia.com/gpu.shared", "nvidia", "shared"),
        ("nvidia.com/mig-1g.10gb", "nvidia", "slice"),
        ("nvidia.com/mig-1g.24gb.me.all", "nvidia", "slice"),
        ("deviceclass.resource.kubernetes.io/gpu.nvidia.com", "nvidia", "device"),
        ("amd.com/gpu", "amd", "device"),
        ("amd.com/cpx_nps4", "amd", "slice"),
        ("amd.com/spx_nps1", "amd", "device"),
        ("deviceclass.resource.kubernetes.io/gpu.amd.com", "amd", "device"),
        ("gpu.intel.com/i915", "intel", "device"),
        ("gpu.intel.com/xe", "intel", "device"),
        ("habana.ai/gaudi", "gaudi", "device"),
        ("google.com/tpu", "tpu", "device"),
        ("aws.amazon.com/neuron", "neuron", "device"),
        ("aws.amazon.com/neurondevice", "neuron", "device"),
        ("aws.amazon.com/neuroncore", "neuron", "core"),
    ],
)
def test_accelerators(name: str, vendor: str, kind: str) -> None:
    found = resource(name)
    assert is_gpu_resource(name)
    assert found is not None
    assert (found.vendor, found.kind) == (vendor, kind)


@pytest.mark.parametrize(
    "name",
    [
        "nvidia.com/rdma-vf",
        "nvidia.com/hostdev",
        "nvidia.com/gpumem",
        "nvidia.com/gpucores",
        "nvidia.com/gpus",
        "nvidia.com/mig-",
        "NVIDIA.com/gpu",
        "gpu.intel.com/monitoring",
        "intel.com/qat",
        "amd.com/nic",
        "rdma/ib",
        "rdma/hca_shared_devices_a",
        "vpc.amazonaws.com/efa",
        "networking.gke.io.networks/rdma-0",
        "cpu",
        "memory",
        "ephemeral-storage",
        "hugepages-2Mi",
        "gpu",
        "",
    ],
)
def test_resources_that_are_no_accelerators(name: str) -> None:
    assert not is_gpu_resource(name)
    assert resource(name) is None


def test_each_profile_of_each_model_is_a_slice() -> None:
    slices = {profile.resource for candidate in models() for profile in candidate.mig}
    assert slices
    found = [resource(name) for name in slices]
    assert {one and one.kind for one in found} == {"slice"}


def test_each_resource_has_one_vendor_and_a_source() -> None:
    rows = [row for vendor in vendors() for row in vendor.resources]
    assert len({row.name for row in rows}) == len(rows)
    assert all(row.source for row in rows)


def test_other_names_of_a_makers_domain_are_no_accelerators() -> None:
    others = [name for vendor in vendors() for name in vendor.others]
    assert "nvidia.com/rdma-vf" in others
    assert not [name for name in others if is_gpu_resource(name)]
