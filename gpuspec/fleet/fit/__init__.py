"""Whether a set of workloads fits on a fleet, on which nodes, and its effect on other workloads."""

from gpuspec.fleet.fit.demand import PodDemand, TopologyLimit
from gpuspec.fleet.fit.fit import fit
from gpuspec.fleet.fit.order import Order
from gpuspec.fleet.fit.quota import Entry, FitQueue, Ledger, QueueShare
from gpuspec.fleet.fit.result import FitReport, FleetReport, WorkloadFit
from gpuspec.fleet.fit.survey import survey
from gpuspec.fleet.fit.workload import refused

__all__ = [
    "Entry",
    "FitQueue",
    "FitReport",
    "FleetReport",
    "Ledger",
    "Order",
    "PodDemand",
    "QueueShare",
    "TopologyLimit",
    "WorkloadFit",
    "fit",
    "refused",
    "survey",
]
