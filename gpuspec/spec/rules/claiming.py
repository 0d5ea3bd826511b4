"""Rules for pools whose GPUs a DRA driver allocates: the limits of drivers and of Kubernetes
versions."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.hardware import GpuModel
from gpuspec.manifests import Path
from gpuspec.numbers import read_version
from gpuspec.spec.pools import Pool
from gpuspec.spec.profile import ClusterProfileSpec
from gpuspec.spec.rules.violation import SpecViolation

# `resource.k8s.io/v1` is served since 1.34; the scheduler makes claims of extended resources without a
# feature gate that somebody switches on since 1.36.
SINCE = {"claim": "1.34", "extended-resource": "1.36"}
NVIDIA = "nvidia"


def problems(pool: Pool, model: GpuModel | None, path: Path) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a pool; `model` is None if the pool's model is invalid."""
    where, needs = (*path, "gpu", "dra"), ((*path, "gpu"), (*path, "sharing"))
    if pool.compute_domains and model is not None and model.vendor != NVIDIA:
        message = f"ComputeDomains need NVIDIA's driver, but the pool's GPU is {model.name}"
        yield SpecViolation(message, (*path, "computeDomains"), "delete it", needs=needs)
    if pool.gpu.dra is None:
        return
    if pool.sharing is not None and pool.sharing.mode != "mig":
        yield SpecViolation(
            f"{pool.sharing.mode} across workloads needs a device plugin: a claim belongs "
            "to one workload",
            (*path, "sharing", "mode"),
            "write mode: mig, or delete `sharing` or `gpu.dra`",
            needs=needs,
        )
    if pool.gpu.dra.device_class is not None and pool.gpu.dra.by != "claim":
        message = (
            "`deviceClass` is only for claims: for an extended resource the class follows "
            "from its name"
        )
        yield SpecViolation(message, (*where, "deviceClass"), "delete it", key=True, needs=needs)
    if model is not None and hardware.claim_driver(model.vendor) is None:
        makers = [
            maker.title for maker in hardware.vendors() if maker.name in hardware.claim_drivers()
        ]
        message = f"no DRA driver of {model.name} is known"
        hint = f"delete it; there are drivers for GPUs of {', '.join(makers)}"
        yield SpecViolation(message, where, hint, needs=needs)


def versions(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    """Yield pools whose devices the cluster's Kubernetes version cannot allocate by claims."""
    for index, pool in enumerate(spec.pools):
        path: Path = ("spec", "pools", index)
        if pool.gpu.dra is not None:
            by, at = pool.gpu.dra.by, (*path, "gpu", "dra", "by")
        elif pool.compute_domains:
            by, at = "claim", (*path, "computeDomains")
        else:
            continue
        since = SINCE[by]
        if read_version(spec.kubernetes) < read_version(since):
            request = "a claim" if by == "claim" else "an extended resource backed by a DeviceClass"
            yield SpecViolation(
                f"{request} needs Kubernetes {since}, but this is {spec.kubernetes}",
                at,
                "delete it: then a device plugin allocates the GPUs",
                needs=(("spec", "kubernetes"),),
            )
