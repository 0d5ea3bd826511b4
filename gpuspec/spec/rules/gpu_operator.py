"""Rules for the GPU Operator: driver versions, and the selection of a pool's nodes."""

from collections.abc import Iterator

from gpuspec.manifests import Path, dns_label
from gpuspec.numbers import read_version
from gpuspec.spec.pool_models import model_of
from gpuspec.spec.pools import Pool
from gpuspec.spec.profile import ClusterProfileSpec
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.devices import find
from gpuspec.spec.rules.violation import SpecViolation

OPERATOR = "gpu-operator"
# Whose labels come with the driver: it has to be there before GPU Feature Discovery sees a GPU.
LATE = "nvidia.com/"
# Since then one NVIDIADriver may be for the nodes that no other selects, and has its own upgrade
# policy. Source: NVIDIA/gpu-operator v26.7.0 api/nvidia/v1alpha1/nvidiadriver_types.go.
FALLBACK_SINCE = (26, 7)
# The operator labels nodes with the name of their NVIDIADriver, which is the pool's behind a prefix.
_LONGEST = 50
_FIELD: Path = ("spec", "gpuOperator")
_INSTALLED: Path = ("spec", "installed")


def problems(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for `gpuOperator`, and of drivers of pools."""
    yield from _makers(spec)
    if spec.gpu_operator is None:
        return
    if OPERATOR not in spec.installed:
        message = "`gpuOperator` needs the GPU Operator, which is not installed"
        hint = f'add installed: {{{OPERATOR}: "26.7"}} with its version'
        yield SpecViolation(message, _FIELD, hint, key=True, needs=(_INSTALLED,))
    driver = spec.gpu_operator.driver
    if driver.preinstalled:
        yield from _preinstalled(spec)
    elif any(pool.driver for pool in spec.pools):
        yield from _drivers(spec)


def nvidia_pools(spec: ClusterProfileSpec) -> list[Pool]:
    """Return the pools whose GPUs the operator manages, without those with an unknown model, which
    is reported elsewhere."""
    return [
        pool
        for pool in spec.pools
        if (pool.gpu.memory is not None or find(pool.gpu.model))
        and model_of(pool).vendor == "nvidia"
    ]


def stated_driver(spec: ClusterProfileSpec, pool: Pool) -> str | None:
    """Return the driver of a pool's nodes in the profile, or None."""
    if pool.driver is not None or pool not in nvidia_pools(spec):
        return pool.driver
    return spec.gpu_operator.driver.version if spec.gpu_operator is not None else None


def early_labels(pool: Pool) -> dict[str, str]:
    """Return the labels that a pool's nodes have before the driver is installed."""
    return {key: value for key, value in pool.labels.items() if not key.startswith(LATE)}


def has_fallback(spec: ClusterProfileSpec) -> bool:
    """Return whether one NVIDIADriver can be for all nodes that no other one selects."""
    return read_version(spec.installed.get(OPERATOR, ""))[:2] >= FALLBACK_SINCE


def driven(spec: ClusterProfileSpec) -> list[Pool]:
    """Return the pools that have an NVIDIADriver of their own."""
    pools = nvidia_pools(spec)
    with_driver = [pool for pool in pools if pool.driver]
    return with_driver if has_fallback(spec) or not with_driver else pools


def _makers(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    names = {pool.name for pool in nvidia_pools(spec)}
    for index, pool in enumerate(spec.pools):
        if pool.driver is not None and pool.name not in names:
            path = ("spec", "pools", index, "driver")
            yield SpecViolation(f"pool {pool.name} has no NVIDIA GPUs", path, "delete it", key=True)


def _preinstalled(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    assert spec.gpu_operator is not None
    driver, path = spec.gpu_operator.driver, (*_FIELD, "driver")
    if driver.version is not None:
        message = "nodes come with a driver, but a version is set for the operator to install"
        yield SpecViolation(message, (*path, "version"), "delete one of the two", key=True)


def _drivers(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    """Check that the nodes of each pool with its own driver can be distinguished from all others,
    and that all pools have a driver."""
    assert spec.gpu_operator is not None
    general, driven_pools = spec.gpu_operator.driver.version, driven(spec)
    pools = nvidia_pools(spec)
    for index, pool in enumerate(spec.pools):
        if pool not in pools:
            continue
        path: Path = ("spec", "pools", index)
        if pool.driver is None and general is None:
            message = f"other pools set `driver`, but pool {pool.name} does not"
            hint = "set gpuOperator: {driver: {version: …}} for pools without one"
            yield SpecViolation(message, path, hint, needs=(_FIELD, ("spec", "pools")))
        if pool in driven_pools:
            yield from _told_apart(spec, pool, path)


def _told_apart(spec: ClusterProfileSpec, pool: Pool, path: Path) -> Iterator[SpecViolation]:
    if (reason := dns_label(pool.name)) or len(pool.name) > _LONGEST:
        message = f"{shown(pool.name)} cannot name an NVIDIADriver: "
        message += reason or f"it has more than {_LONGEST} characters"
        yield SpecViolation(message, (*path, "name"), "give the pool such a name")
    labels = early_labels(pool)
    also = [
        nvidia_pool.name
        for nvidia_pool in nvidia_pools(spec)
        if nvidia_pool.name != pool.name and labels.items() <= early_labels(nvidia_pool).items()
    ]
    if also:
        message = (
            f"pool {pool.name} has its own driver, but no label that exists before the "
            f"driver distinguishes its nodes from those of {' and '.join(also)}"
        )
        hint = f"add a label that they lack, such as example.com/pool: {pool.name}"
        needs: tuple[Path, ...] = (("spec", "pools"),)
        yield SpecViolation(message, (*path, "labels") if pool.labels else path, hint, needs=needs)
