"""What is said of a fleet, in sentences that all formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.report.fit.amounts import figure, gpus, percent
from gpuspec.report.fit.prose import figures
from gpuspec.report.lint.words import counted

if TYPE_CHECKING:
    from gpuspec.fleet.fit.result import Figures, FleetReport

HEADS = ("Nodes", "GPUs", "In use", "Idle", "Stranded", "Fragment", "Whole", "Largest")
"""What `cells` are called."""


def summary(report: FleetReport) -> str:
    """The fleet in one line."""
    of = report.figures
    lost = gpus(of.stranded) if of.stranded else "none"
    whole = counted(of.whole, "whole node")
    return (
        f"{counted(of.nodes, 'node')}; {gpus(of.allocated)} of {gpus(of.gpus)} GPUs in use "
        f"({percent(of.allocated, of.gpus)}), {lost} stranded, {whole} free, "
        f"the largest free block is {of.largest} GPU{'s' * (of.largest != 1)} on one node"
    )


def fragment(of: Figures) -> str:
    """`8.2 GPUs, 26 % of what is idle`."""
    said = f"{figure(of.fragment)} GPUs"
    return f"{said}, {percent(1000 * of.fragment, of.idle)} of what is idle" if of.idle else said


def cells(of: Figures) -> tuple[str, ...]:
    """The figures of a group of nodes, as `HEADS` names them."""
    return f"{of.nodes:,}", gpus(of.gpus), *figures(of)
