"""The startup time of a server: reading its weights, and building the engine."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.security.users import mount_of, mounted
from gpuspec.lint.analysis.serving.hub import hub_folder, is_offline
from gpuspec.manifests.values import mapping, text

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod
    from gpuspec.runtimes import Runtime

_HUB_DEFAULT = "/root/.cache/huggingface"
_LASTING = ("persistentVolumeClaim", "hostPath", "nfs", "csi", "ephemeral", "emptyDir")


class Loading(msgspec.Struct, frozen=True):
    """The time to load one model into the GPU."""

    model: str
    size: int
    """Bytes."""
    read: int
    """Seconds to read the weights."""
    build: int
    """Further seconds of the server: engine, graphs, kernels."""
    known: bool
    """Whether the profile has the bandwidth."""
    evidence: str
    kept: bool
    """Whether the read data persists over a restart."""

    @property
    def seconds(self) -> int:
        """Seconds from the container's start to the first answer."""
        return self.read + self.build

    @property
    def words(self) -> str:
        """The arithmetic, for a note."""
        read = f"allow time to load `{self.model}`: {self.evidence} = {self.read} s to read"
        return f"{read}, {self.build} s to build the engine" if self.build else read


def loading(
    pod: Pod, container: PodContainer, server: Runtime | None, context: Context
) -> Loading | None:
    """Return the loading time from the configuration's model sizes and the profile's bandwidths;
    None without these."""
    model = _model(container, context)
    if model is None:
        return None
    from gpuspec.spec.bandwidth import ASSUMED_DOWNLOAD, ASSUMED_VOLUME

    size = math.floor(context.facts.models[model].value)
    claim, lasting = _holds(pod, container, _folder(container, server, model))
    mounted = lasting and (model.startswith("/") or is_offline(container))
    speed, source = _speed(claim, mounted, context)
    assumed = ASSUMED_VOLUME if mounted else ASSUMED_DOWNLOAD
    rate = speed or assumed
    build = 0.0 if server is None else server.startup.build(size)
    return Loading(
        model=model,
        size=size,
        read=round(size / rate),
        build=round(build),
        known=speed is not None,
        evidence=f"{_gb(size)} ÷ {_mb(rate)}/s ({source})",
        kept=lasting,
    )


def loading_by_name(pod: Pod, container: PodContainer, context: Context) -> Loading | None:
    """Return the loading time from the name of a model that KServe mounts by `storageUri`."""
    from gpuspec import models
    from gpuspec.spec.bandwidth import ASSUMED_DOWNLOAD, ASSUMED_VOLUME

    scheme, _, model = text(container.value.get("storageUri")).partition("://")
    weights = models.weights_of(model)
    if weights is None:
        return None
    mounted = scheme == "pvc"
    claim = model.partition("/")[0] if mounted else None
    speed, source = _speed(claim, mounted, context)
    rate = speed or (ASSUMED_VOLUME if mounted else ASSUMED_DOWNLOAD)
    return Loading(
        model=model,
        size=weights.least,
        read=round(weights.least / rate),
        build=0,
        known=False,
        evidence=f"{weights.words}, {_gb(weights.least)} ÷ {_mb(rate)}/s ({source})",
        kept=mounted,
    )


def _model(container: PodContainer, context: Context) -> str | None:
    """Return the largest known model in the command line or the environment."""
    quantities = context.facts.models
    if not quantities:
        return None
    texts = {word.text for word in container.words}
    texts |= {word.partition("=")[2] for word in texts if "=" in word}
    texts |= {value for name in container.env if (value := container.env_value(name)) is not None}
    models = [name for name in quantities if name in texts]
    return max(models, key=lambda name: quantities[name].value, default=None)


def _folder(container: PodContainer, server: Runtime | None, model: str) -> str:
    """Return the folder of a model's weights."""
    if model.startswith("/"):
        return model
    return (None if server is None else hub_folder(container, server)) or _HUB_DEFAULT


def _holds(pod: Pod, container: PodContainer, folder: str) -> tuple[str | None, bool]:
    """Return the claim with a folder, if there is one, and whether the folder persists over a
    restart of the container.

    A pod's emptyDir persists too: only the end of the pod empties it.
    """
    mount = mount_of(container, folder)
    volume = mapping(None if mount is None else mounted(pod, container, mount))
    claimed = text(mapping(volume.get("persistentVolumeClaim")).get("claimName"))
    lasting = any(key in volume for key in _LASTING)
    return claimed or None, lasting


def _speed(claim: str | None, mounted: bool, context: Context) -> tuple[int | None, str]:
    """Return bytes per second and their source; None if the profile has none."""
    cluster = context.cluster
    if cluster is None:
        return None, "assumed without a profile"
    from gpuspec.spec.bandwidth import reading_speed

    speed, field = reading_speed(cluster, claim, downloads=not mounted)
    if speed is None:
        return None, f"assumed: the profile sets no `{field}`"
    return speed, f"the profile's `{field}`"


def _gb(size: int) -> str:
    return f"{size / 1e9:.3g} GB"


def _mb(rate: int) -> str:
    return f"{rate / 1e6:.3g} MB"
