"""Whether a set of workloads is placed on a fleet, where, and what that costs the others."""

from gpuspec.fleet.fit.demand import Demand, Near
from gpuspec.fleet.fit.fit import fit
from gpuspec.fleet.fit.order import Order
from gpuspec.fleet.fit.quota import Entry, Ledger, Queue, Share
from gpuspec.fleet.fit.result import FitReport, FleetReport, WorkloadFit
from gpuspec.fleet.fit.survey import survey
from gpuspec.fleet.fit.workload import refused

__all__ = [
    "Demand",
    "Entry",
    "FitReport",
    "FleetReport",
    "Ledger",
    "Near",
    "Order",
    "Queue",
    "Share",
    "WorkloadFit",
    "fit",
    "refused",
    "survey",
]
