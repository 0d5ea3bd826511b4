"""The writable places of a pod whose root file system is read-only, and how much disk they take."""

import math
from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.plan.cache_places import place
from gpuspec.plan.case import Case
from gpuspec.plan.devices import maker
from gpuspec.plan.hub import downloads, hub_data, keeps_downloads
from gpuspec.plan.words import GIB, MIB, up
from gpuspec.spec.layout import HOME

# /tmp for compilers and unpacked archives: CUDA's and Triton's builds stay below a GiB per process.
TMP_SIZE = 4 * GIB
# What the image's processes may write to standard output before the kubelet rotates it (10Mi × 5
# files for each container by default), with room for a chatty one.
LOGS = 1 * GIB
# A download needs room for files in progress beside the finished ones.
DOWNLOAD_MARGIN = 10


def caches(case: Case) -> Iterator[tuple[str, runtimes.Cache, str]]:
    """Every cache of the pod that a variable moves: the table's name, the cache, and where it lies."""
    for table, found in (
        ("common", runtimes.common().caches),
        (case.runtime.name, case.runtime.caches),
    ):
        for cache in found:
            if cache.python and not case.runtime.python:
                continue
            if cache.vendor not in (None, maker(case)):
                continue
            yield table, cache, place(case, cache)


def tmp_size(case: Case) -> int:
    """Bytes that /tmp may hold."""
    return _capped(case, TMP_SIZE)


def home_size(case: Case) -> int:
    """Bytes that the home may hold: every cache, and downloaded weights that no claim keeps."""
    elsewhere = case.spec.caches is not None
    kept = [one.mib for _, one, at in caches(case) if not elsewhere or _is_home(at)]
    size = sum(kept) * MIB + _download(case)
    return _capped(case, -(-size // GIB) * GIB)


def disk(case: Case) -> tuple[int, str]:
    """Bytes of local disk that the main container may fill, and the arithmetic in words."""
    declared = sum(
        math.floor(volume.size.value)
        for volume in case.spec.volumes
        if volume.size and not volume.storage_class
    )
    parts = [(tmp_size(case), "/tmp"), (home_size(case), "home and caches"), (LOGS, "logs")]
    if declared:
        parts.append((declared, "scratch volumes"))
    words = " + ".join(f"{up(size)} {what}" for size, what in parts)
    return sum(size for size, _ in parts), words


def _download(case: Case) -> int:
    """What downloads leave in the home when no claim keeps them."""
    size = case.weights.most if case.weights is not None and downloads(case) else 0
    data = hub_data(case)
    if data is not None and data[1].size is not None and not keeps_downloads(case):
        size += math.floor(data[1].size.value)
    return size * (100 + DOWNLOAD_MARGIN) // 100


def _is_home(folder: str) -> bool:
    return f"{folder}/".startswith(f"{HOME}/")


def _capped(case: Case, size: int) -> int:
    """No volume may hold more than the pod's own limit, where the spec states one."""
    asked = case.spec.resources.ephemeral_storage
    return min(size, math.floor(asked.value)) if asked else size
