"""A spec that is rendered, and contradicts itself or what is known. Found where it is rendered."""

from gpuspec.lint.model import Rule

RULE = Rule(
    "GPU923",
    "doubtful-spec",
    "warning",
    "A spec contradicts known facts about its model or its clusters",
)
