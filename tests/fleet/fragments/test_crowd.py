"""Classes in halves are found as one by one."""

from hypothesis import given
from hypothesis import strategies as st

from gpuspec.fleet.fragments.crowd import Crowd

POINTS = st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 1))


@given(st.lists(st.tuples(POINTS, st.integers(1, 9)), min_size=1, max_size=30), POINTS)
def test_the_weight_within_a_bound_is_that_of_each_point_within(
    points: list[tuple[tuple[int, ...], int]], bound: tuple[int, ...]
) -> None:
    inside = [
        weight for point, weight in points if all(a <= b for a, b in zip(point, bound, strict=True))
    ]
    crowd = Crowd(points)
    assert crowd.within(bound) == sum(inside)
    assert crowd.has(bound) == bool(inside)
