"""Several Neuron devices for one container, which nothing keeps next to each other."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.own_machine import own_machine
from gpuspec.lint.analysis.placement.placing import in_all
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import text
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU952",
    "devices-apart",
    "warning",
    "A pod gets Neuron devices that are not connected, or asks for a number that is never given",
)

_DEFAULT = "default-scheduler"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers with some of a node's devices, by the scheduler of their pod."""
    from gpuspec import hardware

    scheduler = text(pod.spec.get("schedulerName")) or _DEFAULT
    machine = own_machine(pod)
    models = [
        model
        for requirement in in_all(pod)
        if machine is not None and requirement == machine.requirement
        for value in requirement.values
        for model in hardware.machine_models(value)
    ]
    for container in pod.gpu_containers:
        for device in container.devices:
            resource = hardware.resource(device.name)
            count = device.count
            maker = None if resource is None else hardware.vendor(resource.vendor)
            extension = None if maker is None else maker.scheduler
            if resource is None or extension is None or not count or count == 1:
                continue
            most = None if machine is None else machine.devices.get(resource.vendor)
            whole = most
            if resource.kind == "core":
                whole = most * models[0].cores if most and models else None
            if scheduler == _DEFAULT:
                is_whole = (
                    count >= whole if whole else resource.kind == "core" or count in extension.whole
                )
                if not is_whole:
                    yield RawFinding(
                        device.path,
                        f"the default scheduler may choose `{device.name}` that are not connected to each "
                        "other: the Neuron runtime then fails to start, or is slow",
                        note="set `schedulerName` to the scheduler with the Neuron extension "
                        f"(`{extension.names[0]}` in its chart), or request all of a node",
                        severity=None if whole else "info",
                        confidence="likely" if whole else "possible",
                    )
            elif resource.kind == "device" and any(word in scheduler for word in extension.names):
                counts = models[0].counts if models else ()
                if counts and whole == counts[-1] and count not in counts:
                    *fewer, last = map(str, counts)
                    yield RawFinding(
                        device.path,
                        f"the pod stays Pending: the Neuron scheduler extension gives {', '.join(fewer)} or "
                        f"{last} devices of this machine, not {count}",
                        note=f"request {', '.join(fewer)} or {last} devices",
                        confidence="likely",
                    )
