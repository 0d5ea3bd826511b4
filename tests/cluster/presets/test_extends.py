"""`extends`: what a profile takes over, what it replaces, and where its values say they are from."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gpuspec
from gpuspec.manifests import read
from gpuspec.spec import parse_profile
from gpuspec.spec.extends import extended
from tests.cluster.presets.conftest import MakePod, MakeProfile, MakeWorkload

GKE_TAINT = ("nvidia.com/gpu", "present", "NoSchedule")


def taints(pool: Any) -> list[tuple[str, str, str]]:
    return [(taint.key, taint.value, taint.effect) for taint in pool.taints]


def test_a_pool_gets_what_the_provider_gives_to_its_nodes(profile: MakeProfile) -> None:
    """C-08, C-09: the model's label and the automatic taint."""
    made = profile(
        """
        extends: gke
        pools: [{name: h200, gpu: {model: H200-141GB, count: 8}}]
        """.replace("        ", "")
    )
    (pool,) = made.spec.pools
    assert made.spec.provider == "gke"
    assert pool.labels == {"cloud.google.com/gke-accelerator": "nvidia-h200-141gb"}
    assert taints(pool) == [GKE_TAINT]


def test_a_spot_pool_gets_label_and_notice(profile: MakeProfile) -> None:
    pool = "pools: [{name: a, gpu: {model: L4, count: 1}, capacity: spot}]"
    (gke,) = profile(f"extends: gke\n{pool}").spec.pools
    assert gke.labels["cloud.google.com/gke-spot"] == "true"
    # people put the spot taint on GKE's nodes, or not: it is theirs to say
    assert taints(gke) == [GKE_TAINT]
    (eks,) = profile(f"extends: eks\n{pool}").spec.pools
    assert (eks.labels["karpenter.sh/capacity-type"], str(eks.notice)) == ("spot", "2m")
    (aks,) = profile(f"extends: aks\n{pool}").spec.pools
    assert taints(aks) == [("kubernetes.azure.com/scalesetpriority", "spot", "NoSchedule")]


def test_what_the_profile_says_wins(profile: MakeProfile) -> None:
    made = profile(
        "extends: gke\n"
        "pools:\n"
        "- name: a\n"
        "  gpu: {model: L4, count: 1}\n"
        "  capacity: spot\n"
        "  notice: 2m\n"
        "  labels: {nvidia.com/gpu.product: NVIDIA-L4, cloud.google.com/gke-provisioning: spot}\n"
        "  taints: []\n"
        "storage: {classes: {standard-rwx: {bandwidth: 1Gi}, mine: {}}}"
    )
    (pool,) = made.spec.pools
    assert set(pool.labels) == {"nvidia.com/gpu.product", "cloud.google.com/gke-provisioning"}
    assert (pool.taints, str(pool.notice)) == ((), "2m")
    classes = made.spec.storage.classes
    assert str(classes["standard-rwx"].bandwidth) == "1Gi"
    assert classes["standard-rwx"].access_modes == ("ReadWriteMany",)
    assert {"mine", "premium-rwo"} <= set(classes)


def test_nodes_that_something_else_made_have_no_such_label(profile: MakeProfile) -> None:
    """Managed node groups are not Karpenter's: its label would bind pods to nodes without it."""
    (pool,) = profile(
        "extends: eks\npools: [{name: a, gpu: {model: L4, count: 1}, capacity: spot, "
        "labels: {eks.amazonaws.com/nodegroup: a}}]"
    ).spec.pools
    assert pool.labels == {"eks.amazonaws.com/nodegroup": "a"}


def test_a_model_with_several_values_or_none_gets_no_label(profile: MakeProfile) -> None:
    """Which board it is, nobody can tell: the plan names all of them instead."""
    (pool,) = profile(
        "extends: gke\npools: [{name: a, gpu: {model: H100-80GB, count: 8}}]"
    ).spec.pools
    assert pool.labels == {}
    (pool,) = profile("extends: gke\npools: [{name: a, gpu: {model: L40S, count: 8}}]").spec.pools
    assert pool.labels == {}


def fabric(profile: Any, preset: str, rdma: str, labels: str = "{}") -> Any:
    pool = f"{{name: a, gpu: {{model: H100-80GB, count: 8}}, labels: {labels}, rdma: {rdma}}}"
    (made,) = profile(f"extends: {preset}\npools: [{pool}]").spec.pools
    return made.rdma


def test_the_machine_says_how_many_interfaces_it_has(profile: MakeProfile) -> None:
    """C-52: EFA by instance type, with the huge pages of the EKS examples."""
    p5 = "{node.kubernetes.io/instance-type: p5.48xlarge}"
    efa = fabric(profile, "eks", "{resource: vpc.amazonaws.com/efa}", p5)
    assert (efa.count, efa.per_gpu, str(efa.hugepages)) == (32, True, "5Gi")
    own = fabric(profile, "eks", "{resource: vpc.amazonaws.com/efa, count: 16}", p5)
    assert (own.count, own.per_gpu) == (16, False)
    unknown = fabric(profile, "eks", "{resource: vpc.amazonaws.com/efa}")
    assert (unknown.amount, unknown.per_gpu) == (1, False)
    flag = fabric(profile, "coreweave", "{resource: rdma/ib}")
    assert (flag.amount, flag.per_gpu, flag.hugepages) == (1, False, None)


def test_inherited_values_say_the_preset_and_its_source(
    profile: MakeProfile, workload: MakeWorkload
) -> None:
    made = profile("extends: gke\npools: [{name: l4, gpu: {model: L4, count: 1}}]")
    explanations, _ = gpuspec.explain(workload(gpu={"count": 1}), made)
    (found,) = [d for d in explanations if d.path.endswith("spec.tolerations")]
    assert found.origin == "profile spec.pools[0].taints"
    assert str(found.place).startswith("preset gke: GoogleCloudPlatform/cluster-toolkit")
    own = str(made.place(("spec", "pools", 0, "gpu", "count")))
    assert own.endswith("here.yaml:7:46")


def test_a_mistake_is_told_at_its_own_place(profile: MakeProfile) -> None:
    """Beside what was filled in, the lines are still those of the file."""
    with pytest.raises(gpuspec.InputError) as caught:
        profile("extends: gke\npools: [{name: a, gpu: {model: L4, count: 1}, zone: [b]}]")
    (problem,) = caught.value.problems
    assert str(problem.place).endswith("here.yaml:7:49")


def test_an_unknown_preset_is_one_problem_at_its_place(profile: MakeProfile) -> None:
    """What follows from it is not told: of which class a claim is, the preset would know."""
    with pytest.raises(gpuspec.InputError) as caught:
        profile("extends: gkee\nstorage: {claims: {weights: standard-rwx}}")
    (problem,) = caught.value.problems
    assert problem.hint == "did you mean `gke`?"
    assert str(problem.place).endswith("here.yaml:6:12")


@pytest.mark.parametrize("name", gpuspec.profile_names())
def test_extending_changes_nothing_that_the_preset_does_not_know(
    profile: MakeProfile, name: str
) -> None:
    made, built_in = profile(f"extends: {name}").spec, gpuspec.load_profiles(name)[0].spec
    assert (made.provider, made.installed, made.storage) == (
        built_in.provider,
        built_in.installed,
        built_in.storage,
    )


def test_a_built_in_profile_and_one_that_extends_it_render_the_same(
    pod: MakePod, profile: MakeProfile
) -> None:
    for name in gpuspec.profile_names():
        asked: dict[str, Any] = {"gpu": {"models": ["L4"], "count": 1}, "capacity": "spot"}
        assert pod(name, **asked) == pod(profile(f"extends: {name}"), **asked)


_scalars = st.sampled_from(["gke", "L4", "spot", "a", 1, True, None, 0.5])
_values = st.recursive(
    _scalars,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    "pools",
                    "labels",
                    "gpu",
                    "model",
                    "taints",
                    "storage",
                    "classes",
                    "rdma",
                    "resource",
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@given(spec=st.dictionaries(st.sampled_from(["pools", "storage", "installed"]), _values))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("name", ["gke", "eks", "gpu-operator"])
def test_whatever_is_written_stays_as_it_is(name: str, spec: dict[str, Any]) -> None:
    """Filling in adds keys to mappings and does nothing else, of any document."""
    (document,) = read("a: 1", "x.yaml")
    document.value = {"spec": {"extends": name, **spec}}
    before = str(document.value)
    _subset(document.value, extended(document).value)
    assert str(document.value) == before


def _subset(own: Any, whole: Any) -> None:
    if isinstance(own, dict):
        assert isinstance(whole, dict)
        for key, value in own.items():
            _subset(value, whole[key])
    elif isinstance(own, list):
        assert len(own) == len(whole)
        for one, other in zip(own, whole, strict=True):
            _subset(one, other)
    else:
        assert own is whole or own == whole


def test_a_document_that_extends_nothing_is_left_alone() -> None:
    text = (
        "apiVersion: gpuspec.dev/v1alpha1\nkind: ClusterProfile\nmetadata: {name: a}\n"
        'spec: {kubernetes: "1.36", provider: gke, pools: [{name: a, gpu: {model: L4, count: 1}}]}'
    )
    (document,) = read(text, "x.yaml")
    assert extended(document) is document
    assert parse_profile(document).spec.pools[0].labels == {}
