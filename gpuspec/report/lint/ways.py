"""The reader's next steps, with the options of the program that runs the linter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.settings.severity import Severity


class Ways(msgspec.Struct, frozen=True):
    """Options and settings that a report names."""

    fixes: tuple[str, str] | None = ("--fix", "--unsafe-fixes")
    """The options for safe fixes and for all fixes; None if the program makes no fixes."""
    infos: str = "--severity info"
    """The option that shows infos."""


WAYS = Ways()
"""The options of `gpuspec lint`."""
FULL = "--format full"
"""The option that shows all details of a finding."""


def shown_from(
    severity: Severity | None, fail_on: Severity, select: Sequence[str] = ()
) -> Severity:
    """Return the lowest severity in the text format: infos if the user asks for infos or for
    certain rules."""
    return "info" if severity is not None or fail_on == "info" or select else "warning"
