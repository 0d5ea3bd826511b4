"""Cluster profiles: the built-in ones, those from live nodes, and the platform objects that they
need."""

from gpuspec.cluster.presets import GENERIC, preset, preset_names

__all__ = ["GENERIC", "preset", "preset_names"]
