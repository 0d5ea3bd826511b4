"""Configurations of the device plugin and the MIG manager for the pools.

Both read named configurations from a ConfigMap, and a node's label chooses one. A node has one
configuration, so time-slicing and MPS are never combined. A pool whose nodes already name a
configuration keeps it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from gpuspec.cluster.platform.provider_sharing import OPERATOR, provider_note
from gpuspec.cluster.same_nodes import may_share_nodes
from gpuspec.hardware import provider
from gpuspec.manifests import write
from gpuspec.spec import Pool, Profile, Sharing
from gpuspec.spec.sharing import SHARED

Object = dict[str, Any]
PLUGIN_CONFIG = "gpuspec-device-plugin"
MIG_CONFIG = "gpuspec-mig-layouts"
PLUGIN_LABEL = "nvidia.com/device-plugin.config"
MIG_LABEL = "nvidia.com/mig.config"
# The plugin's own chart gives the only configuration of a ConfigMap to every node, and the MIG
# manager falls back on `all-disabled`: nodes that share nothing must find theirs. Sources:
# NVIDIA/k8s-device-plugin v0.20.0 README.md, NVIDIA/gpu-operator v26.7.0 values.yaml.
WHOLE = "whole-gpus"
UNCUT = "all-disabled"
_LONGEST = 63  # of a label's value, which names a configuration


def device_objects(
    profile: Profile, labelled: Iterable[str] = ()
) -> tuple[list[Object], tuple[str, ...]]:
    """Return ConfigMaps for time-slicing, MPS and MIG layouts, and notes on further steps.

    None if no pool shares its GPUs, or if the provider's own settings decide, as the notes say.
    `labelled`: pools whose nodes get the label with the plugin's configuration.
    """
    shared = _shared(profile)
    provider_notes = [provider_note(profile, pool, sharing) for pool, sharing in shared.values()]
    if any(provider_notes):
        return [], tuple(note for note in provider_notes if note)
    if not shared:
        return [], ()
    pools = [pool for pool, _ in shared.values()]
    plugin, layouts = _configurations(shared)
    # The GPU Operator looks for the ConfigMaps that its ClusterPolicy names where it is itself.
    space = provider(profile.spec.provider).operator
    objects = [_config_map(space, PLUGIN_CONFIG, plugin.entries)] if plugin.chosen else []
    labelled_names = set(labelled)
    notes = [*plugin.notes(pool for pool in pools if pool.name not in labelled_names)]
    if layouts.chosen:
        objects.append(_config_map(space, MIG_CONFIG, {"config.yaml": _layouts(layouts.entries)}))
        notes += layouts.notes(pools)
        notes += _same_nodes(profile, layouts.chosen)
    if profile.spec.gpu_operator is None:
        notes += _operator(profile)
    return objects, tuple(notes)


def plugin_labels(profile: Profile) -> dict[str, dict[str, str]]:
    """Return the label of each pool's nodes that names their configuration of the device plugin."""
    plugin, _ = _configurations(_shared(profile))
    return {pool: {PLUGIN_LABEL: name} for pool, name in plugin.chosen.items()}


def device_settings(profile: Profile) -> Object:
    """Return the GPU Operator's settings for these ConfigMaps; empty without ConfigMaps."""
    shared = _shared(profile).values()
    obj: Object = {}
    if by_plugin := [sharing for pool, sharing in shared if pool.gpu.dra is None]:
        obj["devicePlugin"] = {"config": {"name": PLUGIN_CONFIG, "default": WHOLE}}
        strategies = sorted({sharing.strategy for sharing in by_plugin if sharing.mode == "mig"})
        if strategies:
            # The operator hands it to every plugin as a variable, which wins over the configuration
            # of a node; empty, each node's decides.
            obj["mig"] = {"strategy": strategies[0] if len(strategies) == 1 else ""}
    if any(sharing.mode == "mig" for _, sharing in shared):
        obj["migManager"] = {"config": {"name": MIG_CONFIG}}
    return obj


def _shared(profile: Profile) -> dict[str, tuple[Pool, Sharing]]:
    """Return the pools whose GPUs NVIDIA's plugin shares, by name."""
    return {
        pool.name: (pool, pool.sharing)
        for pool in profile.spec.pools
        if pool.sharing is not None and pool.gpu.resource.startswith("nvidia.com/")
    }


def _configurations(
    shared: Mapping[str, tuple[Pool, Sharing]],
) -> tuple["_DeviceConfigurations", "_DeviceConfigurations"]:
    """Return the configurations of the device plugin, and the layouts of the MIG manager."""
    plugin = _DeviceConfigurations(PLUGIN_LABEL, {WHOLE: _text({})})
    layouts = _DeviceConfigurations(MIG_LABEL, {UNCUT: [{"devices": "all", "mig-enabled": False}]})
    for pool, sharing in shared.values():
        if pool.gpu.dra is None:
            plugin.add(pool, _text(_plugin(pool, sharing)))
        if sharing.mode == "mig":
            layouts.add(pool, _layout(pool, sharing))
    return plugin, layouts


class _DeviceConfigurations:
    """Configurations by name; pools with equal configurations share one."""

    def __init__(self, label: str, entries: dict[str, Any]) -> None:
        self.label, self.entries = label, entries
        self.chosen: dict[str, str] = {}

    def add(self, pool: Pool, entry: Any) -> None:
        """Keep a pool's configuration, under the name in its nodes' labels, or else under the
        pool's name."""
        wanted_name = pool.labels.get(self.label) or _slug(pool.name)
        name, number = wanted_name, 1
        while self.entries.get(name, entry) != entry:
            number += 1
            name = f"{wanted_name[: _LONGEST - 4]}-{number}"
        self.entries[name] = entry
        self.chosen[pool.name] = name

    def notes(self, pools: Iterable[Pool]) -> list[str]:
        """Return the labels that nodes need and that the pools lack."""
        return [
            f"label the nodes of pool {pool.name}: {self.label}={self.chosen[pool.name]}"
            for pool in pools
            if self.chosen.get(pool.name) not in (None, pool.labels.get(self.label))
        ]


def _same_nodes(profile: Profile, cut: Mapping[str, str]) -> list[str]:
    """Return notes on layouts that cut every GPU of nodes which may also belong to another pool."""
    pools = profile.spec.pools
    notes: list[str] = []
    for pool in (pool for pool in pools if pool.name in cut):
        beside = [
            candidate.name
            for candidate in pools
            if candidate.name not in cut and may_share_nodes(pool, candidate)
        ]
        if beside:
            notes.append(
                f"layout {cut[pool.name]} cuts every GPU of a node: if nodes of pool "
                f"{pool.name} also belong to {', '.join(beside)}, write the numbers of the "
                "GPUs for `devices: all`"
            )
    return notes


def _plugin(pool: Pool, sharing: Sharing) -> Object:
    if sharing.mode == "mig":
        return {"flags": {"migStrategy": sharing.strategy}}
    mode = "timeSlicing" if sharing.mode == "time-slicing" else "mps"
    name = pool.gpu.resource.removesuffix(SHARED)
    fails_above_one = sharing.fail_requests_greater_than_one
    shares: Object = {
        "renameByDefault": sharing.rename or name != pool.gpu.resource,
        # Two shares of a GPU are no more of it: whoever asks for two means something else, so that
        # they are refused unless the profile says otherwise.
        "failRequestsGreaterThanOne": fails_above_one is not False,
        "resources": [{"name": name, "replicas": sharing.replicas}],
    }
    return {"sharing": {mode: shares}}


def _layout(pool: Pool, sharing: Sharing) -> list[Object]:
    cut: Object = {"devices": "all", "mig-enabled": True, "mig-devices": dict(sharing.profiles)}
    if not pool.whole_gpus:
        return [cut]
    numbers = list(range(pool.gpu.count))
    first, rest = numbers[: pool.shared_gpus], numbers[pool.shared_gpus :]
    return [{**cut, "devices": first}, {"devices": rest, "mig-enabled": False}]


def _layouts(entries: Mapping[str, Any]) -> str:
    return write([{"version": "v1", "mig-configs": dict(sorted(entries.items()))}])


def _text(settings: Object) -> str:
    return write([{"version": "v1", **settings}])


def _config_map(namespace: str, name: str, data: Mapping[str, str]) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": dict(sorted(data.items())),
    }


def _operator(profile: Profile) -> list[str]:
    """Return values of the GPU Operator's Helm chart, which creates its ClusterPolicy."""
    obj = device_settings(profile)
    config, cut = obj.get("devicePlugin", {}).get("config"), "migManager" in obj
    values = []
    if config is not None:
        values.append(f"devicePlugin.config.name={config['name']}")
        values.append(f"devicePlugin.config.default={config['default']}")
    if cut:
        values.append(f"migManager.config.name={MIG_CONFIG}")
    if "mig" in obj:
        strategy = obj["mig"]["strategy"] or '""'
        values.append(f"mig.strategy={strategy}")
    notes = [f"Helm values of the GPU Operator: {', '.join(values)}"]
    if OPERATOR not in profile.spec.installed:
        without = (
            "with the device plugin's own Helm chart, set config.name and config.default instead"
        )
        mig = "nothing then applies MIG layouts"
        parts = [*([without] if config is not None else ()), *([mig] if cut else ())]
        notes.append(f"the profile does not say that {OPERATOR} is installed: {'; '.join(parts)}")
    return notes


def _slug(name: str) -> str:
    """Return a pool's name as the value of a label."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name)[:_LONGEST].strip("-_.") or "pool"
