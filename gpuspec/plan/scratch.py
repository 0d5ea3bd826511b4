"""The writable places of a pod with a read-only root file system, and their disk space."""

import math
from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.plan.cache_places import place
from gpuspec.plan.devices import maker
from gpuspec.plan.hub import downloads, hub_data, keeps_downloads
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.wording import GIB, MIB, up
from gpuspec.spec.layout import HOME

# /tmp for compilers and unpacked archives: CUDA's and Triton's builds stay below a GiB per process.
TMP_SIZE = 4 * GIB
# What the image's processes may write to standard output before the kubelet rotates it (10Mi × 5
# files for each container by default), with room for a chatty one.
LOGS = 1 * GIB
# A download needs room for files in progress beside the finished ones.
DOWNLOAD_MARGIN = 10


def caches(resolution: Resolution) -> Iterator[tuple[str, runtimes.Cache, str]]:
    """Yield every cache of the pod with a variable: the table's name, the cache, and its place."""
    for table, cache_table in (
        ("common", runtimes.common().caches),
        (resolution.runtime.name, resolution.runtime.caches),
    ):
        for cache in cache_table:
            if cache.python and not resolution.runtime.python:
                continue
            if cache.vendor not in (None, maker(resolution)):
                continue
            yield table, cache, place(resolution, cache)


def tmp_size(resolution: Resolution) -> int:
    """Return the size limit of /tmp in bytes."""
    return _capped(resolution, TMP_SIZE)


def home_size(resolution: Resolution) -> int:
    """Return the size limit of the home in bytes: every cache, and downloaded weights that no claim
    keeps."""
    elsewhere = resolution.spec.caches is not None
    cache_sizes = [
        cache.mib for _, cache, at in caches(resolution) if not elsewhere or _is_home(at)
    ]
    size = sum(cache_sizes) * MIB + _download(resolution)
    return _capped(resolution, -(-size // GIB) * GIB)


def disk(resolution: Resolution) -> tuple[int, str]:
    """Return the local disk space of the main container in bytes, with its arithmetic in words."""
    declared = sum(
        math.floor(volume.size.value)
        for volume in resolution.spec.volumes
        if volume.size and not volume.storage_class
    )
    parts = [
        (tmp_size(resolution), "/tmp"),
        (home_size(resolution), "home and caches"),
        (LOGS, "logs"),
    ]
    if declared:
        parts.append((declared, "scratch volumes"))
    words = " + ".join(f"{up(size)} {contents}" for size, contents in parts)
    return sum(size for size, _ in parts), words


def _download(resolution: Resolution) -> int:
    """Return the size of downloads in the home, if no claim keeps them."""
    size = (
        resolution.weights.most if resolution.weights is not None and downloads(resolution) else 0
    )
    data = hub_data(resolution)
    if data is not None and data[1].size is not None and not keeps_downloads(resolution):
        size += math.floor(data[1].size.value)
    return size * (100 + DOWNLOAD_MARGIN) // 100


def _is_home(folder: str) -> bool:
    return f"{folder}/".startswith(f"{HOME}/")


def _capped(resolution: Resolution, size: int) -> int:
    """Cap a volume at the pod's own limit, if the spec states one."""
    ephemeral_storage = resolution.spec.resources.ephemeral_storage
    return min(size, math.floor(ephemeral_storage.value)) if ephemeral_storage else size
