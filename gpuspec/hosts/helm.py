"""A post-renderer of Helm: the manifests of a release in, the same out, linted and, on request, fixed.

By version Helm hands over a release's hooks in the same stream, in a run of their own, or not at all: a
run knows nothing of another, and may hold nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from gpuspec import LintResult, Profile

Severity = Literal["error", "warning", "info"]
Fix = Literal["none", "safe", "all"]
"""Which fixes are made."""
NAME = "<stdin>"
_NOTHING = "# No manifests.\n"
"""In the place of no text at all, which Helm takes for a post-renderer that has failed."""


class PostRendered(NamedTuple):
    """What a run comes to."""

    out: str
    """The manifests: every byte that no fix has changed is as it was."""
    result: LintResult
    """What is found in them, fixed as they are."""
    gone: int
    """How many findings there were that are none any more."""


def post_render(
    manifests: bytes,
    profile: Profile | None = None,
    severity: Severity = "info",
    fix: Fix = "none",
) -> PostRendered:
    """Lint manifests, and make the fixes that are wanted. Raises `InputError` as `lint_text` does."""
    from gpuspec import lint_text, mend_text

    text = manifests.decode(errors="surrogateescape")
    if fix == "none":
        result = lint_text(manifests, NAME, profile=profile, severity=severity)
        return PostRendered(text if text.strip() else _NOTHING, result, 0)
    mended = mend_text(manifests, NAME, profile=profile, severity=severity, unsafe=fix == "all")
    _, text = mended.changed.get(NAME, ("", text))
    return PostRendered(text if text.strip() else _NOTHING, mended.result, mended.gone)
