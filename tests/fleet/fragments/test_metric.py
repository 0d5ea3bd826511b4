"""Expected fragment: what of the idle GPUs a class cannot use, and the sum over classes."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gpuspec.fleet.fragments import Class, Metric, State, common, fragment

GPU = "nvidia.com/gpu"
GIB = 1 << 30
HCA: dict[str, Any] = {"rdma/hca": 1}


def gpus(*left: int, cpu: int = 96_000, kind: str = "a", **free: int) -> State:
    return State(kind, {"cpu": cpu, **free}, {GPU: left}, capacity=1000 * len(left))


def of(
    count: int,
    milli: int | None = 1000,
    weight: int = 1,
    cpu: int = 1000,
    kinds: frozenset[str] | None = None,
    **asked: int,
) -> Class:
    return Class("one", GPU, count, weight, milli, {"cpu": cpu, **asked}, kinds)


def test_where_a_pod_fits_only_the_gpus_with_too_little_left_are_lost() -> None:
    assert fragment(gpus(1000, 1000, 300, 0), of(1)) == 300
    assert fragment(gpus(1000, 600, 300, 0), of(1, milli=500)) == 300
    assert fragment(gpus(1000, 1000, 300), of(2)) == 300


def test_where_none_fits_all_idle_gpus_are_lost() -> None:
    """Too few GPUs, another kind of node, or no CPU, memory, pod slot or RDMA device left."""
    state = gpus(1000, 600, kind="a", memory=8 * GIB, pods=3)
    assert fragment(state, of(1, memory=8 * GIB)) == 600
    assert fragment(state, of(2)) == 1600
    assert fragment(state, of(1, kinds=frozenset({"b"}))) == 1600
    assert fragment(state, of(1, cpu=96_001)) == 1600
    assert fragment(state, of(1, memory=8 * GIB + 1)) == 1600
    assert fragment(state, of(1, **HCA)) == 1600
    assert fragment(gpus(1000, pods=0), of(1)) == 1000


def test_a_class_without_gpus_can_use_no_idle_gpu() -> None:
    """So the authors count tasks without GPUs; classes of gpuspec leave them out."""
    assert fragment(gpus(1000, 600), of(0)) == 1600


def test_counted_devices_are_usable_only_by_who_asks_for_them() -> None:
    """Slices of a static layout: three resources on one node, each of another size."""
    small, large = "nvidia.com/mig-1g.10gb", "nvidia.com/mig-3g.40gb"
    state = State("mig", {"cpu": 8000}, {small: (125, 125), large: (500,)})
    assert fragment(state, Class("1g", small, 1, 1)) == 500
    assert fragment(state, Class("two 1g", small, 2, 1)) == 500
    assert fragment(state, Class("three 1g", small, 3, 1)) == 750
    assert fragment(state, Class("3g", large, 1, 1)) == 250
    assert fragment(state, Class("whole", GPU, 1, 1)) == 750


def test_shares_of_a_gpu_are_counted_devices() -> None:
    shared = "nvidia.com/gpu.shared"
    state = State("shared", {}, {shared: (250,) * 5}, capacity=2000)
    assert fragment(state, Class("share", shared, 1, 1)) == 0
    assert fragment(state, Class("whole", GPU, 1, 1)) == 1250


def test_expected_fragment_weights_the_classes() -> None:
    metric = Metric([of(1, weight=3), of(4, weight=1)])
    state = gpus(1000, 1000)
    assert metric.amount(state) == 3 * 0 + 1 * 2000
    assert metric.expected([state, state]) == 2 * 2000 / 4


def test_a_node_without_pod_slots_is_all_fragment() -> None:
    metric = Metric([of(1, weight=3)])
    assert metric.amount(gpus(1000, pods=1)) == 0
    assert metric.amount(gpus(1000, pods=0)) == 3000


def test_without_classes_nothing_is_expected() -> None:
    assert Metric([]).expected([gpus(1000)]) == 0.0


SIZES = st.sampled_from([0, 125, 250, 500, 810, 1000])
STATES = st.tuples(
    st.sampled_from("ab"),
    st.fixed_dictionaries(
        {},
        optional={
            "cpu": st.integers(0, 9),
            "memory": st.integers(0, 9),
            "pods": st.integers(0, 2),
        },
    ),
    st.dictionaries(st.sampled_from("xy"), st.lists(SIZES, max_size=4).map(tuple), max_size=2),
).map(lambda fields: State(*fields))
CLASSES = st.lists(
    st.tuples(
        st.just("one"),
        st.sampled_from("xy"),
        st.integers(0, 3),
        st.integers(0, 2**70),
        st.sampled_from([None, 250, 500, 1000]),
        st.dictionaries(st.sampled_from(["cpu", "memory", "rdma"]), st.integers(1, 9)),
        st.sampled_from([None, frozenset("a"), frozenset("ab")]),
    ).map(lambda fields: Class(*fields)),
    max_size=5,
)


@given(CLASSES, st.lists(STATES, max_size=6))
def test_remembered_states_give_what_the_definition_gives(
    classes: list[Class], states: list[State]
) -> None:
    """Exactly, however large the weights are: the sum is one of whole numbers."""
    metric = Metric(classes)
    for state in [*states, *states]:
        assert metric.amount(state) == sum(one.weight * fragment(state, one) for one in classes)


@given(CLASSES, STATES)
def test_the_order_of_classes_and_of_devices_changes_nothing(
    classes: list[Class], state: State
) -> None:
    turned = State(
        state.kind, state.free, {n: each[::-1] for n, each in reversed(list(state.idle.items()))}
    )
    assert Metric(classes).amount(state) == Metric(classes[::-1]).amount(turned)


def test_common_classes_cover_nearly_all_demand() -> None:
    rare, often, large = of(1, weight=1), of(2, weight=50), of(8, weight=149)
    assert common([rare, often, large]) == (large, often)
    assert common([rare, often, large], 100) == (large, often, rare)
    assert common([]) == ()


def test_equal_shapes_are_one_class() -> None:
    first = Class("first", GPU, 1, 10, requests={"cpu": 1, "memory": 2})
    second = Class("second", GPU, 1, 5, requests={"memory": 2, "cpu": 1})
    (only,) = common([first, second])
    assert (only.name, only.weight) == ("first", 15)


def test_a_class_of_no_weight_is_not_common() -> None:
    assert common([of(1, weight=0)]) == ()


def test_plain_figures_of_a_node() -> None:
    empty, begun = gpus(1000, 1000), gpus(1000, 250)
    assert (empty.total, empty.largest, empty.whole) == (2000, 2, True)
    assert (begun.total, begun.largest, begun.whole) == (1250, 1, False)
    none = State("cpu", {"cpu": 4}, {})
    assert (none.total, none.largest, none.whole) == (0, 0, False)
