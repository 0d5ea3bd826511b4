"""The platform's own objects: what must exist on a cluster for its profile to be true."""

from typing import Any

import msgspec

from gpuspec.cluster.platform.autoscaler import autoscaler_notes, expander
from gpuspec.cluster.platform.devices import device_objects
from gpuspec.cluster.platform.karpenter import node_pools
from gpuspec.cluster.platform.namespaces import namespace_objects
from gpuspec.cluster.platform.node_classes import node_classes
from gpuspec.cluster.platform.node_notes import node_notes
from gpuspec.cluster.platform.node_overlays import node_overlays
from gpuspec.cluster.platform.priorities import priority_notes, priority_objects
from gpuspec.cluster.platform.queueing import queue_objects
from gpuspec.cluster.platform.scheduler_queues import scheduler_notes, scheduler_queues
from gpuspec.cluster.platform.shared import shared_objects
from gpuspec.kinds import apply_order
from gpuspec.spec import Profile

Object = dict[str, Any]
MANAGED_BY = {"app.kubernetes.io/managed-by": "gpuspec"}


class Platform(msgspec.Struct, frozen=True):
    """Objects in apply order, and what no object can say: node labels, a provider's settings."""

    objects: list[Object]
    notes: tuple[str, ...]


def platform_objects(profile: Profile) -> tuple[list[Object], tuple[str, ...]]:
    """Namespaces, quotas, priorities, queues, nodes, devices and what targets share, in apply order; and
    notes.

    The same for the same profile. Nothing where the profile asks for none of it.
    """
    queues, queue_notes = queue_objects(profile)
    devices, device_notes = device_objects(profile)
    made = [
        *namespace_objects(profile),
        *priority_objects(profile),
        *queues,
        *scheduler_queues(profile),
        *node_classes(profile),
        *node_pools(profile),
        *node_overlays(profile),
        *expander(profile),
        *devices,
        *shared_objects(profile),
    ]
    objects = apply_order([_managed(item) for item in made])
    notes = (
        *priority_notes(profile),
        *queue_notes,
        *scheduler_notes(profile),
        *node_notes(profile),
        *autoscaler_notes(profile),
        *device_notes,
    )
    return objects, notes


def _managed(made: Object) -> Object:
    """With the label that says who made it."""
    metadata = made["metadata"]
    labels = {**metadata.get("labels", {}), **MANAGED_BY}
    return {**made, "metadata": {**metadata, "labels": dict(sorted(labels.items()))}}
