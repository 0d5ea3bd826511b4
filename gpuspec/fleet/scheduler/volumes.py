"""The nodes that can reach the volumes of a pod's claims, as far as known.

Source: Kubernetes 1.37, the scheduler's plugins VolumeBinding and VolumeZone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.fleet.scheduler.reading import pairs, rows, table, text
from gpuspec.fleet.scheduler.terms import NodeTerm, node_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

_OLD = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}
ZONES = (*_OLD, *_OLD.values())


class BoundVolume(msgspec.Struct, frozen=True):
    """A persistent volume that a claim is bound to."""

    zones: tuple[tuple[str, frozenset[str]], ...] = ()
    """By label, the values of which a node must have one."""
    terms: tuple[NodeTerm, ...] | None = None
    """The volume's own node affinity; None where it has none."""

    def reads(self) -> set[str]:
        """Return the labels of nodes that it reads."""
        terms = {condition.key for term in self.terms or () for condition in term.labels.conditions}
        return terms | (set(ZONES) if self.zones else set())

    def in_zone(self, labels: Mapping[str, str]) -> bool:
        """Return whether a node is in its zone; a node without a zone label is in all zones."""
        if not self.zones or not any(key in labels for key in ZONES):
            return True
        for key, values in self.zones:
            value = labels.get(key)
            if (labels.get(_OLD.get(key, key)) if value is None else value) not in values:
                return False
        return True

    def reached(self, labels: Mapping[str, str]) -> bool:
        """Return whether its node affinity allows a node."""
        return self.terms is None or any(term.met("", labels) for term in self.terms)


def volume(volume_row: Mapping[str, Any]) -> BoundVolume:
    """Return a PersistentVolume as the API server has it."""
    labels = pairs(table(volume_row.get("metadata")).get("labels"))
    zones = tuple(
        (key, frozenset(value.split("__"))) for key, value in labels.items() if key in ZONES
    )
    required = table(table(volume_row.get("spec")).get("nodeAffinity")).get("required")
    terms = table(required).get("nodeSelectorTerms") if required is not None else None
    return BoundVolume(zones, None if terms is None else node_terms(terms))


def claims(spec: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the claims that a pod's volumes name."""
    claim_sources = [table(row.get("persistentVolumeClaim")) for row in rows(spec.get("volumes"))]
    return tuple(
        name for claim_source in claim_sources if (name := text(claim_source.get("claimName")))
    )
