"""Rules for sharing a GPU with other workloads."""

from typing import Literal

from gpuspec import runtimes
from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.inference import InferenceSpec
from gpuspec.spec.jobs import TrainingFields
from gpuspec.spec.together import pods_together, together_field

Mode = Literal["mps", "time-slicing"]


def sharing_objection(spec: WorkloadSpec, mode: Mode) -> tuple[str, str] | None:
    """Return why a workload should not share a GPU in this mode, and the alternative; None if it
    may.

    There are no such rules for MIG, whose slices are isolated in hardware.
    """
    if spec.tenancy == "untrusted":
        risk = "a fault in one stops the others" if mode == "mps" else "tenants are not isolated"
        return f"{risk}, but its tenancy is untrusted", "a MIG slice or whole GPUs"
    if isinstance(spec, TrainingFields):
        return "training uses a whole GPU, and neighbours stall it", "a MIG slice or whole GPUs"
    if not isinstance(spec, InferenceSpec):
        return None
    if spec.latency == "strict":
        return (
            "neighbours delay it, but its latency is strict",
            "latency: relaxed, a MIG slice or whole GPUs",
        )
    runtime = runtimes.get(spec.runtime)
    if mode == "time-slicing" and runtime.gpu_memory.greedy:
        return (
            f"{runtime.title} fills the memory it sees, and nothing limits it to its share",
            "MPS, a MIG slice or whole GPUs",
        )
    return None


def takes_whole(spec: WorkloadSpec) -> tuple[str, str] | None:
    """Return why a workload gets whole GPUs only, and how to allow shares; None if it may get one."""
    gpu = spec.gpu
    if gpu.count > 1:
        return f"several shares do not add up to {gpu.count} GPUs", "set gpu.count: 1"
    if gpu.interconnect != "any":
        return f"no share has {gpu.interconnect}", "delete gpu.interconnect"
    pods, field = pods_together(spec), together_field(spec)
    if field and pods > 1:
        return f"NCCL does not connect {pods} {field} across shares", f"use one {field[:-1]}"
    if gpu.memory is None:
        return "the workload does not set gpu.memory", "set what it needs"
    return None
