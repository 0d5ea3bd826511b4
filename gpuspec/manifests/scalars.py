"""Resolution of scalars as in kubectl.

kubectl reads YAML with sigs.k8s.io/yaml: a fork of go-yaml v2 resolves each scalar, the result is
turned into JSON, and the JSON's numbers become int64 where they fit and float64 where not. The
rules are neither YAML 1.1 nor 1.2: ``y`` and ``on`` are booleans and ``012`` is ten, but ``12:30``
is a string and ``0o14`` is twelve.
"""

import base64
import binascii
import math
import re
import struct

from gpuspec.manifests.problems import NO_MEANING
from gpuspec.numbers import inexact, of_digits, read_decimal

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(
        ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True
    ),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE"), False),
    **dict.fromkeys(("off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_NUMBER_START = frozenset("+-.0123456789")
_INTEGER = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<x>[0-9a-fA-F]+)|0[oO](?P<o>[0-7]+)|0[bB](?P<b>[01]+)"
    r"|(?P<d>0|[1-9][0-9]*)|0(?P<leading>[0-7]+))"
)
_BASES = {"x": 16, "o": 8, "b": 2, "d": 10, "leading": 8}
# go-yaml hands what follows 0b to an integer parser that takes a sign: 0b-1 is minus one.
_SIGNED_BINARY = re.compile(r"0b([-+][01]+)")
# After a leading dot, underscores may stand between digits only; elsewhere anywhere.
_DOT_FLOAT = r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?"
# Up to here a float's shortest digits are all its digits.
_EXACT = 2**53
_INT64_MIN, _INT64_MAX, _UINT64_MAX = -(2**63), 2**63 - 1, 2**64 - 1


class ScalarError(ValueError):
    """A scalar that kubectl cannot convert to JSON, or whose tag contradicts its text."""


def resolve(text: str) -> Scalar:
    """Return the value of an unquoted, untagged scalar in kubectl.

    ``.inf`` and ``.nan`` are returned as floats, although JSON cannot represent them; the caller
    rejects them.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_START:
        return text
    number = _integer_or_float(text)
    return text if number is None else as_json(number)


def as_json(number: int | float) -> int | float:
    """Return a number after conversion to JSON: int64 if its digits fit, or else float64."""
    if isinstance(number, int):
        return number if _INT64_MIN <= number <= _INT64_MAX else inexact(number)
    # JSON gets the shortest digits that name the float, and those digits are what is read back.
    if number.is_integer() and abs(number) < 1e19:
        whole = math.floor(number)
        if abs(whole) > _EXACT:
            whole = of_digits(_without_exponent(repr(number)))
        if _INT64_MIN <= whole <= _INT64_MAX:
            return whole
    return number


def resolve_tagged(tag: str, text: str) -> Scalar:
    """Return what kubectl takes a scalar with an explicit core tag (``!!int "5"``) for.

    Raises:
        ScalarError: the text is not what the tag says, or no tag that Kubernetes YAML knows.
    """
    kind = tag.removeprefix("tag:yaml.org,2002:")
    if kind == "str":
        return text
    if kind == "binary":
        return _decoded(text)
    value = resolve(text)
    fits = (
        (kind == "null" and value is None)
        or (kind == "bool" and isinstance(value, bool))
        or (kind == "int" and _integer_or_float(text, float_too=False) is not None)
        or (kind == "float" and isinstance(value, int | float) and not isinstance(value, bool))
        or (kind == "timestamp" and re.fullmatch(_TIMESTAMP, text) is not None)
    )
    if fits:
        return value
    if kind in ("null", "bool", "int", "float", "timestamp"):
        raise ScalarError(f"{text!r} does not match its tag !!{kind}")
    name = f"!!{kind}" if kind != tag else tag
    raise ScalarError(f"the tag {name} {NO_MEANING}")


def resolve_key(text: str) -> str:
    """Return the string that an unquoted, untagged key becomes: ``y: 1`` has the key ``"true"``.

    Raises:
        ScalarError: a null key, or an integer beyond int64, which kubectl refuses.
    """
    if text in _WORDS:
        return key_text(_WORDS[text])
    number = _integer_or_float(text)
    return text if number is None else key_text(number)


def key_text(key: Scalar) -> str:
    """Return the string for a key with this value. Raises as :func:`resolve_key` does."""
    if isinstance(key, str):
        return key
    if key is None:
        raise ScalarError("a key cannot be null")
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, float):
        return _float32_text(key)
    if key > _INT64_MAX:
        raise ScalarError(f"the key {key} is an integer beyond 64 bits")
    return str(key)


# Here and below a text: such scalars are so rare that none is compiled until one is met.
_TIMESTAMP = (
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:"
    r"[Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})"
    r"| [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?)?"
)


def _integer_or_float(text: str, *, float_too: bool = True) -> int | float | None:
    if text[:1] not in _NUMBER_START:
        return None
    if text[0] == "." and not re.fullmatch(_DOT_FLOAT, text):
        return None
    plain = text.replace("_", "")
    if match := _INTEGER.fullmatch(plain):
        base = match.lastgroup or "d"
        # Python refuses to convert more than some thousand decimal digits; 64 bits need twenty.
        if len(plain) < 100:
            value = of_digits(match["sign"] + match[base], _BASES[base])
            if _INT64_MIN <= value <= (_INT64_MAX if match["sign"] else _UINT64_MAX):
                return value
    elif match := _SIGNED_BINARY.fullmatch(plain):
        if len(plain) < 100 and _INT64_MIN <= (value := of_digits(match[1], 2)) <= _INT64_MAX:
            return value
        return None
    # Beyond float64 go-yaml gives up and keeps the text.
    return read_decimal(plain) if float_too else None


def _decoded(text: str) -> str:
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode()
    except (binascii.Error, ValueError):
        raise ScalarError("!!binary holds a value that is not UTF-8 text in base64") from None


def _float32_text(number: float) -> str:
    """Return a float as kubectl writes it in a key: with the shortest digits of its nearest
    float32."""
    if math.isnan(number):
        return ".nan"
    try:
        (single,) = struct.unpack("f", struct.pack("f", number))
    except OverflowError:
        single = math.copysign(math.inf, number)
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    for precision in range(9):
        text = f"{single:.{precision}e}"
        if struct.unpack("f", struct.pack("f", read_decimal(text) or 0.0))[0] == single:
            break
    mantissa, exponent = text.split("e")
    if -4 <= of_digits(exponent) < 6:
        return _without_exponent(text)
    return f"{mantissa}e{of_digits(exponent):+03d}"


def _without_exponent(digits: str) -> str:
    """Return the digits of a float without exponent: 1.5e+16 is 15000000000000000, 2.0 is 2."""
    # Rare enough for its import to wait.
    from decimal import Decimal

    return f"{Decimal(digits):f}".removesuffix(".0")
