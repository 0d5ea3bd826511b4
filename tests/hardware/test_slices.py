"""Slices of TPU chips: which arrangements there are, and on how many hosts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.hardware import SliceTable, chips_of, model, slices_of
from gpuspec.hardware.slices import slice_tables

TABLES = slice_tables()


def of(name: str) -> SliceTable:
    found = slices_of(model(name))
    assert found is not None
    return found


@pytest.mark.parametrize("name", TABLES)
def test_each_row_is_of_a_model_and_plausible(name: str) -> None:
    rows = of(name)
    assert rows.source and model(name).vendor == "tpu"
    assert {len(one.topology.split("x")) for one in rows.named} == {rows.sides}
    for one in rows.named:
        assert one.hosts * one.chips == chips_of(one.topology)
        assert one.hosts == 1 or one.chips == 4, "hosts of a large slice have four chips"


def test_every_model_of_the_vendor_has_slices() -> None:
    from gpuspec.hardware import models

    assert {one.name for one in models() if one.vendor == "tpu"} == set(TABLES)
    assert slices_of(model("L4")) is None


@pytest.mark.parametrize(
    ("name", "hosts", "chips", "found"),
    [
        ("TPU-v5e", 1, 1, ("1x1",)),
        ("TPU-v5e", 1, 8, ("2x4",)),
        ("TPU-v5e", 2, 4, ("2x4",)),
        ("TPU-v6e", 64, 4, ("16x16",)),
        ("TPU-v6e", 3, 4, ()),
        ("TPU-v5p", 4, 4, ("2x2x4",)),
        ("TPU-v5p", 16, 4, ("4x4x4",)),
        ("TPU-v5p", 64, 4, ("4x4x16", "4x8x8")),
        ("TPU-v5p", 16 * 141, 4, ()),
        ("TPU-v7x", 1, 1, ("1x1x1",)),
    ],
)
def test_arrangements_of_so_many_hosts(
    name: str, hosts: int, chips: int, found: tuple[str, ...]
) -> None:
    assert of(name).of(hosts, chips) == found


@pytest.mark.parametrize("name", TABLES)
@given(st.integers(1, 200), st.sampled_from([1, 2, 4, 8]))
def test_what_is_found_is_there(name: str, hosts: int, chips: int) -> None:
    for topology in of(name).of(hosts, chips):
        assert (hosts, chips) in [(one.hosts, one.chips) for one in of(name).on(topology)]


def test_a_side_may_fall_on_v4_alone() -> None:
    assert [one.hosts for one in of("TPU-v4").on("8x4x4")] == [32]
    assert of("TPU-v5p").on("8x4x4") == ()
    assert of("TPU-v5p").on("4x4x6") == of("TPU-v5p").on("4x4") == of("TPU-v5e").on("4x4x4") == ()


@given(st.lists(st.integers(1, 999), min_size=2, max_size=3))
def test_an_arrangement_has_the_product_of_its_sides(lengths: list[int]) -> None:
    assert chips_of("x".join(map(str, lengths))) == math.prod(lengths)


@pytest.mark.parametrize(
    "text", ["", "4", "x", "4x", "4xx4", "0x4", "04x4", "4X4", "-4x4", " 4x4", "2x2x2x2", "9x" * 40]
)
def test_what_is_no_arrangement(text: str) -> None:
    assert chips_of(text) is None
