"""Profiles: built in, from live nodes, and what the platform needs to agree with them."""

from gpuspec.cluster.presets import GENERIC, preset, preset_names

__all__ = ["GENERIC", "preset", "preset_names"]
