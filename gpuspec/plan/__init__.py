"""Resolve: a workload and a profile become a plan, whose every value says why it is that value."""

from gpuspec.plan.case import Case, Refusal, Refused
from gpuspec.plan.decision import Decision
from gpuspec.plan.facets import OverridePlan, Plan
from gpuspec.plan.leaf import Leaf, Node, Note, Origin
from gpuspec.plan.offers import Offer, offers
from gpuspec.plan.pools import examine
from gpuspec.plan.resolve import resolve

__all__ = [
    "Case",
    "Decision",
    "Leaf",
    "Node",
    "Note",
    "Offer",
    "Origin",
    "OverridePlan",
    "Plan",
    "Refusal",
    "Refused",
    "examine",
    "offers",
    "resolve",
]
