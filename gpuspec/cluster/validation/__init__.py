"""Jobs that prove the nodes of each pool before work comes to them."""

from gpuspec.cluster.validation.jobs import validation_jobs

__all__ = ["validation_jobs"]
