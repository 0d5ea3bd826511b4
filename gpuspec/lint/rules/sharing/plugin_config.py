"""A configuration of NVIDIA's device plugin that the plugin refuses, or does not read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.sharing.sharing import PluginConfig, configs_of
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU306",
    "plugin-config",
    "error",
    "A configuration of the device plugin that it refuses, or in part does not read",
)
_MODES = ("timeSlicing", "mps")
_OF_MODES = ("renameByDefault", "failRequestsGreaterThanOne")
_READ_AT = {
    "migStrategy": ("flags",),
    "failOnInitError": ("flags",),
    "nvidiaDriverRoot": ("flags",),
    "passDeviceSpecs": ("flags.plugin",),
    "deviceListStrategy": ("flags.plugin",),
    "deviceIDStrategy": ("flags.plugin",),
}


def check(one: Object, context: Context) -> Iterator[Found]:
    """Both modes at once, no resources, fewer than two replicas; keys at a place of no effect."""
    for config in configs_of(one):
        reason = _refused(config)
        if reason is not None:
            yield Found(
                one.path("data", config.key),
                f"the device plugin refuses this configuration and does not start, so that its nodes "
                f"advertise no GPU: {reason}",
                confidence="likely",
            )
        for key, where, right in _unread(config.value):
            yield Found(
                one.path("data", config.key),
                f"`{key}` stands {f'below `{where}`' if where else 'at the top'}, where the device plugin "
                f"does not read it and says nothing: it belongs below `{right}`",
                severity="warning",
            )


def _unread(value: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Known keys at a place where they are not read: the key, the place, and the right one."""
    modes = [f"sharing.{name}" for name in mapping(value.get("sharing")) if name in _MODES]
    for where, key in _keys(value, ""):
        places = modes if key in _OF_MODES else _READ_AT.get(key)
        if places and where not in places:
            yield key, where, places[0]


def _keys(value: dict[str, Any], where: str) -> Iterator[tuple[str, str]]:
    """Each key of the maps within a map, after the keys that lead to it."""
    for key, inner in value.items():
        yield where, key
        yield from _keys(mapping(inner), f"{where}.{key}".lstrip("."))


def _refused(config: PluginConfig) -> str | None:
    if len([mode for mode in config.modes.values() if mode]) > 1:
        return "`timeSlicing` and `mps` exclude each other"
    for name, mode in config.modes.items():
        rows = items(mode.get("resources"))
        if mode and not rows:
            return f"`{name}.resources` names no resource to share"
        for row in map(mapping, rows):
            count, resource = row.get("replicas"), text(row.get("name"))
            if isinstance(count, int) and not isinstance(count, bool) and count < 2:
                return f"`replicas: {count}` of `{resource}`: it takes 2 or more"
            if name == "mps" and ".mig-" in resource.replace("/", "."):
                return f"`mps` shares whole GPUs, not `{resource}`"
    return None
