"""The selection of rules, by codes and beginnings of codes."""

from __future__ import annotations

from functools import cache

import msgspec

from gpuspec.settings.codes import means

FAMILY = "GPU"
ALWAYS = "GPU001"
"""Rules for unreadable input, which always run unless they are ignored by code or name."""


class RuleSelection(msgspec.Struct, frozen=True):
    """Codes and beginnings of codes. If two match a rule, the longer one counts; if they are equal,
    `ignore` does.
    """

    select: tuple[str, ...] = (FAMILY,)
    ignore: tuple[str, ...] = ()

    def wants(self, code: str) -> bool:
        """Return whether a rule is selected."""
        return _wanted(code, self.select, self.ignore)

    def with_more(self, select: tuple[str, ...], ignore: tuple[str, ...]) -> RuleSelection:
        """Add rules to select and to ignore."""
        return RuleSelection((*self.select, *select), (*self.ignore, *ignore))


@cache
def _wanted(code: str, select: tuple[str, ...], ignore: tuple[str, ...]) -> bool:
    # It is asked for each finding.
    if code == ALWAYS:
        return code not in ignore
    return _longest(code, select) > _longest(code, ignore)


def _longest(code: str, beginnings: tuple[str, ...]) -> int:
    return max((len(beginning) for beginning in beginnings if means(beginning, code)), default=0)
