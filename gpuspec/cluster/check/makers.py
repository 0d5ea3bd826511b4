"""Check what pods need for a vendor's devices besides requesting them."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.cluster.check.finding import CheckRemark, PoolAt


def device_groups(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield device files of groups on the node whose IDs the pool does not state."""
    files = hardware.pod_needs(at.model.vendor).files
    if files is not None and at.pool.gpu.groups is None:
        names = " ".join(files.groups)
        yield at.note(
            ("gpu",),
            f"it does not say which groups may open {' and '.join(files.names)}",
            "pods that are not root find no GPU there, unless anyone may open the files",
            f"write groups: [44, 109], as `getent group {names}` on a node shows; [] for anyone",
        )


def driver_pages(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield accelerators whose driver needs huge pages, in a pool without any."""
    needed = hardware.pod_needs(at.model.vendor).hugepages
    if needed is not None and at.pool.gpu.hugepages is None:
        yield at.note(
            ("gpu",),
            f"it lists no huge pages for {at.model.name}",
            f"{needed.why}, but pods request none",
            "write hugepages: 95000Mi, or what the nodes have as hugepages-2Mi",
        )
