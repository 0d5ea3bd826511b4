"""Affinity of a pod's spec: to nodes, and to existing pods.

Source: Kubernetes 1.37, component-helpers `nodeaffinity`, the scheduler framework's `AffinityTerm`,
and the pod strategy of the API server, which merges `matchLabelKeys` into the selectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.fleet.scheduler.reading import pairs, rows, table, text, texts, whole
from gpuspec.fleet.scheduler.selectors import (
    HOSTNAME,
    LabelRequirement,
    Selector,
    condition,
    equal,
    label_selector,
    merged,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NAMESPACE_NAME = "kubernetes.io/metadata.name"
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


class NodeTerm(msgspec.Struct, frozen=True):
    """One alternative of a node affinity: conditions on labels and on the node's name."""

    labels: Selector
    names: tuple[LabelRequirement, ...] = ()

    def met(self, name: str, labels: Mapping[str, str]) -> bool:
        """Return whether a node meets it."""
        if not self.labels.met(labels):
            return False
        return all(requirement.met({requirement.key: name}) for requirement in self.names)


class RequiredNodes(msgspec.Struct, frozen=True):
    """What a pod requires of a node's labels and name: its selector, and any of the terms."""

    selector: Selector = Selector()
    terms: tuple[NodeTerm, ...] | None = None
    """None where the spec has no required affinity; no terms at all are met by no node."""

    def met(self, name: str, labels: Mapping[str, str]) -> bool:
        """Return whether a node meets it."""
        if not self.selector.met(labels):
            return False
        return self.terms is None or any(term.met(name, labels) for term in self.terms)

    @property
    def named(self) -> frozenset[str] | None:
        """The only nodes that any term can be met by; None where some term names none."""
        names: frozenset[str] = frozenset()
        for term in self.terms or ():
            name_values = [name.values for name in term.names if name.operator == "In"]
            if not name_values:
                return None
            names |= frozenset.intersection(*name_values)
        return names if self.terms else None

    def reads(self) -> set[str]:
        """Return the labels that it reads."""
        selectors = [self.selector, *(term.labels for term in self.terms or ())]
        return {requirement.key for selector in selectors for requirement in selector.conditions}


class PodTerm(msgspec.Struct, frozen=True):
    """A term of pod affinity or anti-affinity: the selected pods, and the topology."""

    topology: str
    selector: Selector
    namespaces: frozenset[str]
    spaces: Selector
    """Namespaces by their labels, besides those named."""

    def met(self, namespace: str, space: Mapping[str, str], labels: Mapping[str, str]) -> bool:
        """Return whether it selects a pod: by its namespace, the namespace's labels, and its own
        labels."""
        if namespace not in self.namespaces and not self.spaces.met(space):
            return False
        return self.selector.met(labels)


class WeightedTerm(msgspec.Struct, frozen=True):
    """A preference, with a weight from 1 to 100."""

    weight: int
    term: NodeTerm | PodTerm


def node_affinity(spec: Mapping[str, Any]) -> RequiredNodes:
    """Return what a pod's spec requires of nodes."""
    required = table(_affinity(spec, "nodeAffinity").get(REQUIRED)).get("nodeSelectorTerms")
    terms = node_terms(required) if isinstance(required, list) else None
    return RequiredNodes(Selector(equal(pairs(spec.get("nodeSelector")))), terms)


def node_terms(value: object) -> tuple[NodeTerm, ...]:
    """Return `nodeSelectorTerms`; those that are empty are met by no node, and left out."""
    parsed_terms = [node_term(row) for row in rows(value)]
    return tuple(term for term in parsed_terms if term is not None)


def node_term(row: Mapping[str, Any]) -> NodeTerm | None:
    """Return one term; None for an empty one."""
    expression_rows = rows(row.get("matchExpressions")), rows(row.get("matchFields"))
    if not any(expression_rows):
        return None
    labels = [
        label_requirement
        for expression in expression_rows[0]
        if (label_requirement := condition(expression, _OPERATORS))
    ]
    names = [
        label_requirement
        for field in expression_rows[1]
        if (label_requirement := condition(field, ("In", "NotIn")))
    ]
    return NodeTerm(Selector(tuple(labels)), tuple(names))


def preferred_nodes(spec: Mapping[str, Any]) -> tuple[WeightedTerm, ...]:
    """Return the nodes that a pod's spec prefers."""
    weighted_terms = []
    for row in rows(_affinity(spec, "nodeAffinity").get(PREFERRED)):
        term, weight = node_term(table(row.get("preference"))), whole(row.get("weight"), 0)
        if term is not None and weight:
            weighted_terms.append(WeightedTerm(weight, term))
    return tuple(weighted_terms)


def pod_terms(
    spec: Mapping[str, Any], kind: str, namespace: str, labels: Mapping[str, str]
) -> tuple[PodTerm, ...]:
    """Return the required terms of a pod; `kind` is podAffinity or podAntiAffinity."""
    term_rows = rows(_affinity(spec, kind).get(REQUIRED))
    return tuple(term for row in term_rows if (term := _pod_term(row, namespace, labels)))


def preferred_pods(
    spec: Mapping[str, Any], kind: str, namespace: str, labels: Mapping[str, str]
) -> tuple[WeightedTerm, ...]:
    """Return the preferred terms of a pod."""
    weighted_terms = []
    for row in rows(_affinity(spec, kind).get(PREFERRED)):
        term = _pod_term(table(row.get("podAffinityTerm")), namespace, labels)
        weight = whole(row.get("weight"), 0)
        if term is not None and weight:
            weighted_terms.append(WeightedTerm(weight, term))
    return tuple(weighted_terms)


def _pod_term(row: Mapping[str, Any], namespace: str, labels: Mapping[str, str]) -> PodTerm | None:
    topology = text(row.get("topologyKey"))
    if not topology:
        return None
    names, spaces = texts(row.get("namespaces")), row.get("namespaceSelector")
    own_namespaces = () if names or spaces is not None else (namespace,)
    more = (
        *merged(row.get("matchLabelKeys"), labels, "In"),
        *merged(row.get("mismatchLabelKeys"), labels, "NotIn"),
    )
    selector = label_selector(row.get("labelSelector"), *more)
    return PodTerm(topology, selector, frozenset((*names, *own_namespaces)), label_selector(spaces))


def _affinity(spec: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    return table(table(spec.get("affinity")).get(kind))


def reads_name(affinity: RequiredNodes) -> bool:
    """Return whether it distinguishes nodes by their names."""
    reads_names = any(term.names for term in affinity.terms or ())
    return reads_names or HOSTNAME in affinity.reads()
