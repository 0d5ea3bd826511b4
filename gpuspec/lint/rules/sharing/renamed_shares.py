"""A shared device under its unshared name, or the reverse: nothing advertises it."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
from gpuspec.lint.analysis.sharing.sharing import SHARED, plugin_configs, unoffered
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, RawFinding, RelatedPlace, Rename, Rule
from gpuspec.objects.devices import DeviceRequest
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU302",
    "renamed-shares",
    "error",
    "A shared GPU is requested by a resource name that its pool does not advertise",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield `nvidia.com/gpu` if shares are renamed, and `nvidia.com/gpu.shared` if they are not."""
    if context.cluster is None or not context.cluster.pools:
        yield from _beside(pod, context)
        return
    for _, device, pools in unoffered(pod, context):
        if (finding := _of(device, pools)) is not None:
            yield finding


def _of(device: DeviceRequest, pools: list[AdvertisingPool]) -> RawFinding | None:
    from gpuspec.fleet import advertised

    twin = _twin(device.name)
    offering = [pool for pool in pools if twin in advertised(pool.pool, pool.model)]
    if not offering:
        return None
    listed = names([pool.pool.name for pool in offering])
    which = f"pool {listed} advertises" if len(offering) == 1 else f"the pools {listed} advertise"
    shares = "the shares of its GPUs" if offering[0].pool.sharing else "whole GPUs"
    return RawFinding(
        device.path,
        (
            f"the pod stays Pending: {which} {shares} as `{twin}`, and no eligible node has "
            f"`{device.name}`"
        ),
        fix=_fix(device, twin),
        key=True,
    )


def _beside(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield, without pools, what contradicts the plugin's only configuration in the set."""
    configs = [
        plugin_config
        for plugin_config in plugin_configs(context.collection)
        if plugin_config.replicas
    ]
    if not configs:
        return
    for container in pod.gpu_containers:
        for device in container.devices:
            plain = device.name.removesuffix(SHARED)
            about = [config for config in configs if plain in config.replicas]
            renamed = device.name.endswith(SHARED)
            if (
                not about
                or device.count == 0
                or any(plugin_config.renames == renamed for plugin_config in about)
            ):
                continue
            plugin_config, twin = about[0], _twin(device.name)
            says = "renames" if plugin_config.renames else "does not rename"
            yield RawFinding(
                device.path,
                f"ConfigMap `{plugin_config.name}` {says} shares (`renameByDefault`): nodes with this "
                f"configuration advertise `{twin}` and no `{device.name}`, and the pod stays "
                "Pending unless other nodes have it",
                severity="warning",
                confidence="likely",
                fix=_fix(device, twin),
                key=True,
                related=(
                    RelatedPlace(
                        plugin_config.object, ("data", plugin_config.key), "the configuration"
                    ),
                ),
            )


def _twin(name: str) -> str:
    return name.removesuffix(SHARED) if name.endswith(SHARED) else name + SHARED


def _fix(device: DeviceRequest, name: str) -> Fix:
    amounts_by_field = (("limits", device.limit), ("requests", device.request))
    renames = tuple(
        Rename(device.at(where), name) for where, value in amounts_by_field if value is not None
    )
    return Fix(f"request `{name}`", renames)
