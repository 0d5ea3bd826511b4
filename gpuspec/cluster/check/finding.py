"""The types of a check: its remarks, and the pool that it checks."""

from typing import Literal

import msgspec

from gpuspec.cluster.same_nodes import may_share_nodes
from gpuspec.hardware import GpuModel
from gpuspec.manifests import Path, Place, format_path
from gpuspec.plan import DeviceOption, device_options
from gpuspec.spec import ClusterProfileSpec, Pool

Severity = Literal["error", "note"]


class CheckRemark(msgspec.Struct, frozen=True):
    """One remark of a check, without file and line.

    `error`: two parts of the profile cannot both be true, or something cannot work. `note`:
    workloads that the pools cannot run, or a likely problem. `path` is the place in the document.
    """

    severity: Severity
    path: Path
    message: str
    why: str
    fix: str


class ProfileFinding(msgspec.Struct, frozen=True):
    """A remark with the check that made it and its place in the file; None for a built-in profile."""

    check: str
    severity: Severity
    message: str
    why: str
    fix: str
    path: Path
    place: Place | None

    @property
    def written_path(self) -> str:
        """The path as users write it: `spec.pools[0].gpu.count`."""
        return format_path(self.path)


class PoolAt(msgspec.Struct, frozen=True):
    """A pool of a profile, its model, and its place."""

    spec: ClusterProfileSpec
    pool: Pool
    model: GpuModel
    index: int

    def path(self, *rest: str | int) -> Path:
        """Return a path within the pool."""
        return ("spec", "pools", self.index, *rest)

    def error(self, rest: Path, message: str, why: str, fix: str) -> CheckRemark:
        """Return an error at a path within the pool."""
        return CheckRemark("error", self.path(*rest), f"pool {self.pool.name}: {message}", why, fix)

    def note(self, rest: Path, message: str, why: str, fix: str) -> CheckRemark:
        """Return a note at a path within the pool."""
        return CheckRemark("note", self.path(*rest), f"pool {self.pool.name}: {message}", why, fix)

    def device_options(self) -> tuple[DeviceOption, ...]:
        """Return the device options of the pool's nodes."""
        return device_options(self.pool, self.model)

    def beside(self) -> int:
        """Return the GPUs of other pools that may be parts of the same nodes, because no label
        distinguishes them."""
        return sum(
            pool.gpu.count
            for pool in self.spec.pools
            if pool is not self.pool and may_share_nodes(self.pool, pool)
        )
