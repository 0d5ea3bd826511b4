"""Workers that are configured for a fabric, or could have one, and do not request its devices."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.lint.analysis.devices.makers import has_own_network, library, maker
from gpuspec.lint.analysis.placement.fabrics import EFA, fabric_devices, fabric_pools, literal_env
from gpuspec.lint.analysis.placement.placing import in_all
from gpuspec.lint.analysis.serving.shm import is_sample
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU910",
    "fabric-not-requested",
    "warning",
    "Workers do not request the fabric's devices",
)
_ALL = 8
"""GPUs of the machines with several interfaces."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods that use a fabric by their environment, by the profile's pools or by the
    instance type."""
    if pod.claims or not is_whole(pod) or pod.spec.get("hostNetwork") is True:
        return
    for gpu_container in pod.gpu_containers:
        if (
            gpu_container.stage != "main"
            or not gpu_container.gpus
            or fabric_devices(gpu_container, context)
        ):
            continue
        if has_own_network(gpu_container):
            continue
        provider = gpu_container.env_value("FI_PROVIDER")
        if provider is not None and provider.lower().split(",")[0].strip() == "efa":
            yield RawFinding(
                (*gpu_container.env_path("FI_PROVIDER"), "value"),
                f"`FI_PROVIDER=efa` is set but no `{EFA}` is requested: the container has no "
                f"EFA device, and {library(gpu_container)} silently uses TCP",
                note=f"add `{EFA}` to `limits`, as many as the machine has for these GPUs",
            )
            return
        if _meets(pod) and not is_sample(gpu_container):
            yield from _could(pod, gpu_container, context)


def _meets(pod: Pod) -> bool:
    """Return whether it is one of several pods that work together."""
    return pod.role.gang and (pod.role.count or 0) > 1


def _could(pod: Pod, container: PodContainer, context: Context) -> Iterator[RawFinding]:
    pools = fabric_pools(pod, context)
    if pools:
        from gpuspec.spec.rules.fabric import kept_off

        rdma = pools[0].pool.rdma
        if rdma is None or rdma.resource is None:
            return
        if kept_off(rdma.known_fabric, literal_env(container), maker(container)):
            return
        if rdma.per_gpu and rdma.amount * container.gpus < pools[0].pool.gpu.count:
            return
        names = ", ".join(f"`{pool.pool.name}`" for pool in pools)
        yield RawFinding(
            container.path(container.resources_at, "limits", rdma.resource),
            f"{pod.role.count} workers do not request `{rdma.resource}`, which the nodes "
            f"have: {library(container)} silently uses TCP between them, several times slower",
            note=f"request `{rdma.resource}` in `limits`: the pools {names} have the resource",
        )
        return
    if container.gpus < _ALL or (context.cluster is not None and context.cluster.pools):
        return
    machine = next(
        (
            requirement.values[0]
            for requirement in in_all(pod)
            if requirement.key == hardware.INSTANCE_TYPE and len(requirement.values) == 1
        ),
        "",
    )
    interfaces = _interfaces(machine) if machine else 0
    if not interfaces:
        return
    from gpuspec.spec.rules.fabric import turned_off

    if not turned_off(EFA, literal_env(container), maker(container)):
        yield RawFinding(
            container.path(container.resources_at, "limits", EFA),
            f"{pod.role.count} workers on `{machine}` do not request `{EFA}`, although the "
            f"machine has {interfaces}: {library(container)} silently uses TCP between them, "
            "several times slower",
            note="add it to `limits`, and use an image with libfabric and the plugin aws-ofi-nccl",
            confidence="likely",
        )


def _interfaces(machine: str) -> int:
    rows = [row for provider in hardware.providers().values() for row in provider.rdma]
    return next((row.machines[machine] for row in rows if machine in row.machines), 0)
