"""A good spec that the cluster profile cannot carry. Found where it is rendered."""

from gpuspec.lint.model import Rule

RULE = Rule(
    "GPU003",
    "refused-spec",
    "error",
    "A workload cannot run on the cluster that the profile describes",
)
