"""A suppression whose last day is over. Found where suppressions are applied."""

from gpuspec.lint.model import Rule

RULE = Rule(
    "GPU092",
    "expired-suppression",
    "warning",
    "A suppression has expired",
)
