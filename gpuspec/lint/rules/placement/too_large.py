"""A pod that requests more than any of its possible nodes has."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.placement.own_machine import OwnMachine, own_machine
from gpuspec.lint.analysis.placement.placing import (
    advertisers,
    reached,
    required,
    requirement_path,
    wanted_devices,
)
from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
from gpuspec.lint.analysis.sharing.sharing import splits
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.numbers import inexact
from gpuspec.objects.amounts import CPU, MEMORY, all_amounts, amounts

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU205",
    "too-large",
    "error",
    "A pod requests more than any eligible node has",
)

DISK = "ephemeral-storage"
_UNTOLD = "add the resource to the pools' `rdma`, if the nodes have it"
# GPUs of the largest usual machine: below it the table of machines is not asked.
_USUAL = 8


class Short(msgspec.Struct, frozen=True):
    """A resource of which a node of a pool has too little. `hard`: even without any DaemonSet."""

    pool: str
    resource: str
    have: Fraction
    hard: bool


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield GPUs, CPU, memory and disk against a node of each pool; without pools, GPUs alone."""
    devices = wanted_devices(pod)
    if not devices or pod.spec.get("nodeName"):
        return
    if context.cluster is None or not context.cluster.pools:
        machine = own_machine(pod)
        if machine is None:
            yield from _beyond_all(pod, devices)
        else:
            yield from _beyond_own(pod, machine, context)
        return
    pools = reached(pod, context)
    if not pools:
        yield from _nobody_has(pod, context, devices)
        return
    fabrics = _fabrics(pod, context)
    requested = _asked(pod) | fabrics
    short = [next(iter(_shortages(requested, pool, fabrics)), None) for pool in pools]
    shortages = [shortage for shortage in short if shortage is not None]
    if len(shortages) < len(pools):
        return
    worst = max(
        shortages,
        key=lambda shortage: sum(
            other_shortage.resource == shortage.resource for other_shortage in shortages
        ),
    )
    at_most = _shown(
        worst.resource,
        max(shortage.have for shortage in shortages if shortage.resource == worst.resource),
    )
    profile = context.profile.name if context.profile else ""
    hard = all(shortage.hard for shortage in shortages)
    untold = any(
        shortage.resource not in _offered(context) and "/" in shortage.resource
        for shortage in shortages
    )
    less = ", ".join(
        f"pool `{shortage.pool}` {'has' if shortage.hard else 'leaves'} {_shown(shortage.resource, shortage.have)}"
        for shortage in shortages[:4]
    )
    yield RawFinding(
        _path(pod, worst.resource),
        f"the pod stays Pending: it requests {_shown(worst.resource, requested[worst.resource])}, but "
        f"in profile `{profile}` a node of {less}",
        note=_UNTOLD
        if untold
        else f"request at most {at_most}, or add a pool with larger nodes"
        if hard
        else f"request at most {at_most}: the profile's reserve for DaemonSets is already subtracted",
        severity=None if hard and not untold else "warning",
        confidence="certain" if hard and not untold else "likely",
    )


def _asked(pod: Pod) -> dict[str, Fraction]:
    """Return the pod's total requests of each resource."""
    requested = amounts(pod)
    running = [container for container in pod.every if container.stage in ("main", "sidecar")]
    disk = [
        quantity.value for container in running if (quantity := container.amount(DISK)) is not None
    ]
    return {**requested, DISK: sum(disk[1:], start=disk[0])} if disk else requested


def _fabrics(pod: Pod, context: Context) -> dict[str, Fraction]:
    """Return its requests of fabric devices, which pools have according to the profile."""
    from gpuspec import hardware
    from gpuspec.fleet import fabric_devices

    profile_devices = {name for pool in context.placed for name in fabric_devices(pool.pool)}
    return {
        name: most
        for name, most in all_amounts(pod).items()
        if name in profile_devices or ("/" in name and hardware.fabric(name) is not None)
    }


def _offered(context: Context) -> set[str]:
    """Return the extended resources that some pool of the profile has."""
    from gpuspec.fleet import advertised, fabric_devices

    return {
        name
        for pool in context.placed
        for name in (*advertised(pool.pool, pool.model), *fabric_devices(pool.pool))
    }


def _shortages(
    requested: dict[str, Fraction], advertising_pool: AdvertisingPool, fabrics: Iterable[str]
) -> Iterator[Short]:
    """Yield shortages: devices first, and those without any DaemonSet before those that DaemonSets
    cause."""
    from gpuspec.fleet import advertised, fabric_devices

    pool = advertising_pool.pool
    devices = advertised(pool, advertising_pool.model)
    fabric = dict.fromkeys(fabrics, 0) | fabric_devices(pool)
    for name, count in (devices | fabric).items():
        if requested.get(name, 0) > count:
            yield Short(pool.name, name, Fraction(count, 1), hard=True)
    have, reserved = pool.allocatable, pool.reserved
    if have is None:
        return
    rows = [
        (CPU, have.cpu.value, reserved.cpu.value),
        (MEMORY, have.memory.value, reserved.memory.value),
    ]
    if have.ephemeral_storage is not None:
        rows.append((DISK, have.ephemeral_storage.value, reserved.ephemeral_storage.value))
    for name, most, _ in rows:
        if requested.get(name, 0) > most:
            yield Short(pool.name, name, most, hard=True)
    for name, most, gone in rows:
        if requested.get(name, 0) > most - gone:
            yield Short(pool.name, name, most - gone, hard=False)


def _nobody_has(pod: Pod, context: Context, devices: list[str]) -> Iterator[RawFinding]:
    """Yield devices of which no pool has all; a maker's on a cluster that has none of that
    maker."""
    from gpuspec import hardware
    from gpuspec.spec import model_of

    if advertisers(pod, context) or context.cluster is None:
        return
    # Of other makers' devices a profile cannot tell.
    tellable = {model.vendor for model in hardware.models()}
    profile = context.profile.name if context.profile else ""
    if set(devices) <= _offered(context):
        yield RawFinding(
            _path(pod, devices[-1]),
            f"the pod stays Pending: no pool of profile `{profile}` has "
            f"{' and '.join(f'`{device}`' for device in devices)}, and a pod runs on one node",
            note="request each of them in a separate pod: some pool has each",
        )
        return
    makers = {model_of(pool).vendor for pool in context.cluster.pools}
    resources = [pool.gpu.resource for pool in context.cluster.pools]
    for name in devices:
        resource = hardware.resource(name)
        if resource is None or resource.vendor not in tellable:
            continue
        if resource.vendor not in makers and name not in resources:
            yield RawFinding(
                _path(pod, name),
                f"the pod stays Pending: no pool of profile `{profile}` advertises `{name}`",
                note=f"request {choice_of(dict.fromkeys(resources))}",
            )


def _beyond_own(pod: Pod, machine: OwnMachine, context: Context) -> Iterator[RawFinding]:
    """Yield requests that exceed the machines that the pod itself requires."""
    from gpuspec import hardware

    words = required(machine.requirement)
    requested = amounts(pod)
    for container in pod.gpu_containers:
        for device in container.devices:
            resource = hardware.resource(device.name)
            if resource is None or resource.kind != "device" or not device.count:
                continue
            count = device.count if isinstance(device.count, int) else 1
            most = machine.devices.get(resource.vendor, 0)
            if not most and resource.vendor in _COMPARED and (machine.cpu or not machine.devices):
                yield RawFinding(
                    device.path,
                    f"the pod stays Pending: it requires {words}, and no such machine has "
                    f"`{device.name}`",
                    note=f"select machines that have `{device.name}`",
                    severity=None if machine.devices else "warning",
                    confidence="certain" if machine.devices else "likely",
                    related=_at(pod, machine),
                )
                return
            shared = splits(pod, device, context)
            if most and count > most and (shared is None or not shared.ways):
                yield RawFinding(
                    device.path,
                    f"the pod stays Pending: it requests {count} × `{device.name}`, but a machine with "
                    f"{words} has at most {most}",
                    note=f"request at most {most}, unless the nodes share their GPUs",
                    severity="warning",
                    confidence="likely",
                    related=_at(pod, machine),
                )
                return
    for resource_name, has in ((CPU, machine.cpu), (MEMORY, machine.memory)):
        if has is not None and requested.get(resource_name, 0) > has:
            yield RawFinding(
                _path(pod, resource_name),
                f"the pod stays Pending: it requests {_shown(resource_name, requested[resource_name])}, but a "
                f"machine with {words} has {_shown(resource_name, Fraction(has, 1))}",
                note="request less than the machine has: the kubelet and DaemonSets need a part",
                related=_at(pod, machine),
            )
            return


_COMPARED = ("nvidia", "amd", "neuron")
"""Vendors all of whose machines at these clouds are in the tables."""


def _at(pod: Pod, machine: OwnMachine) -> tuple[RelatedPlace, ...]:
    path = requirement_path(pod, machine.requirement)
    return (RelatedPlace(pod.object.number, path, "the machines"),)


def _beyond_all(pod: Pod, devices: list[str]) -> Iterator[RawFinding]:
    """Check that more GPUs than any machine has that is known."""
    gpus = max((container.gpus for container in pod.every), default=0)
    if gpus <= _USUAL or len(devices) > 1:
        return
    from gpuspec import hardware

    resource = hardware.resource(devices[0])
    if resource is None or resource.kind != "device" or resource.vendor != "nvidia":
        return
    most = max(shape.gpus for model in hardware.models() for shape in hardware.node_shapes(model))
    if gpus > most:
        yield RawFinding(
            _path(pod, devices[0]),
            f"the pod stays Pending: {gpus} GPUs in one container, but no known machine has more "
            f"than {most}",
            note="divide the work among several pods: a pod runs on one node",
            severity="warning",
            confidence="likely",
        )


def _path(pod: Pod, resource: str) -> Path:
    """Return the path of the largest request."""
    most = max(
        pod.every, key=lambda container: a.value if (a := container.amount(resource)) else -1
    )
    where = "requests" if resource in most.requests else "limits"
    return most.path(most.resources_at, where, resource)


def _shown(resource: str, amount: Fraction) -> str:
    if resource == CPU:
        return f"{inexact(amount):g} CPUs"
    if resource in (MEMORY, DISK):
        noun = "memory" if resource == MEMORY else "ephemeral storage"
        return f"{inexact(amount) / (1 << 30):.4g}Gi of {noun}"
    return f"{math.floor(amount)} × `{resource}`" if amount else f"no `{resource}`"
