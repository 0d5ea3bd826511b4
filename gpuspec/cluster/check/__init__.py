"""Check a profile for contradictions, and for workloads that its pools cannot run."""

from gpuspec.cluster.check.finding import ProfileFinding
from gpuspec.cluster.check.run import CLUSTER_CHECKS, POOL_CHECKS, check_profile

__all__ = ["CLUSTER_CHECKS", "POOL_CHECKS", "ProfileFinding", "check_profile"]
