"""A configuration of NVIDIA's device plugin that the plugin refuses."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.sharing.sharing import PluginConfig, configs_of
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU306",
    "plugin-config",
    "error",
    "A configuration of the device plugin that contradicts itself",
)


def check(one: Object, context: Context) -> Iterator[Found]:
    """Both modes at once, fewer than two replicas, slices shared by MPS."""
    for config in configs_of(one):
        reason = _refused(config)
        if reason is not None:
            yield Found(
                one.path("data", config.key),
                f"the device plugin refuses this configuration and does not start, so that its nodes "
                f"advertise no GPU: {reason}",
                confidence="likely",
            )


def _refused(config: PluginConfig) -> str | None:
    if len([mode for mode in config.modes.values() if mode]) > 1:
        return "`timeSlicing` and `mps` exclude each other"
    for name, mode in config.modes.items():
        for row in map(mapping, items(mode.get("resources"))):
            count, resource = row.get("replicas"), text(row.get("name"))
            if isinstance(count, int) and not isinstance(count, bool) and count < 2:
                return f"`replicas: {count}` of `{resource}`: it takes 2 or more"
            if name == "mps" and ".mig-" in resource.replace("/", "."):
                return f"`mps` shares whole GPUs, not `{resource}`"
    return None
