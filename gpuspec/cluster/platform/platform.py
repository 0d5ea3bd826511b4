"""The platform's own objects: what must exist on a cluster for its profile to be true."""

from typing import Any

import msgspec

from gpuspec.cluster.platform.classes import class_objects
from gpuspec.cluster.platform.devices import device_objects, plugin_labels
from gpuspec.cluster.platform.exporter import exporter_objects
from gpuspec.cluster.platform.features import feature_notes, feature_objects, told_by_gpus
from gpuspec.cluster.platform.gpu_operator import operator_objects
from gpuspec.cluster.platform.namespaces import namespace_objects
from gpuspec.cluster.platform.priorities import priority_notes, priority_objects
from gpuspec.cluster.platform.queueing import queue_objects
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
    """Namespaces, limits, priorities, queues, devices, the operator and what targets share; and notes.

    In apply order, the same for the same profile. Nothing where the profile asks for none of it.
    """
    queues, queue_notes = queue_objects(profile)
    named = plugin_labels(profile)
    labelled = [pool.name for pool in told_by_gpus(profile)]
    devices, device_notes = device_objects(profile, labelled)
    operator, operator_notes = operator_objects(profile)
    classes, class_notes = class_objects(profile)
    made = [
        *namespace_objects(profile),
        *priority_objects(profile),
        *queues,
        *devices,
        *classes,
        *exporter_objects(profile),
        *operator,
        *feature_objects(profile, named),
        *shared_objects(profile),
    ]
    objects = apply_order([_managed(item) for item in made])
    notes = (*priority_notes(profile), *queue_notes, *device_notes, *class_notes)
    return objects, (*notes, *operator_notes, *feature_notes(profile))


def _managed(made: Object) -> Object:
    """With the label that says who made it."""
    metadata = made["metadata"]
    labels = {**metadata.get("labels", {}), **MANAGED_BY}
    return {**made, "metadata": {**metadata, "labels": dict(sorted(labels.items()))}}
