"""The targets: one file for each API that carries workloads, imported when it is chosen."""

from gpuspec.targets.choose import choose

__all__ = ["choose"]
