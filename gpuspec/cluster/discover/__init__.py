"""A profile from live nodes: what `kubectl get nodes -o json` tells of a cluster."""

from gpuspec.cluster.discover.run import Discovery, Survey, discover, survey

__all__ = ["Discovery", "Survey", "discover", "survey"]
