"""The sharing of a pod's GPUs: by the profile's pools; without pools by the device plugin's
configuration in the set, and by the resource's own name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gpuspec.hardware.hami import HAMI
from gpuspec.lint.analysis.placement.placing import as_placed, flavor_tolerations, queued, reached
from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
from gpuspec.lint.context import kept_in_run
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.hami import is_hami, takes_whole
from gpuspec.objects.lazy import kept
from gpuspec.objects.scheduling import tolerations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.devices import DeviceRequest
    from gpuspec.objects.objects import Object, Pod
    from gpuspec.settings.severity import Severity

_LONGEST = 100_000
"""The longest configuration that is parsed, in characters."""
SHARED = ".shared"
KAI = ("gpu-fraction", "gpu-memory")
"""Annotations that request a part of a GPU from KAI, instead of a device."""


_TITLES = {"mps": "MPS", "time-slicing": "time-slicing"}


class Split(msgspec.Struct, frozen=True):
    """One way in which a requested device is a share of a GPU."""

    words: str
    """The words in a sentence: `pool `a` shares each GPU among 4 pods by time-slicing`."""
    mode: Literal["time-slicing", "mps", "unknown"]
    replicas: int | None
    """Shares of one GPU; None if unknown."""
    refuses: bool
    """Whether a container that requests more than one is rejected."""
    pool: AdvertisingPool | None = None


class Splits(msgspec.Struct, frozen=True):
    """All known ways; `every`: there is no other, so the pod certainly gets a share."""

    ways: tuple[Split, ...]
    every: bool
    tied: bool = True
    """Whether the way comes from the pod's pools, its resource, or a file next to the pod. Most of
    a cluster's layouts elsewhere in a tree are for other nodes."""

    @property
    def severity(self) -> Severity | None:
        """The severity of a finding based on them; None for the rule's own."""
        return None if self.tied else "info"

    @property
    def certain(self) -> Literal["certain", "likely", "possible"]:
        """The confidence of a finding based on them."""
        if not self.tied:
            return "possible"
        return "certain" if self.every and self.ways[0].pool is not None else "likely"


class PluginConfig(msgspec.Struct, frozen=True):
    """One sharing configuration of NVIDIA's device plugin in a ConfigMap."""

    object: int
    name: str
    key: str
    modes: dict[str, dict[str, Any]]
    """The existing ones of `timeSlicing` and `mps`."""
    file: str
    value: dict[str, Any]
    """The whole configuration."""

    @property
    def replicas(self) -> dict[str, int]:
        """Shares of one device, by resource."""
        replicas_by_resource: dict[str, int] = {}
        for mode in self.modes.values():
            for row in map(mapping, items(mode.get("resources"))):
                count = row.get("replicas")
                if text(row.get("name")) and isinstance(count, int) and count > 1:
                    replicas_by_resource[row["name"]] = count
        return replicas_by_resource

    @property
    def renames(self) -> bool:
        """Whether shares are advertised under another name."""
        return any(mode.get("renameByDefault") is True for mode in self.modes.values())

    @property
    def refuses(self) -> bool:
        """Whether a request for more than one share is rejected; MPS always rejects it."""
        return all(
            name == "mps" or mode.get("failRequestsGreaterThanOne") is True
            for name, mode in self.modes.items()
        )


@kept_in_run
def lands(pod: Pod, context: Context) -> list[AdvertisingPool]:
    """Return the pools in which a pod can run: they advertise the device, its selectors allow them,
    and it tolerates their distinguishing taints; taints of all GPU nodes are ignored."""
    from gpuspec import hardware
    from gpuspec.fleet.match import untolerated

    advertising_pools = reached(pod, context)
    pod_tolerations = tolerations(as_placed(pod, context)) + (
        flavor_tolerations(context) if queued(pod) else []
    )
    open_ = [
        advertising_pool
        for advertising_pool in advertising_pools
        if all(
            hardware.is_gpu_resource(taint.key)
            for taint in untolerated(pod_tolerations, advertising_pool.pool.taints)
        )
    ]
    return open_ or advertising_pools


def selected(pod: Pod, context: Context) -> list[AdvertisingPool]:
    """Return the pools that a pod's selectors allow, whatever it requests."""
    from gpuspec.fleet.match import selects
    from gpuspec.objects.scheduling import scheduling

    spec = scheduling(as_placed(pod, context))
    return [pool for pool in context.placed if selects(spec, pool.labels)]


def unoffered(
    pod: Pod, context: Context
) -> Iterator[tuple[PodContainer, DeviceRequest, list[AdvertisingPool]]]:
    """Yield devices that none of the allowed pools advertises, with these pools."""
    from gpuspec.fleet import advertised

    pools = selected(pod, context)
    if not pools:
        return
    device_names = {name for pool in pools for name in advertised(pool.pool, pool.model)}
    for container in pod.gpu_containers:
        for device in container.devices:
            if device.name not in device_names and device.count != 0:
                yield container, device, pools


def splits(pod: Pod, device: DeviceRequest, context: Context) -> Splits | None:
    """Return how a requested device is shared; None if nothing shows that it is."""
    if context.cluster is not None and context.cluster.pools:
        pools = lands(pod, context)
        ways = tuple(split for pool in pools if (split := _of_pool(pool)) is not None)
        return Splits(ways, len(ways) == len(pools)) if ways else None
    about = _about(device.name, context)
    ways = tuple(_of_config(plugin_config, device.name) for plugin_config in about)
    if ways:
        folder = _folder(pod.object.file)
        tied = any(
            _folder(plugin_config.file) == folder or _is_default(plugin_config, context)
            for plugin_config in about
        )
        return Splits(ways, every=False, tied=tied)
    if device.what.kind == "shared":
        words = f"`{device.name}` is a share of a GPU"
        return Splits((Split(words, "unknown", None, False),), every=True)
    return None


@kept
def is_part(pod: Pod) -> bool:
    """Return whether it requests a part of a GPU from HAMi or KAI."""
    if not pod.annotations.keys().isdisjoint(KAI):
        return True
    return any(
        not amounts.keys().isdisjoint(HAMI)
        for container in pod.every
        for amounts in (container.limits, container.requests)
    )


@kept
def is_share(pod: Pod) -> bool:
    """Return whether several such pods fit on one GPU: KAI or HAMi gives each a part of its
    memory."""
    return is_part(pod) and not (is_hami(pod) and takes_whole(pod))


def plugin_configs(collection: Collection) -> tuple[PluginConfig, ...]:
    """Return the configurations of NVIDIA's device plugin in the ConfigMaps of the set."""
    return collection.once(_configs)


def configs_of(obj: Object) -> Iterator[PluginConfig]:
    """Yield the configurations of NVIDIA's device plugin in a ConfigMap that share GPUs."""
    for key, whole in written_in(obj, "sharing:"):
        sharing = mapping(whole.get("sharing"))
        modes = {name: mapping(sharing[name]) for name in sharing if name in ("timeSlicing", "mps")}
        if modes:
            yield PluginConfig(obj.number, obj.name, key, modes, obj.file, whole)


def written_in(obj: Object, *marks: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the YAML texts of a ConfigMap that contain one of some words, in any case: the key, and
    the parsed value."""
    from gpuspec.manifests import InputError, read

    for key, value in mapping(obj.value.get("data")).items():
        if not isinstance(value, str) or len(value) > _LONGEST:
            continue
        lower = value.lower()
        if not any(mark.lower() in lower for mark in marks):
            continue
        try:
            documents = read(value, "config.yaml")
        except (InputError, ValueError):
            continue
        yield str(key), mapping(documents[0].value if documents else None)


def _configs(collection: Collection) -> tuple[PluginConfig, ...]:
    return tuple(
        plugin_config for obj in collection.of("", "ConfigMap") for plugin_config in configs_of(obj)
    )


def _about(resource: str, context: Context) -> list[PluginConfig]:
    """Return configurations under which this resource is a share."""
    configs: list[PluginConfig] = []
    for plugin_config in plugin_configs(context.collection):
        plain_resource = resource.removesuffix(SHARED) if plugin_config.renames else resource
        if (
            plain_resource in plugin_config.replicas
            and resource.endswith(SHARED) == plugin_config.renames
        ):
            configs.append(plugin_config)
    return configs


def _is_default(plugin_config: PluginConfig, context: Context) -> bool:
    """Return whether the GPU Operator applies a configuration to all nodes without another."""
    policies = context.collection.of("nvidia.com", "ClusterPolicy")
    chosen = (
        mapping(mapping(policy.spec.get("devicePlugin")).get("config")) for policy in policies
    )
    return any(
        default_config.get("name") == plugin_config.name
        and default_config.get("default") == plugin_config.key
        for default_config in chosen
    )


def _folder(file: str) -> str:
    return file.rpartition("/")[0]


def _of_pool(advertising_pool: AdvertisingPool) -> Split | None:
    sharing = advertising_pool.pool.sharing
    if sharing is None or sharing.mode == "mig":
        return None
    words = f"pool `{advertising_pool.pool.name}` shares each GPU among {sharing.replicas} pods by {_TITLES[sharing.mode]}"
    return Split(words, sharing.mode, sharing.replicas, sharing.refuses_several, advertising_pool)


def _of_config(plugin_config: PluginConfig, resource: str) -> Split:
    count = plugin_config.replicas[
        resource.removesuffix(SHARED) if plugin_config.renames else resource
    ]
    mode: Literal["time-slicing", "mps"] = (
        "time-slicing" if "timeSlicing" in plugin_config.modes else "mps"
    )
    words = f"ConfigMap `{plugin_config.name}` shares each GPU among {count} pods by {_TITLES.get(mode, mode)}"
    return Split(words, mode, count, plugin_config.refuses)
