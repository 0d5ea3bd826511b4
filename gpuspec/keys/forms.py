"""The forms of a key's value, as its reader parses it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from gpuspec.numbers import read_decimal, read_signed

Kind = Literal[
    "one",
    "list",
    "whole",
    "decimal",
    "integer",
    "number",
    "duration",
    "quantity",
    "json",
    "options",
    "name",
    "interfaces",
    "release",
]
"""`whole`: a whole number as C or Python reads it. `decimal`: as Go reads it, only digits and a
sign."""
_SAME = ({"true", "1", "yes", "on", "y", "enabled"}, {"false", "0", "no", "off", "n", "disabled"})
_GO_BOOLEANS = ("true", "false", "True", "False", "TRUE", "FALSE", "t", "f", "T", "F", "1", "0")


class ValueForm(msgspec.Struct, frozen=True):
    """The form of a value."""

    kind: Kind
    words: tuple[str, ...] = ()
    fold: bool = False
    """Whether capitals and small letters are the same."""
    least: float | None = None
    most: float | None = None
    above: float | None = None
    """The exclusive lower bound."""
    other: ValueForm | None = None
    """An alternative form."""

    def takes(self, value: str) -> bool:
        """Return whether a value has this form."""
        return self._takes(value) or (self.other is not None and self.other.takes(value))

    def _takes(self, value: str) -> bool:
        if self.kind == "one":
            return self._has(value)
        if self.kind == "list":
            return all(self._has(part.strip()) for part in value.split(",") if part.strip())
        if self.kind == "number":
            number = read_decimal(value.strip())
            return number is not None and self._bounds(number)
        # With patterns, which most runs need not.
        from gpuspec.keys import readers

        match self.kind:
            case "whole" | "integer":
                return readers.is_integer(value) and self._bounds(readers.number(value))
            case "decimal":
                signed = read_signed(value)
                return signed is not None and self._bounds(signed)
            case "duration":
                seconds = readers.seconds(value)
                return seconds is not None and self._bounds(seconds)
            case "quantity":
                return readers.is_quantity(value)
            case "json":
                return readers.is_json(value, self.words[0])
            case "options":
                return readers.is_options(value)
            case "name":
                return readers.is_name(value)
            case "interfaces":
                return readers.is_interfaces(value, "prefixed" in self.words)
            case "release":
                return readers.is_release(value)

    def meant(self, value: str) -> str | None:
        """Return the accepted value that the user probably meant: another spelling, another yes or
        no."""
        folded = value.strip().casefold()
        for same in ({folded}, *(words for words in _SAME if folded in words)):
            for word in ("1", "0") if self.kind == "integer" else self.words:
                if word.casefold() in same and self.kind in ("one", "integer"):
                    return word
        return None

    def says(self) -> str:
        """Return the expected form in words: `a whole number from 1 to 5`."""
        return self._says() if self.other is None else f"{self._says()}, or {self.other.says()}"

    def _says(self) -> str:
        match self.kind:
            case "one" | "list":
                words = self._shown()
                listed = f"{', '.join(words[:-1])} or {words[-1]}" if words[1:] else words[0]
                return f"a list of {listed}" if self.kind == "list" else listed
            case "whole" | "decimal":
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
                return "`name:value` pairs, separated by commas"
            case "release":
                return "three numbers with dots, such as `10.3.0`"
            case "name":
                return "a name of lowercase letters, digits, `-` and `.`"
            case "interfaces":
                names = "names of network interfaces, separated by commas"
                return f"{names}, with `^` or `=` before the whole list" if self.words else names

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


def form_of(row: dict[Any, Any]) -> ValueForm:
    """Return the form in a row of a table: `{one: "a b"}`, `{whole: {least: 1}}`, `{json: array}`.

    The first key is the kind.
    """
    name, detail = next(iter(row.items()))
    if name == "go":
        return ValueForm("one", _GO_BOOLEANS)
    kind: Kind = name
    if isinstance(detail, dict):
        return ValueForm(kind, **detail)
    value_form = form_of(row["or"]) if "or" in row else None
    return ValueForm(kind, tuple(str(detail).split()), bool(row.get("fold")), other=value_form)
