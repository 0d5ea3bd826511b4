"""Quantities as Kubernetes reads, computes and prints them."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.manifests import Quantity, parse_quantity

# Written, printed, Value(): as k8s.io/apimachinery 0.37 has them.
QUANTITIES: list[tuple[str | int | float, str, int]] = [
    ("0", "0", 0),
    ("0Gi", "0", 0),
    ("500m", "500m", 1),
    ("0.5", "500m", 1),
    (0.5, "500m", 1),
    (2, "2", 2),
    (1e-7, "100e-9", 1),
    ("1000m", "1", 1),
    ("1500m", "1500m", 2),
    ("1.5", "1500m", 2),
    (".5", "500m", 1),
    ("5.", "5", 5),
    ("-1", "-1", -1),
    ("-500m", "-500m", -1),
    ("+2", "2", 2),
    ("1000", "1k", 1000),
    ("1024", "1024", 1024),
    (1024, "1024", 1024),
    ("1234567890", "1234567890", 1234567890),
    ("1E", "1E", 10**18),
    ("1500M", "1500M", 1500 * 10**6),
    ("1.5G", "1500M", 1500 * 10**6),
    ("1e3", "1e3", 1000),
    ("1E3", "1e3", 1000),
    ("12e6", "12e6", 12 * 10**6),
    ("5e-1", "500e-3", 1),
    ("6Gi", "6Gi", 6 * 2**30),
    ("1024Mi", "1Gi", 2**30),
    ("1.5Gi", "1536Mi", 1536 * 2**20),
    ("0.5Mi", "512Ki", 512 * 2**10),
    ("1023Ki", "1023Ki", 1023 * 2**10),
    ("0.5Ki", "512", 512),
    ("1.1Mi", "1153433600m", 1153434),
    ("0.1Ki", "102400m", 103),
    ("0.1n", "1n", 1),
    ("1.0000000001", "1000000001n", 2),
    ("7Ei", "7Ei", 7 * 2**60),
]


@pytest.mark.parametrize(("written", "printed", "value"), QUANTITIES)
def test_quantities(written: str | int | float, printed: str, value: int) -> None:
    quantity = parse_quantity(written)
    assert str(quantity) == printed
    assert quantity.int_value == value
    assert Quantity.parse(printed) == quantity


@given(st.integers(0, 2**62), st.sampled_from(["", "n", "u", "m", "k", "Ki", "Mi", "e3", "e-3"]))
def test_printing_keeps_the_amount(number: int, suffix: str) -> None:
    try:
        quantity = Quantity.parse(f"{number}{suffix}")
    except ValueError as error:
        assert "2^63-1" in str(error)
        return
    again = Quantity.parse(str(quantity))
    assert (again, str(again)) == (quantity, str(quantity))


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("6GB", r"did you mean 6G \(10\^9\) or 6Gi \(2\^30\)"),
        ("6gb", r"did you mean 6G \(10\^9\) or 6Gi"),
        ("6gi", "did you mean 6Gi"),
        ("6 Gi", "did you mean 6Gi"),
        ("6GiB", "did you mean 6Gi"),
        ("6K", r"did you mean 6k \(10\^3\) or 6Ki"),
        ("6 gigabytes", "the suffixes are"),
        ("1e", "did you mean 1E"),
        ("", "is not a quantity"),
        ("Gi", "is not a quantity"),
        (".", "is not a quantity"),
        ("--1", "is not a quantity"),
        ("1,5", "the suffixes are"),
        ("1_000", "the suffixes are"),
        ("٣", "is not a quantity"),
        ("1\n", "the suffixes are"),
        (True, "is not a quantity"),
        (float("nan"), "is not a quantity"),
        (float("inf"), "is not a quantity"),
        ("8Ei", r"2\^63-1"),
        ("1e999", r"2\^63-1"),
        (10**30, r"2\^63-1"),
        ("9" * 5000, "is not a quantity"),
    ],
)
def test_what_is_no_quantity(written: str | int | float, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Quantity.parse(written)


def test_amounts_compare_and_hash_however_written() -> None:
    assert Quantity.parse("1Gi") == Quantity.parse("1024Mi") == 2**30
    assert len({Quantity.parse("1"), Quantity.parse("1000m"), 1}) == 1
    assert Quantity.parse("500m") == Fraction(1, 2)
    assert Quantity.parse("1G") < Quantity.parse("1Gi") <= 2**30
    assert Quantity.parse("1G") > 999_999_999
    assert Quantity.parse("1") >= 1
    assert Quantity.parse("1") != "1"
    assert not Quantity.parse("0")
    assert sorted([Quantity.parse("1Gi"), Quantity.parse("1G")])[0] == 10**9


def test_arithmetic_is_exact_and_keeps_the_family() -> None:
    assert str(Quantity.parse("1Gi") + Quantity.parse("512Mi")) == "1536Mi"
    assert str(Quantity.parse("0.1") + Quantity.parse("0.2")) == "300m"
    assert str(Quantity(0) + Quantity.parse("1Gi")) == "1Gi"
    assert str(sum([Quantity.parse("1Gi"), Quantity.parse("1Gi")], start=Quantity(0))) == "2Gi"
    assert str(Quantity.parse("2Gi") - Quantity.parse("1Gi")) == "1Gi"
    assert str(Quantity.parse("2") - 1) == "1"
    assert str(-Quantity.parse("2Ki")) == "-2Ki"
    assert str(Quantity.parse("2Gi") * 3) == "6Gi"
    assert str(Fraction(1, 3) * Quantity.parse("1")) == "333333334n", "rounded away from zero"
    assert Quantity.parse("1Gi") / Quantity.parse("256Mi") == 4
    assert Quantity.parse("1") / 3 == Fraction(1, 3)
    assert Quantity.parse("7") // Quantity.parse("2") == 3
    assert Quantity.parse("1500m").milli_value == 1500
    assert Quantity.parse("1.0001").milli_value == 1001
    assert Quantity.parse("1.0001").value == Fraction(10001, 10000)
    assert str(Quantity.of_bytes(6 * 2**30)) == "6Gi"
    with pytest.raises(ValueError, match=r"2\^63-1"):
        Quantity.parse("8Ei")
    assert str(Quantity.parse("7Ei") * 2) == "14Ei"
