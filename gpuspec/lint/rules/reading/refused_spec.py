"""A valid spec that cannot run on the cluster profile. Rendering finds it."""

from gpuspec.lint.model import Rule

RULE = Rule(
    "GPU003",
    "refused-spec",
    "error",
    "A workload cannot run on the cluster that the profile describes",
)
