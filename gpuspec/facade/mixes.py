"""The other users of a fleet: specs, manifests, or a CSV of shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.fleet.fit import PodDemand
    from gpuspec.fleet.fleets import Fleet
    from gpuspec.manifests import Problem


def mix_demands(
    paths: Sequence[str], fleet: Fleet
) -> tuple[tuple[PodDemand, ...], tuple[str, ...]]:
    """Return the demands of a mix, and notes on specs that are left out.

    Raises `InputError` for unreadable input, and for a mix of which nothing can run on this fleet.
    """
    from gpuspec.demand.demands import demands
    from gpuspec.demand.shapes import shapes
    from gpuspec.facade.reading import read_all
    from gpuspec.manifests import InputError, Problem

    pod_demands: list[PodDemand] = []
    notes: list[str] = []
    problems: list[Problem] = []
    others = [path for path in paths if not _is_table(path)]
    for path in paths:
        if _is_table(path):
            shape_demands, wrong = shapes(path, fleet)
            pod_demands += shape_demands
            problems += wrong
    if others:
        read_paths = read_all(others, fleet.profile)
        pod_demands += demands(
            read_paths.together, fleet.profile, fleet.known or None, fleet.snapshot.devices
        )[0]
        problems += read_paths.problems()
        for workload, reasons in read_paths.specs.refused:
            notes.append(f"{workload.name} is not in the mix: {reasons[0].message}")
        if read_paths.specs.refused and not pod_demands:
            problems += read_paths.specs.refusals()
    if paths and not (pod_demands or problems):
        problems.append(Problem(f"no workload in the mix {', '.join(paths)}"))
    if problems:
        raise InputError(problems)
    return tuple(pod_demands), tuple(notes)


def _is_table(path: str) -> bool:
    return path.lower().endswith(".csv")
