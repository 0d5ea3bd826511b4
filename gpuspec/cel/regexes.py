"""RE2 regular expressions, which the API server uses, translated for Python's `re`.

A pattern that both accept has the same matches. RE2 has no look-around, backreferences or
possessive quantifiers, so they are rejected here too; its classes such as `\\d` match ASCII only,
`$` matches only the very end, and a flag may stand anywhere.
"""

from __future__ import annotations

import re
from functools import cache

from gpuspec.cel.values import Failure, UnknownResult
from gpuspec.numbers import of_digits

_SPACE = "\\t\\n\\f\\r "
_CLASSES = {"d": "0-9", "s": _SPACE, "w": "0-9A-Za-z_"}
_NAMED = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": "\\x00-\\x7f",
    "blank": "\\t ",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\t\\n\\v\\f\\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_PLAIN = frozenset("afnrtv")
_MOST = 1000
_GROUP = re.compile(
    r"\(\?(?:P?<(?P<name>[A-Za-z_]\w*)>|(?P<flags>[imsU]*(?:-[imsU]+)?)(?P<end>[:)]))"
)
_REPEAT = re.compile(r"[*+?]|\{([0-9]+)(?:,([0-9]*))?\}")
_HEX = re.compile(r"x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile an RE2 pattern with `re`. Raises `Failure` if RE2 rejects it."""
    try:
        return re.compile(_Translation(pattern).whole())
    except (re.error, ValueError, OverflowError) as error:
        raise Failure(f"error parsing regexp: {error}") from None


class _Translation:
    """Translates a pattern in one pass."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._made: list[str] = []
        self._groups: list[tuple[str, int, str]] = [("", 0, "")]
        """For the pattern and each open group: the closing text, the number of groups opened in it
        for flags, and the flags outside it."""
        self._flags = ""

    def whole(self) -> str:
        """Return the whole pattern in Python's syntax."""
        repeats = False
        while self._at < len(self._pattern):
            match = _REPEAT.match(self._pattern, self._at)
            if match:
                self._repeat(match, repeats)
                repeats = True
                continue
            repeats = False
            self._step(self._pattern[self._at])
        if len(self._groups) > 1:
            raise re.error("missing closing )")
        return "".join(self._made) + ")" * self._groups[0][1]

    def _step(self, sign: str) -> None:
        match sign:
            case "\\":
                self._made.append(self._escape())
            case "[":
                self._made.append(self._set())
            case "(":
                self._open()
            case ")":
                self._close()
            case "$" if "m" not in self._flags:
                self._made.append("\\Z")
                self._at += 1
            case "|":
                _, count, _ = self._groups[-1]
                self._made.append(")" * count + "|" + f"(?{self._flags.replace('U', '')}:" * count)
                self._at += 1
            case "^" | "." | "$":
                self._made.append(sign)
                self._at += 1
            case _:
                self._made.append(re.escape(sign))
                self._at += 1

    def _repeat(self, match: re.Match[str], repeats: bool) -> None:
        least, most = match.groups()
        if least is not None and max(of_digits(least), of_digits(most or "0")) > _MOST:
            raise re.error("invalid repeat count")
        self._at = match.end()
        text = match.group()
        if repeats:
            raise re.error("invalid nested repetition operator")
        lazy = self._pattern[self._at : self._at + 1] == "?"
        self._at += lazy
        self._made.append(text + ("?" if lazy != ("U" in self._flags) else ""))

    def _open(self) -> None:
        if not self._pattern.startswith("(?", self._at):
            self._at += 1
            self._groups.append((")", 0, self._flags))
            self._made.append("(")
            return
        match = _GROUP.match(self._pattern, self._at)
        if match is None:
            raise re.error("invalid or unsupported Perl syntax")
        self._at = match.end()
        if match["name"]:
            self._groups.append((")", 0, self._flags))
            self._made.append(f"(?P<{match['name']}>")
            return
        if match["end"] == ")":
            # For the rest of the group around it.
            end, count, outside = self._groups[-1]
            self._groups[-1] = (end, count + 1, outside)
        else:
            self._groups.append((")", 0, self._flags))
        self._made.append(self._flagged(match["flags"]))

    def _flagged(self, flags: str) -> str:
        on, _, off = flags.partition("-")
        self._flags = "".join(sorted((set(self._flags) | set(on)) - set(off)))
        off = off.replace("U", "")
        return f"(?{on.replace('U', '')}{'-' + off if off else ''}:"

    def _close(self) -> None:
        if len(self._groups) == 1:
            raise re.error("unexpected )")
        end, count, self._flags = self._groups.pop()
        self._made.append(")" * count + end)
        self._at += 1

    def _escape(self, *, in_set: bool = False) -> str:
        """Translate an escape sequence."""
        sign = self._pattern[self._at + 1 : self._at + 2]
        if match := _HEX.match(self._pattern, self._at + 1):
            self._at = match.end()
            return re.escape(chr(of_digits(match[1] or match[2], 16)))
        self._at += 2
        if sign in _PLAIN and sign:
            return f"\\{sign}"
        if sign.lower() in _CLASSES and sign:
            return self._class(_CLASSES[sign.lower()], sign.isupper(), in_set)
        if not in_set and sign and sign in "AzbBQ":
            return self._place(sign)
        if sign and sign.isascii() and not sign.isalnum():
            return re.escape(sign)
        if sign and sign in "pPC":
            raise UnknownResult(f"the class `\\{sign}`")
        if sign == "0" or (sign and sign in "1234567" and self._octal()):
            return self._digits(sign)
        raise re.error(f"invalid escape sequence `\\{sign}`")

    def _place(self, sign: str) -> str:
        if sign in "Az":
            return "\\A" if sign == "A" else "\\Z"
        if sign in "bB":
            return f"(?a:\\{sign})"
        end = self._pattern.find("\\E", self._at)
        text = self._pattern[self._at : end if end >= 0 else None]
        self._at = end + 2 if end >= 0 else len(self._pattern)
        return re.escape(text)

    def _octal(self) -> bool:
        return self._pattern[self._at : self._at + 1] in tuple("01234567")

    def _digits(self, sign: str) -> str:
        while len(sign) < 3 and self._octal():
            sign += self._pattern[self._at]
            self._at += 1
        return re.escape(chr(of_digits(sign, 8)))

    def _class(self, content: str, outside: bool, in_set: bool) -> str:
        if not in_set:
            return f"[{'^' if outside else ''}{content}]"
        return _others(content) if outside else content

    def _set(self) -> str:
        """Translate a character class: `[^a-z[:digit:]]`."""
        self._at += 1
        pattern = "["
        if self._pattern.startswith("^", self._at):
            self._at += 1
            pattern += "^"
        first = True
        while True:
            sign = self._pattern[self._at : self._at + 1]
            if not sign:
                raise re.error("missing closing ]")
            if sign == "]" and not first:
                self._at += 1
                return pattern + "]"
            first = False
            if match := re.match(r"\[:(\^?)(\w+):\]", self._pattern[self._at :]):
                if match[2] not in _NAMED:
                    raise re.error("invalid character class range")
                self._at += match.end()
                pattern += _others(_NAMED[match[2]]) if match[1] else _NAMED[match[2]]
            elif sign == "\\":
                pattern += self._escape(in_set=True)
            else:
                self._at += 1
                pattern += sign if sign == "-" else re.escape(sign)


def _others(content: str) -> str:
    """Return the complement of a class's content, as content of a class."""
    inside = re.compile(f"[{content}]")
    ranges, start = [], None
    for code in range(129):
        out = code < 128 and not inside.match(chr(code))
        if out and start is None:
            start = code
        elif not out and start is not None:
            ranges.append(f"\\x{start:02x}-\\x{code - 1:02x}")
            start = None
    return "".join(ranges) + "\\x80-\\U0010ffff"
