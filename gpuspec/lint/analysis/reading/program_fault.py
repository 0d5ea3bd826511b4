"""A fault of a program's configuration file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.settings.severity import Severity


class ProgramFault(msgspec.Struct, frozen=True):
    """Values of a file that its program rejects together."""

    path: Path
    """Inside of the file."""
    says: str
    note: str
    severity: Severity | None = None
