"""A suppression without a reason, or with a mistake. Found where suppressions are applied."""

from gpuspec.lint.model import Rule

RULE = Rule(
    "GPU093",
    "malformed-suppression",
    "warning",
    "A suppression gives no reason, or cannot be understood",
)
