"""Recipes of fabrics: each row is whole in itself, sourced, and legal where it is written."""

import re

import pytest

from gpuspec import hardware
from gpuspec.hardware import Recipe
from gpuspec.manifests import Quantity, dns_label
from gpuspec.spec.fabric import Rdma

RECIPES = list(hardware.recipes().values())
MACHINES = {shape.instance for model in hardware.models() for shape in hardware.node_shapes(model)}
FIELDS = set(Rdma.__struct_encode_fields__)


@pytest.fixture(params=RECIPES, ids=lambda recipe: recipe.name)
def recipe(request: pytest.FixtureRequest) -> Recipe:
    made: Recipe = request.param
    return made


def test_its_fabric_and_provider_are_known(recipe: Recipe) -> None:
    assert recipe.fabric in [known.name for known in hardware.fabrics()]
    assert recipe.provider is None or recipe.provider in hardware.providers()


def test_its_source_names_a_repository_and_a_commit(recipe: Recipe) -> None:
    assert re.search(r"[\w.-]+/[\w.-]+ at [0-9a-f]{7,}", recipe.source)


def test_it_fills_in_fields_of_a_pools_rdma(recipe: Recipe) -> None:
    assert recipe.fields.keys() <= FIELDS - {"recipe", "waivers"}
    for machine in recipe.machines.values():
        assert machine.keys() <= FIELDS | {"labels"}


def test_what_only_a_machine_can_say_every_machine_says(recipe: Recipe) -> None:
    for name, machine in recipe.machines.items():
        assert set(recipe.must) <= machine.keys(), name
    assert not set(recipe.must) & recipe.fields.keys()


def test_a_machine_of_a_provider_is_one_that_is_sold(recipe: Recipe) -> None:
    """Of EC2, Google and Azure all are in the table of common machines; of OCI none is."""
    if recipe.provider in ("gke", "aks") or recipe.name == "efa":
        assert set(recipe.machines) <= MACHINES


def test_what_is_mounted_is_there_and_nothing_is_there_for_nobody(recipe: Recipe) -> None:
    volumes = {volume.name for volume in recipe.volumes}
    daemon = recipe.daemon.mounts if recipe.daemon else {}
    assert recipe.mounts.keys() | daemon.keys() == volumes
    assert recipe.read_only <= recipe.mounts.keys()
    for volume in recipe.volumes:
        assert dns_label(volume.name) is None
        assert (volume.folder is None) is (volume.size is not None)
        assert volume.size is None or Quantity.parse(volume.size).value > 0


def test_a_daemon_gets_devices_by_its_name(recipe: Recipe) -> None:
    keys = [key for key in recipe.fields.get("annotations", {}) if "container." in key]
    names = [key.partition("container.")[2] for key in keys]
    assert names == ([recipe.daemon.name] if recipe.daemon else [])


def test_interfaces_that_variables_name_are_those_that_are_made(recipe: Recipe) -> None:
    told = recipe.fields.get("env", {})
    made = set(recipe.fields.get("interfaces", {}))
    for name in ("NCCL_FASTRAK_IFNAME", "NCCL_GPUDIRECTTCPX_SOCKET_IFNAME"):
        if name in told:
            assert set(told[name].split(",")) == made
    for name in ("NCCL_GPUDIRECTTCPX_TX_BINDINGS", "NCCL_GPUDIRECTTCPX_RX_BINDINGS"):
        if name in told:
            assert {part.partition(":")[0] for part in told[name].split(";")} == made
