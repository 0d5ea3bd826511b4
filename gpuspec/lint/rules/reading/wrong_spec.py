"""An invalid gpuspec spec or cluster profile. Parsing and rendering find it."""

from gpuspec.lint.model import Rule

RULE = Rule(
    "GPU002",
    "wrong-spec",
    "error",
    "A gpuspec document is invalid and cannot be rendered",
)
