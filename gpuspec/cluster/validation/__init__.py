"""Jobs that test the nodes of each pool before workloads run there."""

from gpuspec.cluster.validation.jobs import validation_jobs

__all__ = ["validation_jobs"]
