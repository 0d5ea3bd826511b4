"""What a reader can do next, in the words of whoever runs the linter, and what he asked to see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.settings.severity import Severity


class Ways(msgspec.Struct, frozen=True):
    """Options and settings that a report names."""

    fixes: tuple[str, str] | None = ("--fix", "--unsafe-fixes")
    """What makes the safe fixes, and what makes all of them; None where nothing does."""
    infos: str = "--severity info"
    """What shows infos."""


WAYS = Ways()
"""Those of `gpuspec lint`."""
FULL = "--format full"
"""The option that shows all that is known of a finding."""


def shown_from(
    severity: Severity | None, fail_on: Severity, select: Sequence[str] = ()
) -> Severity:
    """Return the softest findings that text shows: infos for whoever asks for them, or for some
    rules."""
    return "info" if severity is not None or fail_on == "info" or select else "warning"
