"""A suppression without a reason, or with a mistake. Found where suppressions are applied."""

from gpuspec.lint.model import Rule

RULE = Rule(
    "GPU093",
    "malformed-suppression",
    "warning",
    "A suppression has no reason or is malformed",
)
