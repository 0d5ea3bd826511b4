"""Affinity, tolerations, keeping off pools that were left out, spot nodes."""

from types import ModuleType

import gpuspec
from gpuspec.manifests import read
from gpuspec.spec import parse_workload
from tests.plan.conftest import Made, Make, Refused, Values

SPOT_TAINT = {"key": "cloud.google.com/gke-spot", "value": "true"}


def expression(terms: list[list[Values]], key: str) -> list[Values]:
    return [e for term in terms for e in term if e["key"] == key]


def test_affinity_names_the_acceptable_models_by_the_pools_own_label(
    make: Make, words: ModuleType
) -> None:
    """C-09: GKE's label where the nodes have it, GPU Feature Discovery's elsewhere."""
    gke = words.pool(labels={"cloud.google.com/gke-accelerator": "nvidia-a100-80gb"})
    made = make("Training", words.cluster(gke), gpu={"models": ["A100-80GB"]})
    assert expression(made.terms, "cloud.google.com/gke-accelerator")[0]["values"] == [
        "nvidia-a100-80gb"
    ]
    plain = make("Training", words.cluster(words.pool()), gpu={"models": ["A100-80GB"]})
    assert "NVIDIA-A100-SXM4-80GB" in str(expression(plain.terms, "nvidia.com/gpu.product"))


def test_the_providers_label_is_used_where_a_pool_says_nothing(
    make: Make, words: ModuleType
) -> None:
    """C-08: pools use the labels of whoever runs the cluster."""
    profile = words.cluster(words.pool(), provider="eks")
    made = make("Training", profile, gpu={"models": ["A100-80GB"]})
    assert expression(made.terms, "karpenter.k8s.aws/instance-gpu-name")


def test_preference_follows_the_specs_order(make: Make, words: ModuleType) -> None:
    profile = words.cluster(words.pool(), words.pool("t4", "T4"), words.pool("l4", "L4"))
    made = make("Training", profile, gpu={"models": ["L4", "T4", "A100-80GB"]})
    preferred = made.pod["affinity"]["nodeAffinity"][
        "preferredDuringSchedulingIgnoredDuringExecution"
    ]
    weights = [term["weight"] for term in preferred]
    assert weights == sorted(weights, reverse=True) and len(set(weights)) == 2
    assert "L4" in str(preferred[0]) and "T4" in str(preferred[1])
    assert "A100" not in str(preferred)


def test_a_single_model_has_no_preference(make: Make) -> None:
    made = make("Training", gpu={"models": ["T4"]})
    assert "preferred" not in str(made.pod["affinity"])


def test_any_gpu_of_the_cluster_is_named_by_no_model(make: Make, words: ModuleType) -> None:
    """C-10: an affinity that is too exact goes stale; a new pool needs no new render."""
    made = make("Training", words.cluster(words.pool(), words.pool("t4", "T4")))
    assert made.terms == [[{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]]


def test_an_envelope_without_pools_becomes_labels(make: Make) -> None:
    made = make("Training", gpu={"memory": "40Gi", "computeCapability": "8.6"})
    assert all(expression([term], "nvidia.com/gpu.memory") for term in made.terms)
    newer, same = made.terms
    major, minor = "nvidia.com/gpu.compute.major", "nvidia.com/gpu.compute.minor"
    assert expression([newer], major)[0] | {"key": ""} == {
        "key": "", "operator": "Gt", "values": ["8"]
    }  # fmt: skip
    assert expression([same], minor)[0]["values"] == ["5"]


def test_the_memory_label_lets_in_the_board_of_that_size(make: Make) -> None:
    """An 80 GB board reports 81559 MiB: `80Gi` must not keep it out."""
    made = make("Training", gpu={"memory": "80Gi"})
    (least,) = expression(made.terms, "nvidia.com/gpu.memory")[0]["values"]
    assert 80000 < int(least) < 81559


def test_weights_are_an_envelope_too(make: Make) -> None:
    """C-53: nothing is said of the GPU, but 60Gi of weights on one are no T4."""
    model = {"id": "m", "size": "60Gi", "source": {"pvc": "weights"}}
    (least,) = expression(make("Inference", model=model).terms, "nvidia.com/gpu.memory")[0][
        "values"
    ]
    assert int(least) > 60000


def test_every_taint_of_the_chosen_pools_is_tolerated_once(make: Make, words: ModuleType) -> None:
    """C-06, C-08: different pools have different taints; a GPU pod without its toleration pends."""
    one = words.pool("one")
    two = words.pool(
        "two",
        taints=[
            {"key": "nvidia.com/gpu", "value": "true"},
            {"key": "accelerator", "value": "gpu"},
            {"key": "dedicated", "effect": "NoExecute"},
        ],
    )
    made = make("Training", words.cluster(one, two))
    assert made.pod["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "accelerator", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"},
        {"key": "dedicated", "operator": "Exists", "effect": "NoExecute"},
    ]


def test_pools_without_taints_need_no_toleration(make: Make, words: ModuleType) -> None:
    assert "tolerations" not in make("Training", words.cluster(words.pool(taints=[]))).pod


def test_toleration_and_affinity_tell_one_story(make: Make, words: ModuleType) -> None:
    """C-07: a toleration permits, the affinity attracts; both come from the same pools."""
    profile = words.cluster(
        words.pool("t4", "T4", taints=[{"key": "accelerator", "value": "gpu"}]), words.pool()
    )
    made = make("Training", profile, gpu={"models": ["T4"]})
    assert [t["key"] for t in made.pod["tolerations"]] == ["accelerator"]
    assert "Tesla-T4" in str(made.terms) and "A100" not in str(made.terms)


def test_pods_are_kept_off_a_left_out_pool_that_would_take_them(
    make: Make, words: ModuleType
) -> None:
    """Same model, same taint, too little disk: only a label of the pool tells the two apart."""
    small = words.pool("small")
    small["allocatable"]["ephemeralStorage"] = "110Gi"
    made = make("Training", words.cluster(words.pool(), small), gpu={"models": ["A100-80GB"]})
    assert expression(made.terms, "example.com/pool") == [
        {"key": "example.com/pool", "operator": "NotIn", "values": ["small"]}
    ]


def test_pools_of_other_models_are_kept_off_by_naming_the_models(
    make: Make, words: ModuleType
) -> None:
    made = make(
        "Training", words.cluster(words.pool(), words.pool("t4", "T4")), gpu={"memory": "40Gi"}
    )
    assert "NVIDIA-A100-SXM4-80GB" in str(made.terms) and "NotIn" not in str(made.terms)


def test_two_left_out_pools_share_one_expression(make: Make, words: ModuleType) -> None:
    smalls = [words.pool(name) for name in ("small", "tiny")]
    for small in smalls:
        small["allocatable"]["ephemeralStorage"] = "110Gi"
    made = make("Training", words.cluster(words.pool(), *smalls))
    assert expression(made.terms, "example.com/pool")[0]["values"] == ["small", "tiny"]


def test_a_left_out_pool_that_no_label_tells_apart_is_said(make: Make, words: ModuleType) -> None:
    small = words.pool("small", labels={})
    small["allocatable"]["ephemeralStorage"] = "110Gi"
    made = make("Training", words.cluster(words.pool(), small))
    assert "no label distinguishes pool small from the chosen pools" in made.loud()


def test_a_pool_that_cannot_be_reached_anyway_needs_no_expression(
    make: Make, words: ModuleType
) -> None:
    """Its taint is not tolerated, its nodes are too small, or its devices have another name."""
    tainted = words.pool("tainted", taints=[{"key": "owner", "value": "others"}], capacity="spot")
    few = words.pool("few", count=1, capacity="spot")
    renamed = words.pool("renamed", capacity="spot")
    renamed["gpu"]["resource"] = "example.com/gpu"
    profile = words.cluster(words.pool(), tainted, few, renamed)
    made = make("Training", profile, gpu={"count": 2}, launcher="none")
    assert "NotIn" not in str(made.terms) and not made.loud()


def test_a_taint_of_another_value_keeps_pods_away_by_itself(make: Make, words: ModuleType) -> None:
    ours = words.pool(taints=[{"key": "team", "value": "ours"}])
    theirs = words.pool("theirs", taints=[{"key": "team", "value": "theirs"}], capacity="spot")
    made = make("Training", words.cluster(ours, theirs))
    assert "NotIn" not in str(made.terms)
    same = words.pool("same", taints=[{"key": "team", "value": "ours"}], capacity="spot")
    assert "NotIn" in str(make("Training", words.cluster(ours, same)).terms)


def test_on_demand_work_stays_off_untainted_spot_nodes(make: Make, words: ModuleType) -> None:
    """The label that says spot, not the pool's name: the next spot pool has it too."""
    spot = words.pool("spot", capacity="spot")
    spot["labels"]["cloud.google.com/gke-spot"] = "true"
    made = make("Training", words.cluster(words.pool(), spot, provider="gke"))
    assert expression(made.terms, "cloud.google.com/gke-spot") == [
        {"key": "cloud.google.com/gke-spot", "operator": "NotIn", "values": ["true"]}
    ]


def test_spot_work_goes_to_spot_nodes_and_nowhere_else(make: Make, words: ModuleType) -> None:
    """`In` on the spot label: on-demand nodes do not have it."""
    spot = words.pool("spot", capacity="spot")
    spot["labels"]["cloud.google.com/gke-spot"] = "true"
    spot["taints"].append(SPOT_TAINT)
    profile = words.cluster(words.pool(), spot, provider="gke")
    made = make("Training", profile, capacity="spot")
    assert expression(made.terms, "cloud.google.com/gke-spot") == [
        {"key": "cloud.google.com/gke-spot", "operator": "In", "values": ["true"]}
    ]
    assert SPOT_TAINT["key"] in str(made.pod["tolerations"])
    assert "NotIn" not in str(made.terms)


def test_spot_nodes_without_a_known_label_are_told_apart_by_the_others(
    make: Make, words: ModuleType
) -> None:
    profile = words.cluster(words.pool(), words.pool("cheap", capacity="spot"))
    made = make("Training", profile, capacity="spot")
    assert expression(made.terms, "example.com/pool") == [
        {"key": "example.com/pool", "operator": "NotIn", "values": ["a100"]}
    ]


def test_spot_without_pools_follows_the_provider_or_says_that_it_cannot(
    make: Make, words: ModuleType
) -> None:
    made = make("Training", words.cluster(provider="gke"), capacity="spot")
    assert expression(made.terms, "cloud.google.com/gke-spot")
    assert SPOT_TAINT["key"] in str(made.pod["tolerations"])
    unknown = make("Training", capacity="spot")
    assert "has no label of spot nodes" in unknown.loud()


def test_scheduler_priority_and_runtime_class_come_from_the_profile(
    make: Make, words: ModuleType
) -> None:
    """C-38: priorities by the profile's names."""
    profile = words.cluster(
        words.pool(runtimeClass="nvidia"),
        scheduler="gpu-scheduler",
        priorities={"training": "gpu-training", "names": {"urgent": "gpu-urgent"}},
    )
    made = make("Training", profile)
    assert made.pod["schedulerName"] == "gpu-scheduler"
    assert made.pod["runtimeClassName"] == "nvidia"
    assert made.pod["priorityClassName"] == "gpu-training"
    assert make("Training", profile, priority="urgent").pod["priorityClassName"] == "gpu-urgent"


def test_an_unknown_priority_is_refused_with_the_known_ones(
    refused: Refused, words: ModuleType
) -> None:
    text = refused("Training", words.cluster(words.pool()), priority="urgent")
    assert text == "the profile has no priority `urgent`"


GFD, KARPENTER = "nvidia.com/gpu.product", "karpenter.k8s.aws/instance-gpu-name"
BOTH = {GFD: "NVIDIA-A100-SXM4-80GB", KARPENTER: "a100"}
A100: Values = {"models": ["A100-80GB"]}


def keys(made: Made) -> set[str]:
    return {one["key"] for term in made.terms for one in term} - {"kubernetes.io/arch"}


def test_nodes_that_do_not_exist_yet_are_found_by_a_label_that_they_will_have(
    make: Make, words: ModuleType
) -> None:
    """C-09: what a daemon finds out on a node, no autoscaler knows of the next one."""
    for nodes in ({"min": 0, "max": 4}, None):
        growing = words.pool(labels=BOTH, **({"nodes": nodes} if nodes else {}))
        assert keys(make("Training", words.cluster(growing), gpu=A100)) == {KARPENTER}
    fixed = words.cluster(words.pool(labels=BOTH, nodes=4))
    assert keys(make("Training", fixed, gpu=A100)) == {GFD}
    kind = {GFD: BOTH[GFD], "karpenter.sh/nodepool": "train"}
    from_none = words.cluster(words.pool(labels=kind, nodes={"min": 0, "max": 4}))
    assert keys(make("Training", from_none, gpu=A100)) == {"karpenter.sh/nodepool"}
    shared = words.pool(labels=BOTH, sharing={"mode": "time-slicing", "replicas": 2})
    batch = make("BatchInference", words.cluster(shared), gpu={**A100, "memory": "8Gi"})
    assert keys(batch) == {GFD}, "only it tells a share from a GPU"


def test_more_labels_of_a_pool_never_take_one_away(make: Make, words: ModuleType) -> None:
    for labels in ({GFD: BOTH[GFD]}, {KARPENTER: "a100"}):
        pool = words.pool(labels=labels, nodes={"min": 0, "max": 4})
        assert keys(make("Training", words.cluster(pool), gpu=A100)) == set(labels)


def test_an_exact_label_stays_exact(make: Make, words: ModuleType) -> None:
    """A board, not the model: the same GPU on a PCIe card has no NVLink."""
    sxm, pcie = "NVIDIA-A100-SXM4-80GB", "NVIDIA-A100-80GB-PCIe"
    made = make("Training", gpu={"models": [sxm]})
    assert expression(made.terms, GFD)[0]["values"] == [sxm]
    assert pcie in str(make("Training", gpu=A100).terms)
    both = make("Training", gpu={"models": [sxm, pcie]})
    assert expression(both.terms, GFD)[0]["values"] == [sxm, pcie]
    profile = words.cluster(
        words.pool("pcie", labels={GFD: pcie}), words.pool("sxm", labels={GFD: sxm})
    )
    chosen = make("Training", profile, gpu={"models": [sxm]})
    assert expression(chosen.terms, GFD)[0]["values"] == [sxm]
    assert f"pool pcie is left out: its GPUs are {pcie}, and the spec names {sxm}" in chosen.notes()


def test_presets_say_which_operator_they_assume() -> None:
    def said(profile: str, gpu: str) -> str:
        text = (
            "apiVersion: gpuspec.dev/v1alpha1\nkind: Training\nmetadata: {name: a}\n"
            f"spec: {{image: a/b:1, command: [python], gpu: {gpu}, launcher: none}}\n"
        )
        workload = parse_workload(read(text, "a.yaml")[0])
        (known,) = gpuspec.load_profiles(profile)
        return "\n".join(note.text for note in gpuspec.render(workload, known).notes if note.loud)

    assert f"assumes the GPU Operator: pods select nodes by {GFD}" in said("aks", "{models: [T4]}")
    assert "assumes the GPU Operator" in said("aks", "{memory: 20Gi}")
    assert f"assumes Karpenter: pods select nodes by {KARPENTER}" in said("eks", "{models: [T4]}")
    for name in ("gke", "coreweave", "eks-auto", "generic"):
        assert "assumes" not in said(name, "{models: [T4]}")
    assert "assumes" not in said("aks", "{count: 1}"), "no label is asked for"
