"""What is known of fabrics: recognised by resource, sourced, and legal where it is written."""

import re

import pytest

from gpuspec import hardware
from gpuspec.manifests import label_key


@pytest.mark.parametrize(
    ("resource", "name"),
    [
        ("vpc.amazonaws.com/efa", "efa"),
        ("networking.gke.io.networks/rdma-0", "gke"),
        ("networking.gke.io.networks/rdma-0.IP", "gke"),
        ("rdma/hca_shared_devices_a", "verbs"),
        ("rdma/ib", "verbs"),
        ("nvidia.com/rdma-vf", "verbs"),
        ("nvidia.com/gpu", None),
        ("vpc.amazonaws.com/efa-only", None),
        ("example.com/rail0", None),
    ],
)
def test_a_fabric_is_known_by_its_resource(resource: str, name: str | None) -> None:
    found = hardware.fabric(resource)
    assert (found.name if found else None) == name


def test_no_fabric_is_an_accelerator() -> None:
    for known in hardware.fabrics():
        assert not any(hardware.is_gpu_resource(name) for name in known.resources)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("A100-40GB", True),
        ("H200-141GB", True),
        ("L40S", False),
        ("V100-32GB", False),
        ("MI300X", False),
        ("Trainium", True),
    ],
)
def test_gpudirect_over_efa_is_for_nvlink_from_ampere_on(model: str, expected: bool) -> None:
    (gpu,) = hardware.find(model)
    efa = hardware.fabric("vpc.amazonaws.com/efa")
    assert efa is not None
    suiting = [variable.name for variable in efa.variables if variable.suits(gpu)]
    assert ("FI_EFA_USE_DEVICE_RDMA" in suiting) is expected
    assert "FI_PROVIDER" in suiting


def test_every_fact_has_a_source() -> None:
    for known in hardware.fabrics():
        assert known.source and known.needs and known.resources
        for variable in known.variables:
            assert variable.source and variable.why
    for variable in hardware.attached_variables("nvidia"):
        assert variable.source and variable.why
    assert all(family.source for family in hardware.topologies())


def test_levels_are_label_keys_each_of_one_family() -> None:
    keys = [key for family in hardware.topologies() for key in family.levels]
    assert len(set(keys)) == len(keys)
    assert [key for key in keys if label_key(key)] == []
    for family in hardware.topologies():
        assert family.nvlink <= set(family.levels)


def test_settings_of_nodes_are_by_label_and_value() -> None:
    label = "backend.coreweave.cloud/flavor"
    assert hardware.fabric_settings({label: "infiniband"}) == {"NCCL_IB_HCA": "ibp"}
    assert hardware.fabric_settings({label: "roce"}) == {}
    assert hardware.fabric_settings({}) == {}


def test_names_of_variables_are_those_of_the_shell() -> None:
    for known in hardware.fabrics():
        for variable in (*known.variables, *hardware.attached_variables("nvidia")):
            assert re.fullmatch(r"[A-Z][A-Z0-9_]*", variable.name)
