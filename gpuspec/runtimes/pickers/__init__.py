"""Endpoint pickers: what they are told, what they read, and whose metrics they know."""

from gpuspec.runtimes.pickers.load import DATA, engine_of, program_of, programs
from gpuspec.runtimes.pickers.model import Engine, Program

__all__ = ["DATA", "Engine", "Program", "engine_of", "program_of", "programs"]
