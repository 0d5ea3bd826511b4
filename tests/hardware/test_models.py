import re
import subprocess
import sys

import pytest

from gpuspec.hardware import GpuModel, NvLink, labellers, model, models, vendors

# GPU Feature Discovery's families by major compute capability, where the major alone decides.
FAMILIES = {6: "pascal", 9: "hopper", 10: "blackwell", 12: "blackwell"}


@pytest.mark.parametrize("candidate", models(), ids=lambda candidate: candidate.name)
def test_each_fact_has_a_source(candidate: GpuModel) -> None:
    expected = {"family", "marketed", "memory", *(f"labels.{key}" for key in candidate.labels)}
    expected |= {"capability"} if candidate.compute_capability else set()
    expected |= {"architecture"} if candidate.architecture else set()
    expected |= {"nvlink"} if candidate.nvlink else set()
    expected |= {"cores"} if candidate.cores > 1 else set()
    expected |= {"counts"} if candidate.counts else set()
    assert set(candidate.sources) == expected
    assert all(len(source) > 20 for source in candidate.sources.values())
    assert all(profile.source for profile in candidate.mig)


@pytest.mark.parametrize("candidate", models(), ids=lambda candidate: candidate.name)
def test_weak_marks_point_at_facts(candidate: GpuModel) -> None:
    values = {f"labels.{key}.{v}" for key, held in candidate.labels.items() for v in held}
    assert candidate.weak <= values | set(candidate.sources)


@pytest.mark.parametrize("candidate", models(), ids=lambda candidate: candidate.name)
def test_label_values_are_legal_and_their_labellers_known(candidate: GpuModel) -> None:
    for labeller, values in candidate.labels.items():
        assert labellers()[labeller].vendor == candidate.vendor
        assert labellers()[labeller].values == labeller
        assert len(set(values)) == len(values) > 0
        for value in values:
            assert re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?", value)


@pytest.mark.parametrize("candidate", models(), ids=lambda candidate: candidate.name)
def test_memory_is_near_what_the_box_says(candidate: GpuModel) -> None:
    assert (
        0.93 * candidate.marketed_gb * 1e9
        < candidate.memory
        <= candidate.marketed_gb * 2**30 * 1.03
    )
    named = re.search(r"-(\d+)GB$", candidate.name)
    assert named is None or int(named[1]) == candidate.marketed_gb


@pytest.mark.parametrize("candidate", models(), ids=lambda candidate: candidate.name)
def test_family_and_compute_capability_agree(candidate: GpuModel) -> None:
    if candidate.vendor != "nvidia":
        assert candidate.compute_capability is None
        return
    assert candidate.compute_capability is not None
    major, minor = candidate.compute_capability
    ampere_or_ada = "ada-lovelace" if (major, minor) == (8, 9) else "ampere"
    volta_or_turing = "turing" if minor == 5 else "volta"
    expected = FAMILIES | {8: ampere_or_ada, 7: volta_or_turing}
    assert candidate.family == expected[major]


def test_the_range_of_models() -> None:
    names = [candidate.name for candidate in models()]
    assert len(names) == len(set(names))
    assert {"T4", "A10G", "L4", "L40S", "A100-40GB", "A100-80GB", "H100-80GB"} <= set(names)
    assert {"H200-141GB", "GH200-96GB", "B200", "GB200", "B300", "GB300"} <= set(names)
    assert {"RTX-PRO-6000", "MI300X", "MI325X", "MI355X"} <= set(names)


def test_superchips_are_bound_to_arm() -> None:
    bound = {candidate.name for candidate in models() if candidate.architecture == "arm64"}
    assert bound == {"T4G", "GH200-96GB", "GH200-144GB", "GB200", "GB300"}


def test_nvlink_differs_by_form() -> None:
    h100 = model("H100-80GB")
    assert h100.nvlink == NvLink(900, 8)
    pcie = h100.form("NVIDIA-H100-PCIe")
    assert pcie is not None
    assert pcie.nvlink == NvLink(600, 2, bridge=True)
    assert h100.form("NVIDIA-L4") is None
    rack = model("GB200").nvlink
    assert rack is not None
    assert rack.domain == 72
    assert model("L40S").nvlink is None


def test_figures_of_one_model() -> None:
    h100 = model("H100-80GB")
    assert (h100.memory, h100.marketed_gb) == (81559 << 20, 80)
    assert (h100.family, h100.compute_capability, h100.architecture) == ("hopper", (9, 0), None)
    assert h100.labels["gke"] == ("nvidia-h100-80gb", "nvidia-h100-mega-80gb")
    # The marketed number is not GiB: a threshold of 80Gi would miss an 80 GB card.
    assert h100.memory < 80 << 30


def test_models_and_their_parts_are_values() -> None:
    assert len({*models(), *models()}) == len(models())
    with pytest.raises(AttributeError):
        model("T4").memory = 0  # type: ignore[misc]
    with pytest.raises(TypeError):
        model("T4").labels["gfd"] = ()  # type: ignore[index]


def test_label_keys() -> None:
    assert labellers()["gfd"].product == "nvidia.com/gpu.product"
    assert labellers()["gke"].keys["count"] == "cloud.google.com/gke-accelerator-count"
    assert labellers()["aks"].product is None
    products = [each.product for each in labellers().values() if each.product]
    assert len(set(products)) == len(products)
    assert {each.vendor for each in labellers().values()} <= {each.name for each in vendors()}


def test_importing_reads_no_table() -> None:
    code = "import pathlib; pathlib.Path.read_bytes = None; import gpuspec.hardware"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
