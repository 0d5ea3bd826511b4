"""The rules that a word selects: `GPU4`, `GPU203`, `request-differs-from-limit`."""

from __future__ import annotations

import re
from bisect import bisect
from functools import cache
from typing import TYPE_CHECKING

from gpuspec.lint.registry import rules
from gpuspec.lint.rows import ROWS
from gpuspec.settings.codes import FORMER, current, means
from gpuspec.settings.selection import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterable


def codes_of(word: str) -> tuple[str, ...]:
    """Return the code or the prefix of codes that a word selects; empty for none."""
    code = word.strip().upper()
    if code.startswith(FAMILY) and any(means(code, row.code) for row in ROWS):
        return (current(code),)
    return tuple(filter(None, [_named(word)]))


def chosen(words: Iterable[str]) -> tuple[str, ...]:
    """Return the codes that words select; a word may contain several, separated by commas.

    Raises `InputError` for words that select no rule.
    """
    codes, wrong = understood(part for word in words for part in word.split(","))
    if wrong:
        from gpuspec.manifests import InputError, Problem

        raise InputError([Problem(message, hint=hint) for message, hint in map(unknown, wrong)])
    return codes


def one(word: str) -> str:
    """Return the code of one rule. Raises `InputError` for a word that selects none, or several."""
    code = current(word.strip().upper())
    if any(row.code == code for row in ROWS):
        return code
    rule_code = _named(word)
    if rule_code is None:
        from gpuspec.manifests import InputError, Problem

        message, hint = _several(word) or unknown(word)
        raise InputError([Problem(message, hint=hint)])
    return rule_code


def understood(words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the codes that words select, and the words that select none."""
    codes: list[str] = []
    wrong: list[str] = []
    for word in words:
        rule_codes = codes_of(word)
        codes += rule_codes
        if not rule_codes:
            wrong.append(word)
    return tuple(codes), tuple(wrong)


def unknown(word: str) -> tuple[str, str]:
    """Return message and hint for a word that selects no rule."""
    from gpuspec.escaping.meant import did_you_mean
    from gpuspec.spec.quoting import shown

    words = [*(row.code for row in ROWS), *_by_name()]
    code = f"{FAMILY}{word.strip()}"
    hint = (
        _nearest_codes(word)
        or did_you_mean(code if code in words else word, words, 0.7)
        or "see `gpuspec rules` for all of them"
    )
    return f"no rule {shown(word)}", hint


def _nearest_codes(word: str) -> str | None:
    """Return the codes before and after an unused one; None for any other word."""
    code = word.strip().upper()
    if not re.fullmatch(f"{FAMILY}[0-9]{{3}}", code):
        return None
    codes = [row.code for row in ROWS]
    at = bisect(codes, code)
    near = codes[max(at - 1, 0) : at + 1]
    return f"the nearest {'codes are' if len(near) > 1 else 'code is'} {' and '.join(near)}"


def _several(word: str) -> tuple[str, str] | None:
    """Return message and hint for a prefix of several codes where one rule is required."""
    codes = [row.code for row in ROWS for code in codes_of(word) if means(code, row.code)]
    if not codes:
        return None
    from gpuspec.spec.quoting import shown

    return f"{shown(word)} begins {len(codes)} codes", f"name one: {codes[0]} to {codes[-1]}"


def _named(word: str) -> str | None:
    """Return the code of the rule with a name, current or former."""
    name = word.strip().lower()
    had = (former.into for former in FORMER.values() if former.name == name)
    return next(had, None) or _by_name().get(name)


@cache
def _by_name() -> dict[str, str]:
    # Names are in the rules' modules, which are many.
    return {rule.name: rule.code for rule in rules()}
