"""DeviceClasses, and what else follows where a DRA driver hands GPUs out."""

from __future__ import annotations

from typing import Any

import gpuspec
from gpuspec.validation import validate
from tests.cluster.conftest import MakeProfile

Object = dict[str, Any]


def made(profile: MakeProfile, fields: str) -> tuple[list[Object], str]:
    found = gpuspec.platform(profile(fields))
    assert all(not validate(one, "1.36") for one in found.objects)
    return found.objects, "\n".join(found.notes)


def classes(objects: list[Object]) -> dict[str, Object]:
    return {
        one["spec"]["extendedResourceName"]: one for one in objects if one["kind"] == "DeviceClass"
    }


def expressions(one: Object) -> list[str]:
    return [each["cel"]["expression"] for each in one["spec"]["selectors"]]


def test_a_class_for_each_profile_of_mig(profile: MakeProfile) -> None:
    """C-56: as the device plugin would call them; whole GPUs beside them have the driver's own."""
    objects, notes = made(
        profile,
        """
pools:
- name: half
  gpu: {model: A100-80GB, count: 8, dra: {by: extended-resource}}
  sharing: {mode: mig, profiles: {1g.10gb: 2, 3g.40gb: 1}, gpus: 4}
""",
    )
    found = classes(objects)
    assert set(found) == {"nvidia.com/mig-1g.10gb", "nvidia.com/mig-3g.40gb"}
    one = found["nvidia.com/mig-1g.10gb"]
    assert one["metadata"]["name"] == "mig-1g-10gb.gpu.nvidia.com"
    assert expressions(one) == [
        "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig'",
        "device.attributes['gpu.nvidia.com'].profile == '1g.10gb'",
    ]
    # Nothing is told to a device plugin that must not run there; the layout is the MIG manager's.
    assert [one["metadata"]["name"] for one in objects if one["kind"] == "ConfigMap"] == [
        "gpuspec-mig-layouts"
    ]
    assert "devicePlugin" not in notes
    assert "keep the device plugin off these nodes" in notes


def test_a_class_for_a_name_of_the_platforms_own(profile: MakeProfile) -> None:
    """And none for the name that the driver's chart gives to its class of whole GPUs."""
    objects, _ = made(
        profile,
        """
pools:
- name: a
  gpu: {model: H200, count: 8, resource: example.com/h200, dra: {by: extended-resource}}
  labels: {nvidia.com/gpu.product: NVIDIA-H200}
- name: b
  gpu: {model: H100-80GB, count: 8, dra: {by: extended-resource}}
""",
    )
    (one,) = classes(objects).values()
    assert one["metadata"]["name"] == "h200.gpu.nvidia.com"
    assert expressions(one)[1] == (
        "device.attributes['gpu.nvidia.com'].productName.replace(' ', '-') == 'NVIDIA-H200'"
    )


def test_amds_class_of_whole_gpus_is_ours_to_make(profile: MakeProfile) -> None:
    """Its driver's chart has a class without a name of a resource, for whole GPUs and partitions alike."""
    objects, _ = made(
        profile,
        """
pools:
- {name: a, gpu: {model: MI300X, count: 8, resource: amd.com/gpu, dra: {by: extended-resource}}}
""",
    )
    one = classes(objects)["amd.com/gpu"]
    assert one["metadata"]["name"] == "gpu.gpu.amd.com"
    assert "type == 'amdgpu'" in expressions(one)[0]


def test_claims_need_no_class_of_ours(profile: MakeProfile) -> None:
    objects, notes = made(
        profile, "pools:\n- {name: a, gpu: {model: H200, count: 8, dra: {by: claim}}}\n"
    )
    assert objects == []
    assert "DRA driver gpu.nvidia.com hands out the GPUs of pool a" in notes


def test_a_quota_counts_claims_by_their_class(profile: MakeProfile) -> None:
    """C-56: MIG profiles are of one class, and their sum is what it counts; a plugin's name stays."""
    objects, _ = made(
        profile,
        """
namespaces:
- name: research
  quota: {nvidia.com/gpu: 16, nvidia.com/mig-1g.10gb: 4, nvidia.com/mig-2g.20gb: 2, memory: 1Ti}
pools:
- {name: whole, gpu: {model: H100-80GB, count: 8, dra: {by: claim}}}
- {name: old, gpu: {model: T4, count: 4}}
- name: mig
  gpu: {model: A100-80GB, count: 8, dra: {by: claim}}
  sharing: {mode: mig, profiles: {1g.10gb: 3, 2g.20gb: 2}}
""",
    )
    (quota,) = (one for one in objects if one["kind"] == "ResourceQuota")
    assert quota["spec"]["hard"] == {
        "gpu.nvidia.com.deviceclass.resource.k8s.io/devices": "16",
        "mig.nvidia.com.deviceclass.resource.k8s.io/devices": "6",
        "requests.memory": "1Ti",
        "requests.nvidia.com/gpu": "16",
    }
