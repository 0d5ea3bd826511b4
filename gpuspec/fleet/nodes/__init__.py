"""Nodes: of a profile's pools, and live ones."""

from gpuspec.fleet.nodes.layout import gpus, joined, laid_out, unknown
from gpuspec.fleet.nodes.node import HOSTNAME, DevicePart, FleetNode, Gpus
from gpuspec.fleet.nodes.pool_membership import pool_of
from gpuspec.fleet.nodes.pools import allocatable, pool_nodes

__all__ = [
    "HOSTNAME",
    "DevicePart",
    "FleetNode",
    "Gpus",
    "allocatable",
    "gpus",
    "joined",
    "laid_out",
    "pool_nodes",
    "pool_of",
    "unknown",
]
