"""Nodes: of a profile's pools, and live ones."""

from gpuspec.fleet.nodes.belonging import pool_of
from gpuspec.fleet.nodes.layout import gpus, joined, laid_out, unknown
from gpuspec.fleet.nodes.node import HOSTNAME, Gpus, Node, Piece
from gpuspec.fleet.nodes.pools import allocatable, pool_nodes

__all__ = [
    "HOSTNAME",
    "Gpus",
    "Node",
    "Piece",
    "allocatable",
    "gpus",
    "joined",
    "laid_out",
    "pool_nodes",
    "pool_of",
    "unknown",
]
