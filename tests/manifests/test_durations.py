"""Durations as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.manifests import format_duration, parse_duration


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("0s", 0),
        ("90s", 90),
        ("30m", 1800),
        ("12h", 43200),
        ("1h30m", 5400),
        ("2d", 172800),
        ("1d12h30m15s", 131415),
    ],
)
def test_durations(written: str, seconds: int) -> None:
    assert parse_duration(written) == seconds


@pytest.mark.parametrize("written", ["90", 90, 1.5, "1.5"])
def test_a_unit_is_asked_for(written: str | int | float) -> None:
    with pytest.raises(ValueError, match=f"{written} has no unit: write {written}s"):
        parse_duration(written)


@pytest.mark.parametrize(
    "written", ["", "h", "1.5h", "30m1h", "1h1h", "-1h", "1 h", "1w", "10ms", "1H", "٣h", "1h\n"]
)
def test_what_is_no_duration(written: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration(written)


@pytest.mark.parametrize(
    ("seconds", "written"), [(0, "0s"), (90, "1m30s"), (5400, "1h30m"), (172800, "48h")]
)
def test_formatted(seconds: int, written: str) -> None:
    assert format_duration(seconds) == written


@given(st.integers(0, 10**9))
def test_parse_is_the_inverse(seconds: int) -> None:
    assert parse_duration(format_duration(seconds)) == seconds


def test_no_negative_durations() -> None:
    with pytest.raises(ValueError, match="negative"):
        format_duration(-1)
