"""Derive a profile from live nodes: the output of `kubectl get nodes -o json`."""

from gpuspec.cluster.discover.input import read_inventory
from gpuspec.cluster.discover.notes import about_others
from gpuspec.cluster.discover.run import Discovery, Survey, discover, survey

__all__ = ["Discovery", "Survey", "about_others", "discover", "read_inventory", "survey"]
