"""Scalars mean what they mean to kubectl."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.manifests import InputError, read
from tests.manifests.conftest import Judge

# As kubectl 1.37 reads them. Numbers beyond int64 are floats on their way through JSON.
SCALARS: list[tuple[str, object]] = [
    ("yes", True),
    ("on", True),
    ("y", True),
    ("Y", True),
    ("True", True),
    ("TRUE", True),
    ("ON", True),
    ("NO", False),
    ("off", False),
    ("n", False),
    ("N", False),
    ("tRue", "tRue"),
    ("~", None),
    ("null", None),
    ("Null", None),
    ("", None),
    ("''", ""),
    ("012", 10),
    ("0777", 511),
    ("0o14", 12),
    ("0o8", "0o8"),
    ("08", 8),
    ("09.5", 9.5),
    ("0x1f", 31),
    ("0x1G", "0x1G"),
    ("0b11", 3),
    ("0b2", "0b2"),
    ("0b-1", -1),
    ("+5", 5),
    ("-0", 0),
    ("-0.0", 0),
    ("1_000", 1000),
    ("1__0", 10),
    ("-1_0", -10),
    ("_1", "_1"),
    ("1e3", 1000),
    ("2e+07", 20000000),
    ("12e03", 12000),
    ("1e-3", 0.001),
    ("0.1e1", 1),
    ("1.0", 1),
    ("1.", 1),
    (".5", 0.5),
    ("-.5", -0.5),
    (".4_7", 0.47),
    (".4_", ".4_"),
    ("1e400", "1e400"),
    ("9007199254740993", 9007199254740993),
    ("9223372036854775807", 9223372036854775807),
    ("12345678901234567890", 12345678901234567890.0),
    ("0xFFFFFFFFFFFFFFFF", 18446744073709551615.0),
    ("0x1FFFFFFFFFFFFFFFF", "0x1FFFFFFFFFFFFFFFF"),
    ("123456789012345678901234567890", 1.2345678901234568e29),
    ("4611686018427388001.0", 4611686018427388000),
    ("12:30", "12:30"),
    ("190:20:30", "190:20:30"),
    ("1:2", "1:2"),
    ("2024-01-01", "2024-01-01"),
    ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"),
    ("=", "="),
    ("<<", "<<"),
    ("!!str 5", "5"),
    ("! 5", "5"),
    ('!!int "5"', 5),
    ("!!float 5", 5),
    ("!!bool yes", True),
    ('!!null ""', None),
    ("!!timestamp 2024-01-01", "2024-01-01"),
    ("!!binary aGk=", "hi"),
]
KEYS = [
    ("y", "true"),
    ("off", "false"),
    ("012", "10"),
    ("1.5", "1.5"),
    ("1e3", "1000"),
    ("1234567.0", "1.234567e+06"),
    ("0.00001", "1e-05"),
    ("123456.7891234", "123456.79"),
    ("-0.0", "-0"),
    ('"y"', "y"),
    ("!!str 012", "012"),
    ('"<<"', "<<"),
]
REFUSED = [
    (".inf", "not a JSON number"),
    ("-.INF", "not a JSON number"),
    (".NaN", "not a JSON number"),
    ("!!int abc", "does not match its tag"),
    ("!!binary x*", "not UTF-8 text in base64"),
]


def one(text: str) -> object:
    (document,) = read(text, "x.yaml")
    return document.value


def same(left: object, right: object) -> bool:
    """Equal, and of one type: True is not 1, and 1.0 is not 1."""
    return repr(left) == repr(right)


@pytest.mark.parametrize(("written", "value"), SCALARS)
def test_scalar(written: str, value: object) -> None:
    assert same(one(f"x: {written}\n"), {"x": value})
    assert same(one(f"- {written}\n- &a 1\n- *a\n"), [value, 1, 1]), "beside an anchor"


@pytest.mark.parametrize(("written", "key"), KEYS)
def test_key(written: str, key: str) -> None:
    assert one(f"{written}: 1\n") == {key: 1}
    assert one(f"{written} : &a 1\n") == {key: 1}, "beside an anchor"


@pytest.mark.parametrize(("written", "why"), REFUSED)
def test_refused_scalar(written: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        read(f"x: {written}\n", "x.yaml")


@pytest.mark.parametrize("written", ["~", "18446744073709551615", "[a]"])
def test_refused_key(written: str) -> None:
    with pytest.raises(InputError, match="key"):
        read(f"? {written}\n: 1\n", "x.yaml")


def test_kubectl_reads_the_tables_alike(kubectl: Judge) -> None:
    scalars = "".join(f"- {written}\n" for written, _ in SCALARS)
    assert as_printed([value for _, value in SCALARS]) == as_printed(kubectl(scalars))
    keys = "".join(f"- {written}: 1\n" for written, _ in KEYS)
    assert kubectl(keys) == [{key: 1} for _, key in KEYS]


@pytest.mark.parametrize("written", [written for written, _ in REFUSED if "binary" not in written])
def test_kubectl_refuses_alike(kubectl: Judge, written: str) -> None:
    assert "error" in str(kubectl(f"- {written}\n"))


def as_printed(value: object) -> object:
    """Numbers as kubectl prints them: those beyond int64 in few digits, and floats without .0."""
    if isinstance(value, list):
        return [as_printed(item) for item in value]
    if isinstance(value, dict):
        return {key: as_printed(item) for key, item in value.items()}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if abs(value) >= 2**63 else value
    return value


NUMBERLIKE = st.text("0123456789_+-.eExXobBaF:", min_size=1, max_size=9)
NUMBERS = st.from_regex(
    r"[-+]?(0x[0-9a-fA-F_]{1,17}|0o?[0-8_]{1,23}|0b[01_]{1,66}|\.?[0-9_]{1,21})(\.[0-9]{0,4})?([eE][-+]?[0-9]{1,3})?",
    fullmatch=True,
)
WORDISH = st.text("yYnNoOfFtTrRuUeEsSlL~.<=inaN", min_size=1, max_size=5)


def test_kubectl_reads_made_up_scalars_alike(kubectl: Judge) -> None:
    """One run of kubectl for all examples: each is a value and a key."""
    written: list[str] = []

    @settings(max_examples=400, database=None)
    @given(st.one_of(NUMBERLIKE, NUMBERS, WORDISH))
    def collect(scalar: str) -> None:
        try:
            value = one(f"x: {scalar}\n")
            one(f"{scalar}: 1\n")
        except InputError:
            return
        if isinstance(value, dict) and not isinstance(value["x"], dict | list):
            written.append(scalar)

    collect()
    block = "".join(f"- {scalar}\n- {scalar}: 1\n" for scalar in written)
    ours = [item for scalar in written for item in (one(f"- {scalar}\n"), one(f"{scalar}: 1\n"))]
    flat = [item[0] if isinstance(item, list) else item for item in ours]
    assert len(written) > 50
    assert as_printed(flat) == as_printed(kubectl(block))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_come_back(number: float) -> None:
    mantissa, _, exponent = repr(number).partition("e")
    found = one(f"- {mantissa}e{exponent or '0'}\n")
    assert isinstance(found, list)
    (value,) = found
    assert math.isclose(value, number, rel_tol=1e-15)
