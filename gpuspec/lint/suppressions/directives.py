"""The syntax of a suppression: rules, expiry date and reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec.lint.rule_names import understood, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

EXAMPLE = "# gpuspec: ignore[GPU203] why it is right here"
"""An example of a suppression."""
_COMMENT = re.compile(r"(ignore(?:-file)?)[ \t]*\[([^\]]*)\](.*)")
_UNTIL = re.compile(r"(?:^|\s)until=([^\s:;,]*)[:;,]?")


class MalformedDirective(msgspec.Struct, frozen=True):
    """An invalid suppression, which suppresses nothing."""

    message: str
    hint: str
    about: Literal["rules", "until"] = "rules"
    """The invalid part: the rules and the reason, or the date of `until=`."""


class Directive(msgspec.Struct, frozen=True):
    """Rules that are suppressed."""

    scope: Literal["here", "file"]
    codes: tuple[str, ...]
    """Codes or their prefixes, as written."""
    reason: str
    until: date | None
    """The last day on which it applies."""


def in_comment(text: str) -> Directive | MalformedDirective | None:
    """Parse a comment's text after `gpuspec:`. None if it is not a suppression."""
    match = _COMMENT.fullmatch(text)
    if match is not None:
        rest, until = _dated(match[3])
        scope: Literal["here", "file"] = "file" if match[1] == "ignore-file" else "here"
        return _directive(scope, match[2], until, rest)
    word = re.match(r"([A-Za-z-]+)[ \t]*(\[?)", text)
    if word is not None and word[1] in ("ignore", "ignore-file"):
        return MalformedDirective(
            "the suppression names no rules in brackets", f"write `{EXAMPLE}`"
        )
    if word is not None and word[2]:
        return MalformedDirective(f"`{word[1]}` is not a suppression", f"write `{EXAMPLE}`")
    return None


def in_annotation(text: str) -> Iterator[Directive | MalformedDirective]:
    """Parse an annotation's text: suppressions separated by semicolons."""
    for part in filter(None, (item.strip() for item in text.split(";"))):
        head, _, reason = part.partition(":")
        names, until = _dated(head)
        yield _directive("here", names, until, reason)


def _dated(text: str) -> tuple[str, str | None]:
    """Return a text without its `until=`, and the value of that."""
    match = _UNTIL.search(text)
    if match is None:
        return text, None
    return f"{text[: match.start()]} {text[match.end() :]}", match[1]


def _directive(
    scope: Literal["here", "file"], names: str, until: str | None, rest: str
) -> Directive | MalformedDirective:
    codes, unknown_names = understood(re.split(r"[\s,]+", names.strip(" \t,")))
    if unknown_names:
        if unknown_names == ("",):
            return MalformedDirective(
                "nothing is suppressed: the suppression names no rule", f"write `{EXAMPLE}`"
            )
        message, hint = unknown(unknown_names[0])
        return MalformedDirective(f"nothing is suppressed: {message}", hint)
    day = _day(until) if until is not None else None
    if until is not None and day is None:
        hint = "write the last day as `until=2027-03-01`"
        return MalformedDirective(f"`until={until}` is not a date", hint, "until")
    reason = rest.strip().lstrip(":-– \t")
    if not reason:
        listed = ", ".join(codes)
        hint = "write the reason after the rules, for the next reader"
        return MalformedDirective(
            f"the suppression of `{listed}` gives no reason, so it does not apply", hint
        )
    return Directive(scope, codes, reason, day)


def _day(text: str) -> date | None:
    # Few suppressions end.
    from datetime import date

    try:
        return (
            date.fromisoformat(text) if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else None
        )
    except ValueError:
        return None
