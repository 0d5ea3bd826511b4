"""A configuration of NVIDIA's device plugin that the plugin refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.analysis.sharing.sharing import SHARED, PluginConfig, configs_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping, text, whole
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU306",
    "plugin-config",
    "error",
    "A device plugin configuration is contradictory",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield fewer than two replicas, both modes at once, MPS with mixed slices or on slices, and
    settings that the plugin ignores."""
    for config in configs_of(obj):
        path = obj.path("data", config.key)
        few = next(_few(config), None)
        if few is not None:
            yield RawFinding(
                path,
                f"{few}: the device plugin rejects the configuration and does not start, so its "
                "nodes advertise no GPU",
                note="set `replicas` to 2 or more, or remove the resource",
            )
        elif (mixed := _mixed(config, obj, context)) is not None:
            yield mixed
        elif len([mode for mode in config.modes.values() if mode]) > 1:
            yield RawFinding(
                path,
                "`timeSlicing` has no effect if `mps` is set: the device plugin uses only one",
                note="remove `timeSlicing` or `mps`",
                severity="warning",
            )
        else:
            for resource in _slices(config):
                yield RawFinding(
                    path,
                    f"`mps` shares whole GPUs, not `{resource}`: on nodes with such slices the device "
                    "plugin does not start",
                    note="share the slices by `timeSlicing`",
                    severity="warning",
                )
        yield from _dropped(config, path)


def _few(config: PluginConfig) -> Iterator[str]:
    for mode in config.modes.values():
        for row in map(mapping, items(mode.get("resources"))):
            count = row.get("replicas")
            if isinstance(count, int) and not isinstance(count, bool) and count < 2:
                yield f"`replicas: {count}` of `{text(row.get('name'))}` must be 2 or more"
            if (devices := row.get("devices")) is not None and not _is_selection(devices):
                yield (
                    f"`devices: {devices}` of `{text(row.get('name'))}` must be `all`, a count, "
                    "or a list"
                )


def _is_selection(devices: Any) -> bool:
    return devices == "all" or isinstance(devices, list) or (whole(devices, None) or 0) > 0


def _dropped(config: PluginConfig, path: Path) -> Iterator[RawFinding]:
    """Yield settings that the plugin parses and then overwrites (`DisableResourceNamingInConfig`,
    and `NewConfig` for MPS): every share is of all GPUs, under one of two names."""
    for mode, sharing in config.modes.items():
        for index, row in enumerate(map(mapping, items(sharing.get("resources")))):
            inside = ("sharing", mode, "resources", index)
            name, devices = text(row.get("name")), row.get("devices")
            if devices not in (None, "all") and _is_selection(devices):
                yield _overwritten(
                    path,
                    (*inside, "devices"),
                    f"`{name}` is shared on every GPU of the node",
                    "delete `devices`, or use one configuration for each kind of node, chosen by "
                    "the node label `nvidia.com/device-plugin.config`",
                )
            rename = text(row.get("rename"))
            default = f"{name}{SHARED}" if sharing.get("renameByDefault") is True else name
            if rename and rename != default:
                yield _overwritten(
                    path,
                    (*inside, "rename"),
                    f"the shares are advertised as `{default}`",
                    f"delete `rename`, and request `{default}`",
                )
    if mapping(config.modes.get("mps")).get("failRequestsGreaterThanOne") is False:
        yield _overwritten(
            path,
            ("sharing", "mps", "failRequestsGreaterThanOne"),
            (
                "with MPS the kubelet rejects a container that requests more than one share in any "
                "case"
            ),
            "delete `failRequestsGreaterThanOne`",
        )
    for key in ("gpus", "mig"):
        if items(at(config.value, ("resources", key))):
            yield _overwritten(
                path,
                ("resources", key),
                "the plugin uses its own names",
                f"delete `resources.{key}`",
            )


def _overwritten(path: Path, inside: Path, instead: str, note: str) -> RawFinding:
    return RawFinding(
        path,
        f"the device plugin ignores `{inside[-1]}`: {instead}",
        note=note,
        key=True,
        severity="warning",
        inside=inside,
    )


def _mixed(config: PluginConfig, obj: Object, context: Context) -> RawFinding | None:
    """Return a finding for MPS with the strategy `mixed`, from the policy that names the ConfigMap
    or else its own."""
    shares = items(mapping(config.modes.get("mps")).get("resources"))
    if not shares:
        return None
    related: tuple[RelatedPlace, ...] = ()
    strategy, where = text(at(config.value, ("flags", "migStrategy"))), "its `migStrategy`"
    for policy in context.collection.of("nvidia.com", "ClusterPolicy"):
        mig_strategy = text(at(policy.spec, ("mig", "strategy")))
        if mig_strategy and at(policy.spec, ("devicePlugin", "config", "name")) == obj.name:
            strategy, where = mig_strategy, f"`mig.strategy` of ClusterPolicy `{policy.name}`"
            path = policy.path("spec", "mig", "strategy")
            related = (RelatedPlace(policy.number, path, "the strategy"),)
    if strategy != "mixed":
        return None
    return RawFinding(
        obj.path("data", config.key),
        f"the device plugin does not support `mps` with the MIG strategy `mixed`, which {where} "
        "sets: the plugin does not start, and its nodes advertise no GPU",
        note="share by `timeSlicing`, or set another MIG strategy",
        severity="warning",
        related=related,
    )


def _slices(config: PluginConfig) -> Iterator[str]:
    for row in map(mapping, items(mapping(config.modes.get("mps")).get("resources"))):
        resource = text(row.get("name"))
        if ".mig-" in resource.replace("/", "."):
            yield resource
