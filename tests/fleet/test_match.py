"""Which nodes a pod may go to: selectors with all their operators, taints, labels of a pool."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec import fleet, hardware
from gpuspec.fleet.labels import PossibleLabels, node_labels, pool_labels
from gpuspec.fleet.match import alternatives, selects, tolerates, untolerated
from gpuspec.hardware import GpuModel
from gpuspec.spec import Taint
from tests.fleet.conftest import MakePool

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def model(name: str = "A100-80GB") -> GpuModel:
    return hardware.find(name)[0]


def known(labels: PossibleLabels, key: str) -> tuple[str | None, ...]:
    """What a label can be, of one that can not be anything."""
    found = labels.of(key)
    assert found is not None
    return found


def affinity(*terms: list[dict[str, Any]]) -> dict[str, Any]:
    rows = [{"matchExpressions": term} for term in terms]
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": rows}}}}


def expression(operator: str, *values: str, key: str = "size") -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("operator", "values", "label", "taken"),
    [
        ("In", ["a", "b"], "a", True),
        ("In", ["a", "b"], "c", False),
        ("In", ["a"], None, False),
        ("NotIn", ["a"], "b", True),
        ("NotIn", ["a"], "a", False),
        ("NotIn", ["a"], None, True),
        ("Exists", [], "a", True),
        ("Exists", [], None, False),
        ("DoesNotExist", [], None, True),
        ("DoesNotExist", [], "a", False),
        ("Gt", ["40"], "80", True),
        ("Gt", ["80"], "80", False),
        ("Lt", ["80"], "40", True),
        ("Lt", ["-2"], "-3", True),
        ("Gt", ["40"], "large", False),
        ("Gt", ["40"], None, False),
    ],
)
def test_every_operator_of_node_affinity(
    operator: str, values: list[str], label: str | None, taken: bool
) -> None:
    labels = node_labels({} if label is None else {"size": label})
    assert selects(affinity([expression(operator, *values)]), labels) is taken


def test_terms_are_alternatives_and_their_expressions_are_not() -> None:
    both = affinity([expression("In", "a"), expression("In", "x", key="other")])
    either = affinity([expression("In", "a")], [expression("In", "x", key="other")])
    labels = node_labels({"size": "a"})
    assert not selects(both, labels)
    assert selects(either, labels)


def test_the_selector_stands_beside_the_affinity() -> None:
    spec = {"nodeSelector": {"tier": "gold"}, **affinity([expression("In", "a")])}
    assert not selects(spec, node_labels({"size": "a"}))
    assert selects(spec, node_labels({"size": "a", "tier": "gold"}))


def test_an_empty_term_takes_no_node() -> None:
    assert not selects(affinity([]), node_labels({}))
    assert selects({}, node_labels({}))


def test_a_requirement_says_where_it_is_written() -> None:
    spec = {"nodeSelector": {"tier": "gold"}, **affinity([expression("Exists")])}
    [(first, second)] = alternatives(spec)
    assert first.path == ("nodeSelector", "tier")
    assert second.path[-2:] == ("matchExpressions", 0)


@pytest.mark.parametrize(
    ("toleration", "answers"),
    [
        ({"key": "gpu", "operator": "Exists"}, True),
        ({"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}, True),
        ({"key": "gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "gpu", "value": "a100"}, True),
        ({"key": "gpu", "operator": "Equal", "value": "t4"}, False),
        ({"key": "gpu"}, False),
        ({"operator": "Exists"}, True),
        ({"operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
        ({}, False),
    ],
)
def test_which_toleration_answers_to_a_taint(toleration: dict[str, Any], answers: bool) -> None:
    taint = Taint(key="gpu", value="a100")
    assert tolerates(toleration, taint) is answers
    assert (untolerated([toleration], [taint]) == []) is answers


def test_a_soft_taint_keeps_nobody_off() -> None:
    soft = Taint(key="gpu", effect="PreferNoSchedule")
    hard = Taint(key="gpu", effect="NoExecute")
    assert untolerated([], [soft, hard]) == [hard]


def test_a_pool_has_the_labels_that_it_states_and_those_of_its_labeller(pool: MakePool) -> None:
    labels = pool_labels(pool(labels={"tier": "gold"}, zones=["a", "b"]), model())
    assert labels.of("tier") == ("gold",)
    assert labels.of("topology.kubernetes.io/zone") == ("a", "b")
    assert labels.of("kubernetes.io/arch") == ("amd64",)
    assert "NVIDIA-A100-SXM4-80GB" in known(labels, "nvidia.com/gpu.product")
    assert labels.of("nvidia.com/gpu.family") == ("ampere", None)


def test_what_nobody_told_is_missing_where_people_set_it_and_else_open(pool: MakePool) -> None:
    labels = pool_labels(pool(), model(), "eks")
    assert labels.of("node-tier") == (None,)
    assert labels.of("example.com/pool") == (None,)
    assert labels.of("cloud.google.com/gke-accelerator") is not None
    assert labels.of("cloud.google.com/gke-nodepool") == (None,)
    assert labels.of("node.kubernetes.io/instance-type") is None
    assert labels.of("eks.amazonaws.com/nodegroup") is None


def test_the_providers_own_label_is_sure_to_be_there(pool: MakePool) -> None:
    key = "cloud.google.com/gke-accelerator"
    assert pool_labels(pool(model="L4"), model("L4"), "gke").of(key) == ("nvidia-l4",)
    assert None in known(pool_labels(pool(model="L4"), model("L4"), "eks"), key)


def test_a_shared_gpu_has_another_name(pool: MakePool) -> None:
    shared = pool(model="L4", sharing={"mode": "time-slicing", "replicas": 4})
    key = "nvidia.com/gpu.product"
    assert "NVIDIA-L4-SHARED" in known(pool_labels(shared, model("L4")), key)
    assert "NVIDIA-L4-SHARED" not in known(pool_labels(pool(model="L4"), model("L4")), key)


def test_only_spot_nodes_say_so(pool: MakePool) -> None:
    wants = {"nodeSelector": {"karpenter.sh/capacity-type": "spot"}}
    assert not selects(wants, pool_labels(pool(), model(), "eks"))
    assert selects(wants, pool_labels(pool(capacity="spot"), model(), "eks"))


@pytest.mark.parametrize(
    ("sharing", "offered"),
    [
        (None, {"nvidia.com/gpu": 8}),
        ({"mode": "time-slicing", "replicas": 4}, {"nvidia.com/gpu": 32}),
        ({"mode": "mps", "replicas": 2, "rename": True}, {"nvidia.com/gpu.shared": 16}),
        ({"mode": "mig", "profiles": {"1g.10gb": 7}}, {"nvidia.com/gpu": 56}),
        (
            {"mode": "mig", "strategy": "mixed", "profiles": {"3g.40gb": 1, "2g.20gb": 2}},
            {"nvidia.com/mig-3g.40gb": 8, "nvidia.com/mig-2g.20gb": 16},
        ),
    ],
)
def test_what_a_node_advertises(
    pool: MakePool, sharing: dict[str, Any] | None, offered: dict[str, int]
) -> None:
    made = pool(sharing=sharing) if sharing else pool()
    assert fleet.advertised(made, model()) == offered


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "nodeSelector": ANYTHING,
        "affinity": ANYTHING
        | st.builds(lambda one: {"nodeAffinity": {REQUIRED: one}}, ANYTHING)
        | st.builds(lambda one: {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": one}}}, ANYTHING),
    },
)


@given(SPECS, st.lists(ANYTHING, max_size=3))
def test_no_spec_is_too_odd(spec: dict[str, Any], tolerations: list[Any]) -> None:
    selects(spec, node_labels({"a": "1"}))
    untolerated(tolerations, [Taint(key="gpu")])


KEYS, VALUES = st.sampled_from("abc"), st.sampled_from(["1", "2", "x"])
LABELS = st.dictionaries(KEYS, VALUES, max_size=3)
OPERATORS = st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"])
ROWS = st.lists(
    st.builds(lambda k, o, v: expression(o, v, key=k), KEYS, OPERATORS, VALUES),
    min_size=1,
    max_size=3,
)


@given(LABELS, ROWS)
def test_a_pool_that_may_have_a_nodes_labels_may_take_what_the_node_takes(
    labels: dict[str, str], rows: list[dict[str, Any]]
) -> None:
    """So that what is sure of no node of a pool is sure of each of them."""
    spec = affinity(rows)
    node = node_labels(labels)
    wider = PossibleLabels({key: (labels.get(key), "other", None) for key in "abc"})
    assert selects(spec, wider) or not selects(spec, node)
