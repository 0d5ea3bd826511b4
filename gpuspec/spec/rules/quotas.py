"""Rules for quotas of namespaces: the resources and amounts that they may contain."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import Path
from gpuspec.spec.pools import Pool
from gpuspec.spec.profile import ClusterProfileSpec
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.resource_names import extended_resource
from gpuspec.spec.rules.violation import SpecViolation

HOST_RESOURCES = ("cpu", "memory", "ephemeral-storage")
_PREFIXES = ("requests.", "limits.")


def problems(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for every namespace's quota."""
    resource_names = dict.fromkeys(
        name for pool in spec.pools for name in (*resources_of(pool), *pool.other_resources)
    )
    for index, namespace in enumerate(spec.namespaces):
        for name, amount in namespace.quota.items():
            path: Path = ("spec", "namespaces", index, "quota", name)
            if wrong := _name(name, tuple(resource_names), path):
                yield wrong
            elif name not in HOST_RESOURCES and amount.value.denominator != 1:
                yield SpecViolation(f"{amount} of {name}: devices are whole", path)


def resources_of(pool: Pool) -> Iterator[str]:
    """Yield the extended resources that a pool's nodes advertise: devices, then those of the
    fabric."""
    yield from device_names(pool)
    if pool.rdma is not None:
        yield from pool.rdma.devices


def device_names(pool: Pool) -> list[str]:
    """Return the resources under which a pool's GPUs are advertised."""
    sharing, device = pool.sharing, pool.gpu.resource
    if sharing is None:
        return [device]
    if sharing.mode == "mig":
        if not pool.names_profiles:
            return [device]
        whole = [device] if pool.whole_gpus else []
        return [*map(hardware.mig_resource, sharing.profiles), *whole]
    return [sharing.share_name(device)]


def _name(name: str, resource_names: tuple[str, ...], path: Path) -> SpecViolation | None:
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            plain = name.removeprefix(prefix)
            message = f"{shown(name)}: the quota counts requests, and says so itself"
            return SpecViolation(message, path, f"write {plain}", key=True)
    if name in HOST_RESOURCES or name in resource_names:
        return None
    if not resource_names:  # nothing is known of the nodes
        reason = extended_resource(name)
        return SpecViolation(reason, path, key=True) if reason else None
    choices = (*resource_names, *HOST_RESOURCES)
    hint = did_you_mean(name, choices) or f"there are: {', '.join(choices)}"
    needs: tuple[Path, ...] = (("spec", "pools"),)
    return SpecViolation(f"no pool has {shown(name)}", path, hint, key=True, needs=needs)
