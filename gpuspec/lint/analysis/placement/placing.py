"""Where a pod can run: the node requirements of its object, and the pools of a profile that accept
it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.owned import QUEUE
from gpuspec.lint.context import kept_in_run
from gpuspec.manifests import Path
from gpuspec.manifests.values import items
from gpuspec.objects.lazy import kept
from gpuspec.objects.queues import KUEUE
from gpuspec.objects.runtimes import completed_pod
from gpuspec.objects.scheduling import scheduling, tolerations

if TYPE_CHECKING:
    from gpuspec.fleet.match import Requirement
    from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Pod


@kept
def requirements(pod: Pod) -> list[tuple[Requirement, ...]]:
    """Return its requirements on node labels, as an OR of ANDs; paths are from the pod's spec."""
    from gpuspec.fleet.match import alternatives

    return alternatives(scheduling(pod))


@kept
def in_all(pod: Pod) -> list[Requirement]:
    """Return its requirements on every node: the conditions in each of its alternatives."""
    from gpuspec.fleet.pins import in_every

    return in_every(requirements(pod))


def requirement_path(pod: Pod, requirement: Requirement) -> Path:
    """Return the path from the document's root; the pod's path if only the workflow has the
    requirement."""
    return pod.path(*requirement.path)


@kept
def wanted_devices(pod: Pod) -> list[str]:
    """Return the accelerators that it requests, without zero amounts."""
    device_names = (
        d.name
        for gpu_container in pod.gpu_containers
        for d in gpu_container.devices
        if d.count != 0
    )
    return list(dict.fromkeys(device_names))


@kept_in_run
def as_placed(pod: Pod, context: Context) -> Pod:
    """Return the pod as the scheduler sees it, with the fields of a runtime in the set."""
    return completed_pod(pod, context.collection) if pod.object.traits.completed else pod


@kept_in_run
def advertisers(pod: Pod, context: Context) -> list[AdvertisingPool]:
    """Return the pools whose nodes advertise every requested accelerator."""
    if not context.placed:
        return []
    from gpuspec.fleet import advertised

    names = set(wanted_devices(pod))
    return [pool for pool in context.placed if names <= {*advertised(pool.pool, pool.model)}]


@kept_in_run
def reached(pod: Pod, context: Context) -> list[AdvertisingPool]:
    """Return the pools with the resource that the pod's selectors allow."""
    if not context.placed:
        return []
    from gpuspec.fleet.match import selects

    spec = scheduling(as_placed(pod, context))
    return [
        advertiser for advertiser in advertisers(pod, context) if selects(spec, advertiser.labels)
    ]


def pins(pod: Pod, context: Context) -> list[Requirement]:
    """Return the conditions that bind it to GPU nodes: a label of accelerators, or, with a profile,
    one of its pools."""
    from gpuspec.fleet import pins as fleet_pins

    pool_labels = {item for pool in context.placed for item in pool.pool.labels.items()}
    return fleet_pins.pins(in_all(pod), pool_labels)


def gpu_toleration(pod: Pod, context: Context) -> int | None:
    """Return the index of a toleration that is there for GPU nodes, or None; a blanket one is
    not."""
    from gpuspec import hardware

    keys = {taint.key for pool in context.placed for taint in pool.pool.taints}
    for index, toleration in enumerate(tolerations(pod)):
        key = toleration.get("key")
        if isinstance(key, str) and (hardware.is_gpu_resource(key) or key in keys):
            return index
    return None


def queued(pod: Pod) -> bool:
    """Return whether Kueue admits it, and adds a flavor's selectors and tolerations."""
    owner = pod.object
    return QUEUE in owner.labels or QUEUE in pod.labels


def flavor_tolerations(context: Context) -> list[dict[str, Any]]:
    """Return the tolerations of the flavors in the set."""
    return [
        toleration
        for flavor in context.collection.of(KUEUE, "ResourceFlavor")
        for toleration in items(flavor.spec.get("tolerations"))
        if isinstance(toleration, dict)
    ]


def names(words: list[str], most: int = 4) -> str:
    """Return some names as part of a sentence, in backquotes."""
    shown = ", ".join(f"`{word}`" for word in words[:most])
    return shown if len(words) <= most else f"{shown} and {len(words) - most} more"


def required(requirement: Requirement) -> str:
    """Return a requirement as part of a sentence: the label of a node that meets it."""
    values = names(list(requirement.values))
    match requirement.operator:
        case "In" if len(requirement.values) == 1:
            return f"`{requirement.key}: {requirement.values[0]}`"
        case "In":
            return f"`{requirement.key}` one of {values}"
        case "NotIn":
            return f"`{requirement.key}` other than {values}"
        case "Gt" | "Lt":
            return f"`{requirement.key}` {'above' if requirement.operator == 'Gt' else 'below'} {values}"
        case "DoesNotExist":
            return f"no `{requirement.key}`"
        case _:
            return f"`{requirement.key}`"
