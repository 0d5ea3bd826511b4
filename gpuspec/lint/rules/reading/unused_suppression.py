"""A suppression that waves nothing through. Found where suppressions are applied."""

from gpuspec.lint.model import Rule

RULE = Rule(
    "GPU091",
    "unused-suppression",
    "warning",
    "A suppression matches no finding",
)
