"""The place of each cache: in the home, on its volume, or where the spec moved it."""

import posixpath

from gpuspec import runtimes
from gpuspec.plan.resolution import Resolution
from gpuspec.spec import Volume
from gpuspec.spec.layout import HOME, MODEL_CACHE

_CACHE = ".cache"


def place(resolution: Resolution, cache: runtimes.Cache) -> str:
    """Return the folder in a cache's variable."""
    caches = (*resolution.runtime.caches, *runtimes.common().caches)
    if cache.weights and _has_claim(resolution):
        first = next(cache for cache in caches if cache.weights)
        same = cache.variable == first.variable
        return MODEL_CACHE if same else f"{MODEL_CACHE}/{posixpath.basename(cache.folder)}"
    if cache.unset is not None and _is_on_volume(resolution, cache.unset):
        return cache.unset
    moved = [
        loaded_cache
        for loaded_cache in caches
        if _holds(loaded_cache, cache) and _moved(resolution, loaded_cache)
    ]
    if moved:
        nearest = max(moved, key=lambda cache: len(posixpath.normpath(cache.folder)))
        rest = posixpath.relpath(cache.folder, nearest.folder)
        return posixpath.join(_moved(resolution, nearest), rest)
    return _within_caches(resolution, cache) or posixpath.normpath(
        posixpath.join(HOME, cache.folder)
    )


def _within_caches(resolution: Resolution, cache: runtimes.Cache) -> str | None:
    """Return a cache's place on the volume for caches; None for a home and for settings."""
    caches = resolution.spec.caches
    if caches is None or not (cache.weights or _is_within(cache.folder, _CACHE)):
        return None
    rest = (
        posixpath.relpath(cache.folder, _CACHE)
        if _is_within(cache.folder, _CACHE)
        else cache.folder
    )
    return posixpath.normpath(posixpath.join(caches.mount, rest))


def _holds(cache: runtimes.Cache, other_cache: runtimes.Cache) -> bool:
    """Return whether a cache is inside another, by the paths in their tables: all are below the
    home."""
    return cache.folder != other_cache.folder and (
        cache.folder == "." or other_cache.folder.startswith(f"{cache.folder}/")
    )


def _moved(resolution: Resolution, cache: runtimes.Cache) -> str:
    """Return the place of a cache in the spec's own variable, on a writable volume; else empty."""
    value = resolution.spec.env.get(cache.variable)
    return value if isinstance(value, str) and _is_on_volume(resolution, value) else ""


def _is_on_volume(resolution: Resolution, folder: str) -> bool:
    return any(
        _is_within(folder, volume.mount) for volume in resolution.spec.volumes if _is_kept(volume)
    )


def _is_kept(volume: Volume) -> bool:
    """Return whether a volume is writable."""
    sources = (volume.pvc, volume.size, volume.host_path, volume.csi)
    return not volume.read_only and any(source is not None for source in sources)


def _is_within(folder: str, mount: str) -> bool:
    return f"{posixpath.normpath(folder)}/".startswith(f"{posixpath.normpath(mount)}/")


def _has_claim(resolution: Resolution) -> bool:
    hub = resolution.model[1].source.hub if resolution.model else None
    return hub is not None and hub.cache is not None
