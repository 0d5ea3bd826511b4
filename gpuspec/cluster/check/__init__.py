"""The check of a profile: contradictions in it, and what its pools cannot carry."""

from gpuspec.cluster.check.finding import ProfileFinding
from gpuspec.cluster.check.run import CLUSTER_CHECKS, POOL_CHECKS, check_profile

__all__ = ["CLUSTER_CHECKS", "POOL_CHECKS", "ProfileFinding", "check_profile"]
