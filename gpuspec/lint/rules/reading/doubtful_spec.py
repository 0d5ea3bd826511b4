"""A spec that is rendered although it contradicts itself or known facts. Rendering finds it."""

from gpuspec.lint.model import Rule

RULE = Rule(
    "GPU923",
    "doubtful-spec",
    "warning",
    "A spec contradicts known facts about its model or its clusters",
)
