"""Numbers are read in one place: what anybody wrote is a number, none, or more than can be held."""

import ast
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from gpuspec.numbers import (
    INT32,
    INT64,
    is_digits,
    of_digits,
    parse_whole,
    read_decimal,
    read_fraction,
    read_percent,
    read_signed,
    read_version,
    read_whole,
)

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "gpuspec"
HOME = PACKAGE / "numbers.py"

READERS = {"int", "float"}
"""Take texts, and fail on some. For what is a number already there are `math.floor` and `inexact`."""
ASKERS = {"isdigit", "isdecimal", "isnumeric"}
MANY = "9" * 5000
NAN = float("nan")


def readings(source: str) -> Iterator[tuple[int, str]]:
    """Line and name of everything that reads numbers past the one reader."""
    tree = ast.parse(source)
    docstrings = {id(part) for node in ast.walk(tree) for part in _docstring(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in READERS:
                yield node.lineno, name
            case ast.Call(args=args, keywords=more):
                # Handed over: map(int, …), key=int, converter=float.
                for given in (*args, *(each.value for each in more)):
                    if isinstance(given, ast.Name) and given.id in READERS and not _asks(node):
                        yield given.lineno, given.id
            case ast.Attribute(attr=name) if name in ASKERS:
                yield node.lineno, name
            # `\d` takes the digits of all scripts.
            case ast.Constant(value=str(text) | bytes(text)) if id(node) not in docstrings:
                if r"\d" in (text if isinstance(text, str) else text.decode("latin-1")):
                    yield node.lineno, r"\d"
            case _:
                pass
        match node:
            case ast.Call(func=ast.Name(id="Fraction"), args=[ast.expr() as one], keywords=[]):
                if not isinstance(one, ast.Constant):
                    yield node.lineno, "Fraction"
            case _:
                pass


def _asks(call: ast.Call) -> bool:
    """Whether a call asks about a type, and reads nothing."""
    return isinstance(call.func, ast.Name) and call.func.id in ("isinstance", "issubclass")


def _docstring(node: ast.AST) -> Iterator[ast.AST]:
    """Docstrings say what they like."""
    body = getattr(node, "body", None)
    for statement in body if isinstance(body, list) else ():
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            yield statement.value


def test_numbers_are_read_in_one_place() -> None:
    wrong = [
        f"{file.relative_to(ROOT)}:{line}: {name}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if file != HOME
        for line, name in readings(file.read_text())
    ]
    assert not wrong, "read what others wrote with gpuspec.numbers:\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("int(text)", "int"),
        ("int(match[1], 16)", "int"),
        ("float('1')", "float"),
        ("map(int, parts)", "int"),
        ("max(parts, key=float)", "float"),
        ("text.isdigit()", "isdigit"),
        ("any(map(str.isdecimal, text))", "isdecimal"),
        (r"re.compile(r'\d+')", r"\d"),
        (r"re.compile(f'{x}\\d')", r"\d"),
        ("Fraction(text)", "Fraction"),
    ],
)
def test_every_way_to_read_is_seen(source: str, name: str) -> None:
    assert [found for _, found in readings(source)] == [name]


def test_what_reads_nothing_is_let_be() -> None:
    source = r'r"""Not \d."""' + "\ndef f(a: int, b: float) -> int:\n    return isinstance(a, int)"
    assert not list(readings(source + "\nFraction(1, n)\nmath.floor(x)"))


@pytest.mark.parametrize(
    "text",
    ["²", "٣", "1²", "", " ", "-1", "+1", "1.0", "1_000", "0x1f", "nan", "1e3", MANY, None, 7],
)
def test_what_is_no_whole_number(text: object) -> None:
    assert read_whole(text) is None


def test_whole_numbers_to_the_most_that_is_held() -> None:
    assert (read_whole("0"), read_whole("007"), read_whole("0" * 5000 + "7")) == (0, 7, 7)
    assert (read_whole(str(INT64)), read_whole(str(INT64 + 1))) == (INT64, None)
    assert (read_whole(str(INT32), INT32), read_whole(str(INT32 + 1), INT32)) == (INT32, None)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("²", "`²` is not a whole number above 0"),
        ("0", "`0` is not a whole number above 0"),
        ("2147483648", "`2147483648` is more than Kubernetes can hold: at most 2147483647"),
        (MANY, "(5000 characters)` is more than Kubernetes can hold: at most 2147483647"),
        ("x" * 5000, "(5000 characters)` is not a whole number"),
    ],
)
def test_why_a_number_is_not_taken(text: str, why: str) -> None:
    with pytest.raises(ValueError, match="is") as caught:
        parse_whole(text, 1, INT32)
    assert why in str(caught.value)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize(
    ("reader", "texts"),
    [
        (read_signed, ("", "-", "--1", "²", "-٣", MANY, f"-{MANY}", "9223372036854775808")),
        (read_percent, ("%", "²%", f"{MANY}%", "50", "5.5%", None, 50)),
        (
            read_decimal,
            ("", ".", "nan", "inf", "-inf", "1e400", "٣", "²", "1_0", " 1", MANY, None, True, NAN),
        ),
        (read_fraction, ("1/2", "1/0", "nan", "1e400")),
    ],
)
def test_other_numbers_that_are_none(
    reader: Callable[[object], object], texts: tuple[object, ...]
) -> None:
    assert [reader(text) for text in texts] == [None] * len(texts)


def test_other_numbers() -> None:
    assert [read_signed(text) for text in ("-7", "+7", str(-(2**63)))] == [-7, 7, -(2**63)]
    assert read_percent("25%") == 25
    assert [read_decimal(x) for x in (".5", "1.", "1e3", 2, 0.25)] == [0.5, 1.0, 1000.0, 2.0, 0.25]
    assert read_fraction("0.9") == Fraction(9, 10)
    assert read_fraction("1e-999999999") == 0  # whose digits would fill the memory


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1.36", (1, 36)),
        ("v1.36.2-eks", (1, 36, 2)),
        ("latest", ()),
        ("1.²", (1,)),
        (MANY, ()),
        ("", ()),
    ],
)
def test_versions(text: str, numbers: tuple[int, ...]) -> None:
    assert read_version(text) == numbers


def test_matched_digits_are_read_in_their_base() -> None:
    assert (of_digits("-12"), of_digits("ff", 16)) == (-12, 255)
    for text in (MANY, "²", "1_0"):
        with pytest.raises(ValueError, match="number"):
            of_digits(text)
    assert is_digits(MANY)
    assert not is_digits("²")
