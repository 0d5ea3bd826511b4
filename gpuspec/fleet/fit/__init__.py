"""Whether a set of workloads is placed on a fleet, where, and what that costs the others."""

from gpuspec.fleet.fit.demand import Demand, Near
from gpuspec.fleet.fit.fit import Order, fit, refused, survey
from gpuspec.fleet.fit.quota import Ledger, Queue, Share
from gpuspec.fleet.fit.result import FitReport, FleetReport, WorkloadFit

__all__ = [
    "Demand",
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
