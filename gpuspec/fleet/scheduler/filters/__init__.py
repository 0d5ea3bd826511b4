"""The scheduler's filters, one to a file, in the order in which they run.

Order of the default profile of Kubernetes 1.37. In 1.35 and 1.36 NodeUnschedulable comes before
NodeName, which makes no difference: pods that name their node never reach the scheduler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.scheduler.filters import (
    node_affinity,
    node_name,
    node_ports,
    node_resources,
    node_unschedulable,
    taint_toleration,
    topology_spread,
    volume_binding,
    volume_zone,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.fleet.scheduler.filters.base import Filter
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot

ORDER: tuple[Callable[[Shape, Snapshot], Filter | None], ...] = (
    node_name.prepare,
    node_unschedulable.prepare,
    taint_toleration.prepare,
    node_affinity.prepare,
    node_ports.prepare,
    node_resources.prepare,
    volume_binding.prepare,
    volume_zone.prepare,
    topology_spread.prepare,
)
"""InterPodAffinity comes after them, and is always set up: running pods may exclude any other pod.
DynamicResources is the last."""
