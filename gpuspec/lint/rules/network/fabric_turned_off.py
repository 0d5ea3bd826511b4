"""Devices of a fabric, and a variable that keeps NCCL off it."""

from collections.abc import Iterator

from gpuspec.lint.analysis.devices.makers import library, maker
from gpuspec.lint.analysis.placement.fabrics import fabric_devices, literal_env
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU911",
    "fabric-turned-off",
    "warning",
    "A variable disables the fabric that the pod holds",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers that request a fabric's devices."""
    for gpu_container in pod.gpu_containers:
        devices = fabric_devices(gpu_container, context)
        if not devices:
            continue
        # Few pods have any, and the room is large.
        from gpuspec.spec.rules.fabric import turned_off

        env = literal_env(gpu_container)
        for resource in devices:
            name = turned_off(resource, env, maker(gpu_container))
            if name is None:
                continue
            yield RawFinding(
                (*gpu_container.env_path(name), "value"),
                f"`{name}={env[name]}` makes {library(gpu_container)} ignore the `{resource}` "
                "that this container requests: its workers use TCP, and the devices stay unused",
                fix=Fix(f"delete {name}", (Drop(gpu_container.env_path(name), emptied=True),)),
            )
            break
