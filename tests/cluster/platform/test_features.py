"""Labels of nodes that Node Feature Discovery sets, by the GPUs on their PCI bus."""

from typing import Any

from gpuspec import hardware
from gpuspec.cluster.platform.platform import platform_objects
from gpuspec.validation import validate
from tests.cluster.conftest import MakeProfile

ASKED = 'installed: {gpu-operator: "26.7"}\ngpuOperator: {nodeFeatureRules: true}\n'
POOLS = """
pools:
  - name: h100
    gpu: {model: H100-80GB, count: 8}
    labels: {example.com/pool: h100, nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
  - name: t4
    gpu: {model: T4, count: 4}
    labels: {example.com/pool: t4, cloud.google.com/gke-nodepool: t4, tier: small}
    sharing: {mode: time-slicing, replicas: 2}
"""


def rules(profile: MakeProfile, text: str) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    made, notes = platform_objects(profile(text))
    found = [each for each in made if each["kind"] == "NodeFeatureRule"]
    for each in found:
        assert validate(each, "1.36") == ()
    return [rule for each in found for rule in each["spec"]["rules"]], notes


def test_nodes_are_labelled_as_the_pools_say_by_their_gpus(profile: MakeProfile) -> None:
    """C-19: also with the name of the plugin's configuration. What others set is left to them."""
    found, notes = rules(profile, ASKED + POOLS)
    assert {each["name"]: each["labels"] for each in found} == {
        "pool h100": {"example.com/pool": "h100"},
        "pool t4": {"example.com/pool": "t4", "nvidia.com/device-plugin.config": "t4"},
    }
    (match,) = found[0]["matchFeatures"]
    assert match == {
        "feature": "pci.device",
        "matchExpressions": {
            "vendor": {"op": "In", "value": ["10de"]},
            "device": {"op": "In", "value": ["2330"]},
        },
    }
    assert not any(note.startswith("label the nodes") for note in notes)


CLAIMED = POOLS.replace("count: 8}", "count: 8, dra: {by: claim}}")
KEPT_OFF = {"nvidia.com/gpu.deploy.device-plugin": "false"}


def test_the_device_plugin_is_kept_off_nodes_whose_gpus_are_claimed(profile: MakeProfile) -> None:
    """Only where other pools need it: the operator is told to run none otherwise."""
    found, notes = rules(profile, ASKED + CLAIMED)
    labels = {each["name"]: each["labels"] for each in found}
    assert labels["pool h100"] == {"example.com/pool": "h100", **KEPT_OFF}
    assert not KEPT_OFF.keys() & labels["pool t4"].keys()
    assert not any("device-plugin" in note for note in notes)
    _, notes = rules(profile, ASKED.replace("true", "false") + CLAIMED)
    assert "label the nodes of pool h100: nvidia.com/gpu.deploy.device-plugin=false" in "".join(
        notes
    )
    said = CLAIMED.replace(
        "{example.com/pool: h100", "{nvidia.com/gpu.deploy.device-plugin: 'false'"
    )
    _, notes = rules(profile, ASKED.replace("true", "false") + said)
    assert not any("device-plugin=false" in note for note in notes)


def test_nodes_of_karpenter_are_made_without_the_device_plugin(profile: MakeProfile) -> None:
    more = "\n    nodes: {max: 4}\n    karpenter: {nodeClass: {name: gpu, group: example.com, kind: Machine}}"
    text = ASKED.replace("}\n", ', karpenter: "1.14"}\n', 1).replace("true", "false")
    head, second, rest = CLAIMED.partition("\n  - name: t4")
    made, notes = platform_objects(profile(text + head + more + second + rest))
    (pool,) = (each for each in made if each["kind"] == "NodePool")
    assert pool["spec"]["template"]["metadata"]["labels"].items() >= KEPT_OFF.items()
    assert not any("device-plugin=false" in note for note in notes)


def test_nobody_asked_for_it(profile: MakeProfile) -> None:
    found, notes = rules(profile, ASKED.replace("true", "false") + POOLS)
    assert found == []
    assert any(note.startswith("label the nodes of pool t4") for note in notes)


def test_pools_of_one_model_are_told_by_people(profile: MakeProfile) -> None:
    second = """\
  - name: more
    gpu: {model: H100-80GB, count: 4}
    labels: {example.com/pool: more}
"""
    found, notes = rules(profile, ASKED + POOLS + second)
    assert [each["name"] for each in found] == ["pool t4"]
    assert (
        "pool more: its GPUs do not tell its nodes from others: label them example.com/pool=more"
        in notes
    )


def test_boards_of_one_model_are_told_by_their_product(profile: MakeProfile) -> None:
    second = """\
  - name: more
    gpu: {model: H100-80GB, count: 4}
    labels: {example.com/pool: more, nvidia.com/gpu.product: NVIDIA-H100-PCIe}
"""
    found, _ = rules(profile, ASKED + POOLS + second)
    devices = {
        each["name"]: each["matchFeatures"][0]["matchExpressions"]["device"] for each in found
    }
    assert devices["pool h100"]["value"] == ["2330"]
    assert devices["pool more"]["value"] == ["2331"]


def test_every_id_is_of_a_model_that_we_know() -> None:
    """A product's name is as GPU Feature Discovery writes it, and no two models share an id."""
    known = {
        product: model.name
        for model in hardware.models()
        if model.vendor == "nvidia"
        for form in model.forms
        for product in form.products
    }
    by_id: dict[str, set[str]] = {}
    for model in hardware.models():
        for form in model.forms:
            for product in form.products:
                for each in hardware.pci_devices(model, product):
                    by_id.setdefault(each, set()).add(known[product])
    assert by_id
    assert all(len(models) == 1 for models in by_id.values())
    assert hardware.pci_devices(hardware.model("A100-80GB")) == ("20b2", "20b5")
    assert hardware.pci_devices(hardware.model("V100-16GB")) == ()
