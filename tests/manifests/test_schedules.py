"""Schedules: what robfig/cron v3's standard parser, which the CronJob controller uses, takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.manifests.schedules import cron_problem

# As the parser's own tests and its source have them.
TAKEN = [
    "* * * * *", "5 * * * *", "*/15 * * * *", "? ? ? ? ?", "0 2 * * *", "59 23 31 12 6",
    "0,15,30,45 * * * *", "0-10 * * * *", "0-59/5 * * * *", "5/15 * * * *", "1-5,7,9-11/2 * * * *",
    "0 0 * JAN-Dec *", "0 0 * * mon-FRI", "0 0 * * sun", "0 0 * feb,mar tue,thu",
    "00 007 01 1 0", "+5 * * * *", "*/100 * * * *", "1,,2 * * * *", ",1 * * * *", "*-5 * * * *",
    "  0   2 *\t* * ", "0 0 29 2 *", "0 0 31 * *", "0 0 30 2 mon", "0 0 31 4,5 *",
    "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly",
    "@every 1h", "@every 1h30m10s", "@every 1.5h", "@every .5h", "@every 500ms", "@every 1h0.5m",
]  # fmt: skip
REFUSED = [
    "", " ", "*", "* * * *", "* * * * * *", "60 * * * *", "-1 * * * *", "* 24 * * *",
    "* * 0 * *", "* * 32 * *", "* * * 0 *", "* * * 13 *", "* * * * 7", "* * * * 8",
    "10-5 * * * *", "0-60 * * * *", "1-2-3 * * * *", "1/2/3 * * * *", "*/0 * * * *",
    "*/ * * * *", "/5 * * * *", "*/-5 * * * *", "*/x * * * *", "1- * * * *", "-5 * * * *",
    "a * * * *", "mon * * * *", "* * * mon *", "* * * * jan", "* * * * monday", "1.5 * * * *",
    "0x5 * * * *", "5,x * * * *", "1_0 * * * *", "٣ * * * *", "² * * * *",
    "99999999999999999999 * * * *",
    "@", "@Daily", "@daily ", "@fortnightly", "@reboot", "@every", "@every ", "@every 5",
    "@every h", "@every 1", "@every 1d", "@every 1h 30m", "@every -1h", "@every 0s", "@every 1..5h",
    "TZ=UTC * * * * *", "CRON_TZ=Europe/Berlin 0 2 * * *",
]  # fmt: skip
# What the parser takes and never comes.
NEVER = [", * * * *", "0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 31 feb ?"]


@pytest.mark.parametrize("schedule", TAKEN)
def test_taken(schedule: str) -> None:
    assert cron_problem(schedule) is None


@pytest.mark.parametrize("schedule", [*REFUSED, *NEVER])
def test_refused(schedule: str) -> None:
    assert cron_problem(schedule)


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        ("0 2 * *", "expected 5 fields (minute hour day month weekday), found 4"),
        ("0 24 * * *", "hour `24`: write a number from 0 to 23"),
        ("0 0 * * 7", "day of week `7`: write a number from 0 to 6 or a name (sun, mon …); Sunday is 0"),
        ("0 0 * 13 *", "month `13`: write a number from 1 to 12 or a name (jan, feb …)"),
        ("9-3 * * * *", "minute `9-3`: the range ends before it begins"),
        ("*/0 * * * *", "minute `*/0`: a step is a whole number above 0"),
        ("0 0 31 4 *", "it never runs: none of the months has that day"),
        ("TZ=UTC 0 0 * * *", "write the time zone in the field `timeZone`"),
    ],
)  # fmt: skip
def test_reason(schedule: str, reason: str) -> None:
    assert cron_problem(schedule) == reason


BOUNDS = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)]


def numbers(low: int, high: int) -> st.SearchStrategy[str]:
    one = st.integers(low, high)
    span = st.tuples(one, one).map(lambda pair: f"{min(pair)}-{max(pair)}")
    plain = st.one_of(one.map(str), span, st.just("*"))
    stepped = st.tuples(plain, st.integers(1, high)).map(lambda pair: f"{pair[0]}/{pair[1]}")
    return st.lists(st.one_of(plain, stepped), min_size=1, max_size=3).map(",".join)


@given(st.tuples(*(numbers(low, high) for low, high in BOUNDS)))
def test_fields_within_their_bounds_are_taken(fields: tuple[str, ...]) -> None:
    reason = cron_problem(" ".join(fields))
    assert reason is None or reason.startswith("it never runs")


@given(st.integers(0, 4), st.integers(-5, 200), st.tuples(*(numbers(*b) for b in BOUNDS)))
def test_numbers_beyond_the_bounds_are_refused(
    at: int, number: int, fields: tuple[str, ...]
) -> None:
    low, high = BOUNDS[at]
    changed = [*fields]
    changed[at] += f",{number}"
    if not low <= number <= high:
        assert cron_problem(" ".join(changed))


@given(st.text(max_size=40))
def test_any_text_gets_an_answer(text: str) -> None:
    reason = cron_problem(text)
    assert reason is None or reason
