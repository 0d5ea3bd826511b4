"""A spec or a cluster profile of gpuspec that does not hold. Found where it is parsed and rendered."""

from gpuspec.lint.model import Rule

RULE = Rule(
    "GPU002",
    "wrong-spec",
    "error",
    "A gpuspec document is invalid and cannot be rendered",
)
