"""Local disks of the nodes: which volumes use them, and whether a pool has them."""

from collections.abc import Iterator

from gpuspec.manifests import Path
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.spec import Pool, WorkloadSpec
from gpuspec.spec.storage import LocalDisk


def wanted(spec: WorkloadSpec) -> bool:
    """Return whether a volume uses a local disk."""
    return _scratch(spec) or any(folders(spec))


def folders(spec: WorkloadSpec) -> Iterator[Path]:
    """Yield the paths in the spec of volumes on a pool's local disk."""
    if spec.caches is not None and spec.caches.local_disk:
        yield ("spec", "caches", "localDisk")
    for index, volume in enumerate(spec.volumes):
        if volume.local_disk and volume.size is None:
            yield ("spec", "volumes", index, "localDisk")


def folder(resolution: Resolution) -> str:
    """Return the folder of the local disk in the first chosen pool, with which all chosen pools
    agree."""
    disk = resolution.pools[0].pool.local_disk
    assert isinstance(disk, LocalDisk)  # see misfit
    return disk.path


def misfit(spec: WorkloadSpec, pool: Pool) -> str | None:
    """Return why a pool lacks the local disk, or None if it has it."""
    disk = pool.local_disk
    if _scratch(spec) and disk is not True:
        return "the profile does not say that its ephemeral storage is on local disks (localDisk)"
    if any(folders(spec)) and not isinstance(disk, LocalDisk):
        return "the profile does not say where local disks are mounted (localDisk.path)"
    return None


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return a refusal for a local disk without a known pool."""
    if resolution.pools or not wanted(resolution.spec):
        return []
    path = next(folders(resolution.spec), ("spec", "volumes"))
    return [
        RefusalReason(
            "no known pool has nodes with fast local disks",
            resolution.workload.place(path),
            "write it in a profile with pools: localDisk: true, or localDisk: {path: /mnt/nvme}",
        )
    ]


def _scratch(spec: WorkloadSpec) -> bool:
    return any(volume.local_disk and volume.size is not None for volume in spec.volumes)
