"""The table of providers agrees with the other tables, and with what a profile may say."""

from typing import get_args

import pytest

from gpuspec import hardware
from gpuspec.hardware import SPOT_LABELS, Provider, presets, provider, providers
from gpuspec.hardware.tables import table
from gpuspec.manifests import label_key, label_value
from gpuspec.spec import Preset
from gpuspec.spec import Provider as Named

ALL = [pytest.param(found, id=name) for name, found in providers().items()]


def test_profiles_may_name_exactly_these() -> None:
    assert set(providers()) == set(get_args(Named))
    assert sorted(presets()) == sorted(get_args(Preset))


def test_every_provider_but_none_is_a_preset() -> None:
    assert set(presets()) == {*providers(), "generic", "gpu-operator"} - {"none"}


@pytest.mark.parametrize("known", ALL)
def test_its_label_is_one_that_a_labeller_sets(known: Provider) -> None:
    labeller = hardware.labellers()[known.labels.labeller]
    assert labeller.product
    assert any(labeller.values_of(model) for model in hardware.models())


@pytest.mark.parametrize("known", ALL)
def test_its_spot_label_is_known_as_one(known: Provider) -> None:
    """So that a pool filled in by a preset is seen as spot by rules, plan and discovery."""
    if known.spot and known.spot.label:
        key, value = known.spot.label
        assert SPOT_LABELS[key] == value
        assert known.spot.notice >= 30


@pytest.mark.parametrize("known", ALL)
def test_taints_are_taints(known: Provider) -> None:
    for taint in known.taints:
        assert label_key(taint.key) is None
        assert label_value(taint.value) is None
        assert taint.effect in ("NoSchedule", "NoExecute", "PreferNoSchedule")
    assert len({(taint.key, taint.effect) for taint in known.taints}) == len(known.taints)


def test_a_taint_is_written_as_kubectl_does() -> None:
    gke, tpu, spot = provider("gke").taints
    assert str(gke) == "nvidia.com/gpu=present:NoSchedule"
    assert (gke.automatic, gke.spot_only) == (True, False)
    assert (spot.automatic, spot.spot_only) == (False, True)
    assert str(provider("eks").taints[0]) == "nvidia.com/gpu:NoSchedule"
    assert str(tpu) == "google.com/tpu=present:NoSchedule"
    assert [one.is_of("tpu") for one in (gke, tpu, spot)] == [False, True, True]


@pytest.mark.parametrize("known", ALL)
def test_fabrics_are_known_as_such(known: Provider) -> None:
    for each in known.rdma:
        assert hardware.fabric(each.resource) is not None
        assert not hardware.is_gpu_resource(each.resource)
        assert all(count >= 1 for count in each.machines.values())


def test_machines_with_interfaces_are_the_machines_of_the_table_of_nodes() -> None:
    shapes = {s.instance for model in hardware.models() for s in hardware.node_shapes(model)}
    efa = provider("eks").rdma_resource("vpc.amazonaws.com/efa")
    assert efa is not None
    assert set(efa.machines) <= shapes
    assert efa.machines["p5.48xlarge"] == 32
    assert provider("eks").rdma_resource("rdma/ib") is None


def test_each_source_is_used_and_each_row_has_one() -> None:
    whole = table("providers")
    used: set[str] = set()

    def walk(node: object) -> None:
        if isinstance(node, dict):
            used.update(v for k, v in node.items() if k == "source" or str(k).endswith("-source"))
            for inner in node.values():
                walk(inner)
        elif isinstance(node, list):
            for inner in node:
                assert isinstance(inner, str) or "source" in inner, inner
                walk(inner)

    for entry in whole["providers"].values():
        used.update(entry.get("taints", ()), entry.get("storage", ()))
        used.update(entry.get("constraints", ()))
    walk(whole["providers"])
    walk([*whole["machines"].values()])
    walk(whole["presets"])
    assert used == set(whole["sources"])


def test_admission_tolerates_taints_that_are_called_as_extended_resources() -> None:
    asked = ["cpu", "nvidia.com/gpu", "vpc.amazonaws.com/efa", "kubernetes.io/own", "requests.x/y"]
    assert hardware.injected("eks", asked) == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "vpc.amazonaws.com/efa", "operator": "Exists", "effect": "NoSchedule"},
    ]
    assert hardware.injected("none", asked) == []
