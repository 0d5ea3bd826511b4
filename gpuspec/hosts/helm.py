"""A post-renderer of Helm: it prints the manifests of a release, linted and, on request, fixed.

Depending on its version, Helm passes a release's hooks in the same stream, in a separate run, or
not at all: a run knows nothing of another, and may be empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from gpuspec import LintResult, Profile

Severity = Literal["error", "warning", "info"]
Fix = Literal["none", "safe", "all"]
"""The fixes to apply."""
NAME = "<stdin>"
_NOTHING = "# No manifests.\n"
"""Stands for empty output, which Helm takes for a failed post-renderer."""


class PostRendered(NamedTuple):
    """The result of a run."""

    out: str
    """The manifests: every byte outside of a fix is unchanged."""
    result: LintResult
    """The findings that remain."""
    gone: int
    """How many findings the fixes removed."""


def post_render(
    manifests: bytes,
    profile: Profile | None = None,
    severity: Severity = "info",
    fix: Fix = "none",
) -> PostRendered:
    """Lint manifests, and apply the requested fixes. Raises `InputError` like `lint_text`."""
    from gpuspec import lint_text, mend_text

    text = manifests.decode(errors="surrogateescape")
    if fix == "none":
        result = lint_text(manifests, NAME, profile=profile, severity=severity)
        return PostRendered(text if text.strip() else _NOTHING, result, 0)
    mended = mend_text(manifests, NAME, profile=profile, severity=severity, unsafe=fix == "all")
    _, text = mended.changed.get(NAME, ("", text))
    return PostRendered(text if text.strip() else _NOTHING, mended.result, mended.gone)
