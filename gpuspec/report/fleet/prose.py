"""Sentences about a fleet that all formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.enumeration import counted
from gpuspec.report.fit.amounts import figure, gpus, percent
from gpuspec.report.fit.prose import all_idle, figures

if TYPE_CHECKING:
    from gpuspec.fleet.fit.result import Figures, FleetReport

HEADS = ("Nodes", "GPUs", "In use", "Idle", "Stranded", "Unusable", "All idle", "Most idle")
"""The headings of `cells`."""
MEANINGS = (
    "Nodes without GPUs are left out. Stranded: idle GPUs that no class of work can use. "
    "Unusable: idle GPUs that a class cannot use, on average over the classes. All idle: "
    "nodes with no GPU in use. Most idle: whole idle GPUs on one node"
)
"""Explanations of the headings that need one."""


def summary(report: FleetReport) -> str:
    """Return the fleet in one line."""
    of = report.figures
    lost = gpus(of.stranded) if of.stranded else "none"
    return (
        f"{nodes(of)}; {gpus(of.allocated)} of {gpus(of.gpus)} GPUs in use "
        f"({percent(of.allocated, of.gpus)}), {lost} stranded, {all_idle(of.whole)}, "
        f"at most {of.largest} GPU{'s' * (of.largest != 1)} idle on one node"
    )


def nodes(of: Figures) -> str:
    """Return `9 nodes with GPUs and 4 without`; `9 nodes` if all have GPUs."""
    if not of.bare:
        return counted(of.nodes, "node")
    return f"{counted(of.nodes - of.bare, 'node')} with GPUs and {of.bare:,} without"


def fragment(of: Figures) -> str:
    """Return `8.2 GPUs, 26 % of what is idle`."""
    figure_text = f"{figure(of.fragment)} GPUs"
    return (
        f"{figure_text}, {percent(1000 * of.fragment, of.idle)} of the idle GPUs"
        if of.idle
        else figure_text
    )


def cells(of: Figures) -> tuple[str, ...]:
    """Return the figures of a group of nodes, in the order of `HEADS`."""
    return f"{of.nodes - of.bare:,}", gpus(of.gpus), *figures(of)
