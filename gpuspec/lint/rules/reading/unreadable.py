"""A document or a file that cannot be read. Found where text is read."""

from gpuspec.lint.model import Rule

RULE = Rule(
    "GPU001",
    "unreadable",
    "error",
    "A document cannot be parsed",
)
