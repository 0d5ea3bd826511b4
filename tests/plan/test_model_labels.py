"""By which label of a pool's nodes pods are bound to the GPU that they ask for."""

from types import ModuleType

import pytest

from tests.plan.conftest import Make, Values

OWN = "example.com/gpu-name"


def bound_by(terms: list[list[Values]]) -> list[tuple[str, str]]:
    """Key and value of every label but the architecture's."""
    return [
        (one["key"], value)
        for term in terms
        for one in term
        for value in one["values"]
        if one["key"] != "kubernetes.io/arch"
    ]


@pytest.mark.parametrize(
    ("model", "value"),
    [
        pytest.param("A100-80GB", "Tesla-A100-80G", id="a maker's brand, and a short unit"),
        pytest.param("H20-96GB", "NVIDIA-H20-SXM5-96GB", id="no value of GPU Feature Discovery"),
        pytest.param("T4", "t4", id="the model alone"),
    ],
)
def test_a_label_whose_value_names_the_model_binds_whatever_its_key(
    make: Make, words: ModuleType, model: str, value: str
) -> None:
    pool = words.pool(model=model, labels={OWN: value, "example.com/room": "1"})
    made = make("Training", words.cluster(pool), gpu={"models": [model]})
    assert bound_by(made.terms) == [(OWN, value)]
    assert "names the GPU" not in made.loud()


def test_a_label_that_may_mean_other_models_binds_only_where_the_profile_says_so(
    make: Make, words: ModuleType
) -> None:
    pool = words.pool(labels={OWN: "a100"})
    made = make("Training", words.cluster(pool), gpu={"models": ["A100-80GB"]})
    assert {key for key, _ in bound_by(made.terms)} == {"nvidia.com/gpu.product"}
    said = make("Training", words.cluster({**pool, "modelLabel": OWN}), gpu={"models": ["A100"]})
    assert bound_by(said.terms) == [(OWN, "a100")]


def test_the_label_that_the_profile_names_wins_over_one_that_we_know(
    make: Make, words: ModuleType
) -> None:
    labels = {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB", OWN: "big"}
    pool = words.pool(labels=labels, modelLabel=OWN)
    made = make("Training", words.cluster(pool), gpu={"models": ["A100-80GB"]})
    assert bound_by(made.terms) == [(OWN, "big")]


def test_a_pool_that_lists_labels_and_none_of_the_model_is_told_which_is_required(
    make: Make, words: ModuleType
) -> None:
    profile = words.cluster(words.pool(), words.pool("t4", "T4"))
    made = make("Training", profile, gpu={"models": ["A100-80GB", "T4"]})
    assert (
        "pools a100, t4: no label in `labels` names the GPU, so pods are bound by "
        "nvidia.com/gpu.product, which GPU Feature Discovery (GPU Operator) sets" in made.loud()
    )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        pytest.param({"installed": {"gpu-operator": "26.7"}}, {}, id="the operator is installed"),
        pytest.param({}, {"labels": {}}, id="no label is listed at all"),
        pytest.param({}, {"labels": {"nvidia.com/gpu.count": "8"}}, id="another label of its"),
        pytest.param({"provider": "gke"}, {}, id="the provider labels all of its nodes"),
    ],
)
def test_nothing_is_said_where_the_label_is_sure(
    make: Make, words: ModuleType, fields: Values, said: Values
) -> None:
    profile = words.cluster(words.pool(**said), **fields)
    made = make("Training", profile, gpu={"models": ["A100-80GB"]})
    assert "names the GPU" not in made.loud()


def test_nothing_is_said_where_pods_are_bound_to_no_model(make: Make, words: ModuleType) -> None:
    made = make("Training", words.cluster(words.pool()))
    assert "names the GPU" not in made.loud()


def test_a_model_that_the_profile_describes_is_named_by_its_own_name(
    make: Make, words: ModuleType
) -> None:
    gpu = {"model": "Quadro-RTX-5000", "count": 4, "memory": "16Gi", "computeCapability": "7.5"}
    pool = words.pool(gpu=gpu, labels={OWN: "quadro_rtx_5000"})
    made = make("Training", words.cluster(pool), gpu={"models": ["Quadro-RTX-5000"]})
    assert bound_by(made.terms) == [(OWN, "quadro_rtx_5000")]
