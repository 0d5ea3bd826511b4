"""Spark operator. Sources: its CRDs, whose drivers and executors request `cores`, `memory` and
`gpu`."""

from gpuspec.kinds.model import Kind

GROUP = "sparkoperator.k8s.io"

KINDS = tuple(
    Kind(GROUP, name, "workload", life="finite", own_devices=True)
    for name in ("SparkApplication", "ScheduledSparkApplication", "SparkConnect")
)
