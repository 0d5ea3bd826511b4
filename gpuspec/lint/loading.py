"""How long a server takes to start: its weights, how fast they come, and what it does with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from gpuspec.lint.containers import Container
    from gpuspec.lint.context import Context
    from gpuspec.lint.pods import Pod
    from gpuspec.runtimes import Runtime

MIB = 2**20
GIB = 2**30
# Bytes per second for want of the profile's: one stream from a hub, one from network storage. The
# same as a start-up budget is derived from.
ASSUMED_DOWNLOAD = 100 * MIB
ASSUMED_VOLUME = 200 * MIB
_HUB_FOLDERS = ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME")
_HUB_DEFAULT = "/root/.cache/huggingface"
_OFFLINE = ("1", "true", "yes", "on")
_LASTING = ("persistentVolumeClaim", "hostPath", "nfs", "csi", "ephemeral")


class Loading(msgspec.Struct, frozen=True):
    """One model's way into the GPU."""

    model: str
    size: int
    """Bytes."""
    read: int
    """Seconds to read the weights."""
    build: int
    """Seconds that the server takes beside: engine, graphs, kernels."""
    known: bool
    """The profile says how fast they come."""
    evidence: str
    kept: bool
    """What was read is there after a restart."""

    @property
    def seconds(self) -> int:
        """From the container's start to the first answer."""
        return self.read + self.build

    @property
    def words(self) -> str:
        """The arithmetic, for a note."""
        return (
            f"`{self.model}`: {self.evidence} = {self.read} s to read, "
            f"{self.build} s to build the engine"
        )


def loading(
    pod: Pod, container: Container, server: Runtime | None, context: Context
) -> Loading | None:
    """What the configuration's model sizes and the profile's bandwidths say; None without."""
    model = _model(container, context)
    if model is None:
        return None
    size = int(context.facts.models[model].value)
    claim, lasting = _holds(pod, container, model if model.startswith("/") else _cache(container))
    mounted = lasting and (model.startswith("/") or _offline(container))
    speed, source = _speed(claim, mounted, context)
    assumed = ASSUMED_VOLUME if mounted else ASSUMED_DOWNLOAD
    rate = speed or assumed
    build = 0.0
    if server is not None:
        build = server.startup.seconds + server.startup.seconds_per_gib * size / GIB
    return Loading(
        model=model,
        size=size,
        read=round(size / rate),
        build=round(build),
        known=speed is not None,
        evidence=f"{_gb(size)} ÷ {_mb(rate)}/s ({source})",
        kept=lasting,
    )


def _model(container: Container, context: Context) -> str | None:
    """The largest known model that the command line or the environment names."""
    known = context.facts.models
    if not known:
        return None
    said = {word.text for word in container.words}
    said |= {word.partition("=")[2] for word in said if "=" in word}
    said |= {value for name in container.env if (value := container.env_value(name)) is not None}
    found = [name for name in known if name in said]
    return max(found, key=lambda name: known[name].value, default=None)


def _cache(container: Container) -> str:
    """The folder that downloads of the hub's libraries land in."""
    values = (container.env_value(name) for name in _HUB_FOLDERS)
    return next((value for value in values if value), _HUB_DEFAULT)


def _holds(pod: Pod, container: Container, folder: str) -> tuple[str | None, bool]:
    """The claim that a folder lies on, if it is one; and whether it outlives the container.

    A pod's own empty volume does so too: only the pod's end empties it.
    """
    best = ""
    for mount in container.mounts:
        if f"{folder.rstrip('/')}/".startswith(f"{mount.rstrip('/')}/") and len(mount) > len(best):
            best = mount
    if not best:
        return None, False
    name = container.mounts[best][1].get("name")
    volume = pod.volumes.get(name, (0, {}))[1] if isinstance(name, str) else {}
    claim = volume.get("persistentVolumeClaim")
    claimed = claim.get("claimName") if isinstance(claim, dict) else None
    lasting = any(key in volume for key in (*_LASTING, "emptyDir"))
    return (claimed if isinstance(claimed, str) else None), lasting


def _offline(container: Container) -> bool:
    return (container.env_value("HF_HUB_OFFLINE") or "").lower() in _OFFLINE


def _speed(claim: str | None, mounted: bool, context: Context) -> tuple[int | None, str]:
    """Bytes per second and who says so; None where the profile does not."""
    cluster = context.cluster
    if cluster is None:
        return None, "assumed, for want of a profile"
    bandwidth = cluster.bandwidth
    if not mounted:
        if bandwidth.download is None:
            return None, "assumed: the profile says no `bandwidth.download`"
        return int(bandwidth.download.value), "the profile's `bandwidth.download`"
    if claim is not None and claim in bandwidth.claims:
        return int(bandwidth.claims[claim].value), f"the profile's `bandwidth.claims.{claim}`"
    storage = cluster.storage.claims.get(claim or "")
    if storage and (speed := cluster.storage.classes[storage].bandwidth):
        return int(speed.value), f"the profile's `storage.classes.{storage}.bandwidth`"
    if bandwidth.default is None:
        return None, "assumed: the profile says no `bandwidth.default`"
    return int(bandwidth.default.value), "the profile's `bandwidth.default`"


def _gb(size: int) -> str:
    return f"{size / 1e9:.3g} GB"


def _mb(rate: int) -> str:
    return f"{rate / 1e6:.3g} MB"
