"""The command line: one file per command, parsing and printing only."""

from gpuspec.cli.app import main

__all__ = ["main"]
