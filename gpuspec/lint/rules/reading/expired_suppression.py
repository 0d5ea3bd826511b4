"""A suppression whose last day is over. Found where suppressions are applied."""

from gpuspec.lint.model import Rule

RULE = Rule(
    "GPU092",
    "expired-suppression",
    "warning",
    "The last day of a suppression is over",
)
