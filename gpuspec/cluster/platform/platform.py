"""The platform objects that a cluster needs for its profile to be true."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from gpuspec.cluster.platform.autoscaler import autoscaler_notes, expander
from gpuspec.cluster.platform.classes import class_objects
from gpuspec.cluster.platform.devices import device_objects, plugin_labels
from gpuspec.cluster.platform.exporter import exporter_objects
from gpuspec.cluster.platform.features import feature_notes, feature_objects, told_by_gpus
from gpuspec.cluster.platform.gpu_operator import operator_objects
from gpuspec.cluster.platform.karpenter import karpenters, node_pools
from gpuspec.cluster.platform.namespaces import namespace_objects
from gpuspec.cluster.platform.node_classes import node_classes
from gpuspec.cluster.platform.node_notes import node_notes
from gpuspec.cluster.platform.node_overlays import node_overlays
from gpuspec.cluster.platform.observing import observing_objects
from gpuspec.cluster.platform.plugin_off import kept_off, plugin_notes
from gpuspec.cluster.platform.priorities import priority_notes, priority_objects
from gpuspec.cluster.platform.queueing import queue_objects
from gpuspec.cluster.platform.scheduler_queues import scheduler_notes, scheduler_queues
from gpuspec.cluster.platform.shared import shared_objects
from gpuspec.kinds import apply_order
from gpuspec.spec import Profile

Object = dict[str, Any]
MANAGED_BY = {"app.kubernetes.io/managed-by": "gpuspec"}


class Platform(msgspec.Struct, frozen=True):
    """Objects in apply order, and notes for what no object can set: node labels, a provider's
    settings."""

    objects: list[Object]
    notes: tuple[str, ...]


def platform_objects(profile: Profile) -> tuple[list[Object], tuple[str, ...]]:
    """Return all platform objects of the profile, in apply order, with notes.

    The same profile gives the same result; a profile that needs no objects gives none.
    """
    parts = list(_parts(profile))
    objects = apply_order([_managed(item) for part_objects, _ in parts for item in part_objects])
    return objects, tuple(note for _, notes in parts for note in notes)


def _parts(profile: Profile) -> Iterator[tuple[list[Object], Iterable[str]]]:
    """Yield the objects of each topic, and its notes."""
    yield namespace_objects(profile), ()
    yield priority_objects(profile), priority_notes(profile)
    yield queue_objects(profile)
    yield scheduler_queues(profile), scheduler_notes(profile)
    nodes = [*node_classes(profile), *node_pools(profile), *node_overlays(profile)]
    yield nodes, node_notes(profile)
    yield expander(profile), autoscaler_notes(profile)
    labelled = {pool.name for pool in told_by_gpus(profile)}
    yield device_objects(profile, labelled)
    names = {pool.name for pool, _ in karpenters(profile)}
    yield class_objects(profile), plugin_notes(profile, labelled | names)
    yield exporter_objects(profile), ()
    yield operator_objects(profile)
    # A pool has a configuration of the plugin, or is kept off it.
    labels = plugin_labels(profile) | kept_off(profile)
    yield feature_objects(profile, labels), feature_notes(profile)
    yield shared_objects(profile), ()
    yield observing_objects(profile)


def _managed(obj: Object) -> Object:
    """Add the label that marks the object as gpuspec's."""
    metadata = obj["metadata"]
    labels = {**metadata.get("labels", {}), **MANAGED_BY}
    return {**obj, "metadata": {**metadata, "labels": dict(sorted(labels.items()))}}
