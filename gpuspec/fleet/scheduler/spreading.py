"""Topology spread constraints as a pod's spec has them.

Source: Kubernetes 1.37, the scheduler's plugin PodTopologySpread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.fleet.scheduler.reading import rows, text, whole
from gpuspec.fleet.scheduler.selectors import Selector, label_selector, merged

if TYPE_CHECKING:
    from collections.abc import Mapping


class Spread(msgspec.Struct, frozen=True):
    """A constraint on how evenly the selected pods are spread over the values of a label."""

    topology: str
    skew: int
    selector: Selector
    domains: int = 1
    """With fewer eligible domains than this, the minimum counts as 0."""
    by_affinity: bool = True
    """Whether nodes that the pod's node affinity excludes are left out of the count."""
    by_taints: bool = False
    """Whether nodes whose taints the pod does not tolerate are left out of the count."""


def spreads(spec: Mapping[str, Any], labels: Mapping[str, str], when: str) -> tuple[Spread, ...]:
    """Return constraints of a pod's spec; `when` is DoNotSchedule or ScheduleAnyway."""
    constraints = []
    for row in rows(spec.get("topologySpreadConstraints")):
        topology, skew = text(row.get("topologyKey")), whole(row.get("maxSkew"), 0)
        if row.get("whenUnsatisfiable") != when or not topology or skew < 1:
            continue
        more = merged(row.get("matchLabelKeys"), labels, "In")
        constraints.append(
            Spread(
                topology,
                skew,
                label_selector(row.get("labelSelector"), *more),
                max(1, whole(row.get("minDomains"), 1)),
                row.get("nodeAffinityPolicy") != "Ignore",
                row.get("nodeTaintsPolicy") == "Honor",
            )
        )
    return tuple(constraints)
