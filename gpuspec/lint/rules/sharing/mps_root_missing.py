"""NVIDIA's device plugin without the directory of the MPS daemon, although it shares GPUs by MPS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading.mounted import MountedFile, mounted
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.objects.containers import PodContainer

RULE = Rule(
    "GPU424",
    "mps-root-missing",
    "warning",
    "MPS sharing is enabled, but the device plugin is not given the MPS root directory",
)
_IMAGE = "/k8s-device-plugin"
_PROGRAM = "nvidia-device-plugin"
_VARIABLE, _FLAG = "MPS_ROOT", "--mps-root"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check containers that run the plugin with a configuration in the set."""
    for container in pod.containers:
        if not _runs_plugin(container) or _told(container):
            continue
        path = container.env_value("CONFIG_FILE") or container.words.value("--config-file")
        config = mounted(pod, container, path, context.collection) if path else None
        if config is not None and _needs_root(config):
            yield RawFinding(
                container.path("env"),
                f"the device plugin has no `{_VARIABLE}`, but {config.object.kind} "
                f"`{config.object.name}` shares GPUs by MPS: the plugin does not start",
                note=(
                    f"set `{_VARIABLE}` or `{_FLAG}` to the MPS daemon's directory on the node, "
                    "such as `/run/nvidia/mps`"
                ),
                related=(
                    RelatedPlace(
                        config.object.number,
                        config.object.path("data", config.key),
                        "shares GPUs by MPS",
                    ),
                ),
            )


def _runs_plugin(container: PodContainer) -> bool:
    """Return whether the container is the plugin, not one of the programs that its image has
    besides."""
    command = items(container.value.get("command"))
    return _IMAGE in container.image and (
        not command or text(command[0]).rpartition("/")[2] == _PROGRAM
    )


def _told(container: PodContainer) -> bool:
    """Return whether it has the directory, or may have it from elsewhere."""
    return (
        _VARIABLE in container.env
        or container.words.flag(_FLAG) is not None
        or bool(items(container.value.get("envFrom")))
    )


def _needs_root(config: MountedFile) -> bool:
    shares = items(at(config.settings, ("sharing", "mps", "resources")))
    return bool(shares) and not text(mapping(config.settings.get("flags")).get("mpsRoot"))
