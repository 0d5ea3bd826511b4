"""Which rules are wanted, by codes and beginnings of codes."""

from __future__ import annotations

from functools import cache

import msgspec

from gpuspec.settings.codes import means

FAMILY = "GPU"
ALWAYS = "GPU001"
"""What cannot be read is said whatever is selected, unless it is ignored by its code or name."""


class RuleSelection(msgspec.Struct, frozen=True):
    """Codes and beginnings of codes. Of two that speak of a rule the longer one counts, of two
    equal ones `ignore`."""

    select: tuple[str, ...] = (FAMILY,)
    ignore: tuple[str, ...] = ()

    def wants(self, code: str) -> bool:
        """Return whether a rule is wanted."""
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
