"""Built-in profiles: labels, taints and spot nodes as each provider has them (C-08, C-09)."""

from typing import get_args

import pytest

import gpuspec
from gpuspec.cli.options import Clusters
from tests.cluster.presets.conftest import MakePod, MakeWorkload, Required

ARCH = "kubernetes.io/arch"
DEVICE = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
H100 = {
    "gke": ("cloud.google.com/gke-accelerator", ["nvidia-h100-80gb", "nvidia-h100-mega-80gb"]),
    "eks": ("karpenter.k8s.aws/instance-gpu-name", ["h100"]),
    "eks-auto": ("eks.amazonaws.com/instance-gpu-name", ["h100"]),
    "coreweave": ("gpu.nvidia.com/class", ["H100", "H100_NVLINK_80GB"]),
}
SPOT = {
    "gke": ("cloud.google.com/gke-spot", "true"),
    "eks": ("karpenter.sh/capacity-type", "spot"),
    "eks-auto": ("karpenter.sh/capacity-type", "spot"),
    "aks": ("kubernetes.azure.com/scalesetpriority", "spot"),
    "openshift": ("machine.openshift.io/interruptible-instance", ""),
}


def equal(key: str, value: str) -> dict[str, str]:
    return {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}


def test_names_begin_with_generic() -> None:
    assert gpuspec.profile_names() == (
        "generic",
        "aks",
        "coreweave",
        "eks",
        "eks-auto",
        "gke",
        "gpu-operator",
        "openshift",
    )


@pytest.mark.parametrize("name", gpuspec.profile_names())
def test_each_is_a_profile_of_its_name_without_pools(name: str) -> None:
    """Which nodes a cluster has is for its team to say; no shape is invented."""
    (found,) = gpuspec.load_profiles(name)
    assert (found.name, found.spec.pools) == (name, ())


@pytest.mark.parametrize("name", H100)
def test_a_model_is_named_by_the_providers_label(
    pod: MakePod, required: Required, name: str
) -> None:
    """C-08: the label that the provider sets, with its own name of the model."""
    key, values = H100[name]
    made = pod(name, gpu={"models": ["H100-80GB"], "count": 8})
    assert required(made) == [{key: values, ARCH: ["amd64"]}]


@pytest.mark.parametrize("name", ["generic", "gpu-operator", "aks", "openshift"])
def test_elsewhere_the_gpu_operators_label_names_it(
    pod: MakePod, required: Required, name: str
) -> None:
    made = pod(name, gpu={"models": ["L4"], "count": 1})
    assert required(made) == [{"nvidia.com/gpu.product": ["NVIDIA-L4"], ARCH: ["amd64"]}]


@pytest.mark.parametrize("name", gpuspec.profile_names())
def test_the_devices_taint_is_tolerated_whatever_its_value(pod: MakePod, name: str) -> None:
    """C-06. Where the provider adds the toleration itself, this is the same one."""
    assert DEVICE in pod(name, gpu={"count": 1})["tolerations"]


def test_taints_beside_the_devices(pod: MakePod) -> None:
    """AKS: the taint that its manual has people put on GPU nodes."""
    assert pod("aks", gpu={"count": 1})["tolerations"] == [DEVICE, equal("sku", "gpu")]
    assert pod("gke", gpu={"count": 1})["tolerations"] == [DEVICE]


@pytest.mark.parametrize("name", SPOT)
def test_spot_work_is_bound_to_the_providers_spot_nodes(
    pod: MakePod, required: Required, name: str
) -> None:
    key, value = SPOT[name]
    made = pod(name, gpu={"models": ["L4"], "count": 1}, capacity="spot")
    assert [term[key] for term in required(made)] == [[value]]


@pytest.mark.parametrize(
    ("name", "tainted"), [("gke", True), ("aks", True), ("eks", False), ("openshift", False)]
)
def test_a_spot_taint_is_tolerated_where_there_is_one(
    pod: MakePod, name: str, tainted: bool
) -> None:
    made = pod(name, gpu={"count": 1}, capacity="spot")
    assert (equal(*SPOT[name]) in made["tolerations"]) is tainted
    assert equal(*SPOT[name]) not in pod(name, gpu={"count": 1})["tolerations"]


@pytest.mark.parametrize("name", ["coreweave", "generic"])
def test_spot_work_without_a_label_is_said_loudly(workload: MakeWorkload, name: str) -> None:
    (known,) = gpuspec.load_profiles(name)
    notes = gpuspec.render(workload(gpu={"count": 1}, capacity="spot"), known).notes
    assert any(note.loud and "no label of spot nodes" in note.text for note in notes)


def test_an_envelope_is_said_in_labels_that_are_there(pod: MakePod, required: Required) -> None:
    """GKE runs no GPU Feature Discovery: its labels would match no node, and the pod would pend."""
    asked = {"memory": "60Gi", "count": 1}
    (gke,) = required(pod("gke", gpu=asked))
    assert "nvidia-h100-80gb" in gke["cloud.google.com/gke-accelerator"]
    assert "nvidia-l4" not in gke["cloud.google.com/gke-accelerator"]
    (operator,) = required(pod("gpu-operator", gpu=asked))
    assert set(operator) == {"nvidia.com/gpu.memory", ARCH}


def test_a_label_that_means_a_smaller_model_too_is_no_answer_to_an_envelope(
    pod: MakePod, required: Required
) -> None:
    """On AWS `a100` is the board with 40 GB and the one with 80."""
    key = "karpenter.k8s.aws/instance-gpu-name"
    (large,) = required(pod("eks", gpu={"memory": "60Gi", "count": 1}))
    (small,) = required(pod("eks", gpu={"memory": "30Gi", "count": 1}))
    assert "h100" in large[key]
    assert "a100" not in large[key]
    assert "a100" in small[key]


def test_an_ambiguous_label_is_said_loudly(workload: MakeWorkload) -> None:
    (eks,) = gpuspec.load_profiles("eks")

    def loud(*models: str) -> str:
        made = gpuspec.render(workload(gpu={"models": models, "count": 8}), eks)
        return "\n".join(note.text for note in made.notes if note.loud)

    assert "instance-gpu-name=a100 means A100-40GB too" in loud("A100-80GB")
    assert "too: pods may land there" not in loud("A100-80GB", "A100-40GB")
    assert "too: pods may land there" not in loud("H100-80GB")


def reason(workload: MakeWorkload, name: str) -> tuple[str, str]:
    (known,) = gpuspec.load_profiles(name)
    explanations, _ = gpuspec.explain(workload(gpu={"count": 1}), known)
    (found,) = [d for d in explanations if d.path.endswith("spec.tolerations")]
    return found.reason, found.origin


def test_explain_says_who_adds_tolerations_and_where_that_stands(workload: MakeWorkload) -> None:
    said, origin = reason(workload, "eks")
    assert "ExtendedResourceToleration also adds the one named like the device" in said
    assert "platform-versions.adoc" in said
    assert origin == "table hardware/providers eks"
    assert "ExtendedResourceToleration" not in reason(workload, "gpu-operator")[0]
    assert "the taints of GPU nodes on CoreWeave are unknown" in reason(workload, "coreweave")[0]


def test_the_gpu_operators_preset_has_the_operator() -> None:
    installed = {n: gpuspec.load_profiles(n)[0].spec.installed for n in gpuspec.profile_names()}
    assert "gpu-operator" in installed.pop("gpu-operator")
    assert not any(installed.values())


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("gkee", "did you mean `gke`?"),
        ("eks_auto", "did you mean `eks-auto`?"),
        ("nosuch", "give a file, a folder or a built-in name: generic, aks, "),
    ],
)
def test_a_name_that_is_none(typed: str, hint: str) -> None:
    with pytest.raises(gpuspec.InputError) as caught:
        gpuspec.load_profiles(typed)
    (problem,) = caught.value.problems
    assert problem.message == f"{typed}: no such file, folder or built-in profile"
    assert str(problem.hint).startswith(hint)


def test_help_lists_the_names() -> None:
    """Its text is written out, so that help need not import the table; it may not fall behind."""
    _, option = get_args(Clusters)
    assert f"({', '.join(gpuspec.profile_names())})" in option.help
