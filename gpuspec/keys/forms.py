"""What a value may be, as its reader takes it."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

import msgspec

from gpuspec.manifests.quantities import Quantity
from gpuspec.numbers import read_decimal

Kind = Literal[
    "one", "list", "whole", "integer", "number", "duration", "quantity", "json", "options"
]
_GO_BOOLEANS = ("true", "false", "True", "False", "TRUE", "FALSE", "t", "f", "T", "F", "1", "0")
_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|[0-9]+(?:_[0-9]+)*)")
_DURATION = re.compile(r"[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|ms|s|m|h))+")
_PART = re.compile(r"([0-9.]+)(ns|us|µs|ms|s|m|h)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_OPTION = re.compile(r"\s*[a-z][a-z0-9_]*\s*:[^,\[\]]+|\s*[a-z][a-z0-9_]*\s*:\s*\[[^\[\]]*\]\s*")
_SPLIT = re.compile(r",(?![^\[]*\])")


class Form(msgspec.Struct, frozen=True):
    """A form of values."""

    kind: Kind
    words: tuple[str, ...] = ()
    fold: bool = False
    """Small letters and capitals are one."""
    least: float | None = None
    most: float | None = None
    above: float | None = None
    """It is more than this."""

    def takes(self, value: str) -> bool:
        """Whether a value has this form."""
        match self.kind:
            case "one":
                return self._has(value)
            case "list":
                return all(self._has(each.strip()) for each in value.split(",") if each.strip())
            case "whole" | "integer":
                return bool(_INTEGER.fullmatch(value.strip())) and self._bounds(
                    read_decimal(value.strip().replace("_", ""))
                )
            case "number":
                number = read_decimal(value.strip())
                return number is not None and self._bounds(number)
            case "duration":
                return value == "0" or (
                    bool(_DURATION.fullmatch(value)) and self._bounds(_seconds(value))
                )
            case "quantity":
                return _is_quantity(value)
            case "json":
                return _is_json(value, self.words[0])
            case "options":
                return all(_OPTION.fullmatch(each) for each in _SPLIT.split(value) if each.strip())

    def says(self) -> str:
        """What is expected, in words: `a whole number from 1 to 5`."""
        match self.kind:
            case "one" | "list":
                words = self._shown()
                listed = f"{', '.join(words[:-1])} or {words[-1]}" if words[1:] else words[0]
                return f"a list of {listed}" if self.kind == "list" else listed
            case "whole":
                return f"a whole number{self._range()}"
            case "integer":
                return "a number"
            case "number":
                return f"a number{self._range()}"
            case "duration":
                return f"a duration such as `90s`{self._range('s')}"
            case "quantity":
                return "an amount such as `500m` or `2Gi`"
            case "json":
                return f"a JSON {self.words[0]}"
            case "options":
                return "`name:value` pairs with commas between them"

    def _has(self, value: str) -> bool:
        if value in self.words:
            return True
        return self.fold and value.casefold() in {word.casefold() for word in self.words}

    def _shown(self) -> list[str]:
        words = ("true", "false") if self.words == _GO_BOOLEANS else self.words
        return [f"`{word}`" for word in words]

    def _bounds(self, number: float | None) -> bool:
        if number is None:
            return True
        return not (
            (self.least is not None and number < self.least)
            or (self.most is not None and number > self.most)
            or (self.above is not None and number <= self.above)
        )

    def _range(self, unit: str = "") -> str:
        if self.above is not None:
            low = f" above {self.above:g}{unit}"
        elif self.least is not None and self.most is None:
            low = f" of at least {self.least:g}{unit}"
        elif self.least is not None:
            low = f" from {self.least:g}{unit}"
        else:
            low = ""
        # The largest that a program can hold is nobody's concern.
        if self.most is None or self.most >= 2**31 - 1:
            return low.replace(" from ", " of at least ")
        return (
            f"{low} to {self.most:g}{unit}"
            if self.above is None
            else f"{low} and at most {self.most:g}"
        )


def form_of(told: dict[str, Any]) -> Form:
    """A form from its row of a table: `{one: "a b"}`, `{whole: {least: 1}}`, `{json: array}`."""
    fold = bool(told.get("fold"))
    (kind, detail), *_ = ((name, value) for name, value in told.items() if name != "fold")
    if kind == "go":
        return Form("one", _GO_BOOLEANS)
    if isinstance(detail, dict):
        return Form(kind, **detail)
    return Form(kind, tuple(str(detail).split()), fold)


def _seconds(value: str) -> float:
    sign = -1 if value.startswith("-") else 1
    parts = _PART.findall(value)
    return sign * sum((read_decimal(count) or 0) * _SECONDS[unit] for count, unit in parts)


def _is_quantity(value: str) -> bool:
    try:
        Quantity.parse(value)
    except ValueError:
        return False
    return True


def _is_json(value: str, kind: str) -> bool:
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, list if kind == "array" else dict)
