import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.hardware import (
    GpuModel,
    find,
    from_label,
    labellers,
    model,
    models,
    split_product,
    suggest,
)

LABELS = [
    (candidate, labeller, value)
    for candidate in models()
    for labeller, values in candidate.labels.items()
    for value in values
]


def names(found: tuple[GpuModel, ...]) -> list[str]:
    return [candidate.name for candidate in found]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("h100-80gb", "H100-80GB"),
        ("H100 80GB", "H100-80GB"),
        ("H100 80 GiB", "H100-80GB"),
        ("h100_80g", "H100-80GB"),
        ("NVIDIA-H100-80GB-HBM3", "H100-80GB"),
        ("nvidia-h100-80gb", "H100-80GB"),
        ("nvidia-h100-mega-80gb", "H100-80GB"),
        ("H100 PCIe", "H100-80GB"),
        ("v5e", "TPU-v5e"),
        ("TPU v5e", "TPU-v5e"),
        ("tpu-v5-lite-podslice", "TPU-v5e"),
        ("Trillium", "TPU-v6e"),
        ("tpu7x", "TPU-v7x"),
        ("Ironwood", "TPU-v7x"),
        ("Inferentia2", "Inferentia2"),
        ("inf2", "Inferentia2"),
        ("AWS Trainium", "Trainium"),
        ("trn2", "Trainium2"),
        ("H100-SXM5", "H100-80GB"),
        ("h100 nvl", "H100-94GB"),
        ("nvidia-tesla-a100", "A100-40GB"),
        ("A100 SXM4 80GB", "A100-80GB"),
        ("a100-80gb", "A100-80GB"),
        ("Tesla-T4", "T4"),
        ("t4", "T4"),
        ("t4g", "T4G"),
        ("a10g", "A10G"),
        ("A6000", "RTX-A6000"),
        ("RTX PRO 6000", "RTX-PRO-6000"),
        ("rtxpro6000", "RTX-PRO-6000"),
        ("L40", "L40"),
        ("l40s", "L40S"),
        ("H200", "H200-141GB"),
        ("NVIDIA-H20", "H20-96GB"),
        ("GB200 NVL72", "GB200"),
        ("GH200 480GB", "GH200-96GB"),
        ("mi300x", "MI300X"),
        ("AMD_Instinct_MI300X_OAM", "MI300X"),
        ("Tesla V100 PCIe 32GB", "V100-32GB"),
    ],
)
def test_what_people_type_means_one_model(typed: str, meant: str) -> None:
    assert names(find(typed)) == [meant]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("H100", ["H100-80GB", "H100-94GB", "H100-96GB"]),
        ("nvidia h100", ["H100-80GB", "H100-94GB", "H100-96GB"]),
        ("A100", ["A100-40GB", "A100-80GB"]),
        ("A100 PCIe", ["A100-40GB", "A100-80GB"]),
        ("V100", ["V100-16GB", "V100-32GB"]),
        ("GH200", ["GH200-96GB", "GH200-144GB"]),
        ("H20", ["H20-96GB", "H20-141GB"]),
    ],
)
def test_an_ambiguous_name_means_several(typed: str, meant: list[str]) -> None:
    assert names(find(typed)) == meant


@pytest.mark.parametrize(
    ("typed", "close"),
    [
        ("H1000-80GB", "H100-80GB"),
        ("A100-60GB", "A100-80GB"),
        ("L400", "L40"),
        ("MI300", "MI300X"),
        ("rtx 6000", "RTX-6000-Ada"),
        ("GB-200", "GB200"),
    ],
)
def test_an_unknown_name_means_none_and_has_suggestions(typed: str, close: str) -> None:
    assert find(typed) == ()
    assert close in suggest(typed)


@pytest.mark.parametrize(
    "typed", ["", " ", "-", "nvidia", "80gb", "sxm5", "instinct h100", "gpu", "A100 H100"]
)
def test_words_that_name_no_model(typed: str) -> None:
    assert find(typed) == ()


def test_nothing_is_close_to_nonsense() -> None:
    assert suggest("zzzzzzzz") == ()


@given(st.text(max_size=40))
def test_any_text_is_answered(typed: str) -> None:
    assert set(find(typed)) <= set(models())
    assert all(model(name) for name in suggest(typed))


@given(st.sampled_from(models()), st.sampled_from(["-", " ", "_", "  ", " - "]), st.data())
def test_case_and_separators_do_not_matter(
    candidate: GpuModel, separator: str, data: st.DataObject
) -> None:
    spelled = separator.join(candidate.name.split("-"))
    typed = "".join(data.draw(st.sampled_from([c.lower(), c.upper()])) for c in spelled)
    assert find(typed) == (candidate,)


@pytest.mark.parametrize("candidate", models(), ids=lambda candidate: candidate.name)
def test_canonical_names_and_aliases_mean_their_model(candidate: GpuModel) -> None:
    assert model(candidate.name) is candidate
    for spelling in (candidate.name, *candidate.aliases):
        assert find(spelling) == (candidate,)


def test_a_name_that_is_not_canonical_is_no_key() -> None:
    with pytest.raises(KeyError):
        model("h100")


@pytest.mark.parametrize(("candidate", "labeller", "value"), LABELS)
def test_each_label_value_leads_back_to_its_model(
    candidate: GpuModel, labeller: str, value: str
) -> None:
    key = labellers()[labeller].product
    assert key is not None
    assert candidate in from_label(labeller, value)
    assert from_label(key, value) == from_label(labeller, value)
    if labeller == "cluster-autoscaler" and find(value) == from_label("gke", value):
        return  # spelled as on GKE, where it means one model; the label itself means several
    assert candidate in find(value)


@pytest.mark.parametrize("suffix", ["-SHARED", "-MIG-1g.10gb", "-MIG-1g.10gb.me-SHARED"])
def test_suffixes_of_gpu_feature_discovery_are_taken_off(suffix: str) -> None:
    value = "NVIDIA-A100-SXM4-80GB" + suffix
    assert names(from_label("nvidia.com/gpu.product", value)) == ["A100-80GB"]
    assert names(find(value)) == ["A100-80GB"]


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("Tesla-T4", ("Tesla-T4", None, False)),
        ("Tesla-T4-SHARED", ("Tesla-T4", None, True)),
        ("A100-SXM4-40GB-MIG-1g.5gb", ("A100-SXM4-40GB", "1g.5gb", False)),
        ("A100-SXM4-40GB-MIG-1g.5gb-SHARED", ("A100-SXM4-40GB", "1g.5gb", True)),
        ("A100-SXM4-40GB-MIG-1c.3g.20gb", ("A100-SXM4-40GB", "1c.3g.20gb", False)),
        ("NVIDIA-H100-PCIe-MIG-1g.10gb.me", ("NVIDIA-H100-PCIe", "1g.10gb.me", False)),
        ("NVIDIA-X-MIG-1g.24gb-me", ("NVIDIA-X", "1g.24gb-me", False)),
        ("NVIDIA-X-MIG-1g.24gb.me.all", ("NVIDIA-X", "1g.24gb.me.all", False)),
        ("NVIDIA-A30-MIG-INVALID", ("NVIDIA-A30", "INVALID", False)),
        ("SHARED", ("SHARED", None, False)),
    ],
)
def test_product_labels_come_apart(value: str, parts: tuple[str, str | None, bool]) -> None:
    assert split_product(value) == parts


def test_one_label_value_can_name_several_models() -> None:
    aws = from_label("karpenter.k8s.aws/instance-gpu-name", "a100")
    assert names(aws) == ["A100-40GB", "A100-80GB"]
    assert names(from_label("eks-auto", "h100")) == ["H100-80GB"]
    assert names(from_label("karpenter-azure", "H100")) == ["H100-80GB", "H100-94GB"]


@pytest.mark.parametrize(
    ("labeller", "value"),
    [
        ("gfd", "NVIDIA-GeForce-RTX-4090"),
        ("gke", "NVIDIA-L4"),
        ("kubernetes.io/hostname", "NVIDIA-L4"),
        ("aks", "nvidia"),
        ("kubernetes.azure.com/accelerator", "nvidia"),
    ],
)
def test_labels_that_name_no_model(labeller: str, value: str) -> None:
    assert from_label(labeller, value) == ()
