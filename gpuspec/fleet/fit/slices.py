"""Advice on MIG layouts in which idle slices would hold a pending pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec import hardware
from gpuspec.enumeration import counted
from gpuspec.fleet.fit.fleet_metrics import working
from gpuspec.fleet.fit.result import Advice
from gpuspec.fleet.fragments.mig import MigSlice, best, most
from gpuspec.hardware import Placement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpuspec.fleet.fit.demand import PodDemand
    from gpuspec.fleet.nodes import Gpus
    from gpuspec.fleet.scheduler.node_states import NodeStates
    from gpuspec.hardware import GpuModel

_PREFIX = "nvidia.com/mig-"


def slice_advice(
    demand: PodDemand, kinds: frozenset[int], node_states: NodeStates
) -> Iterator[Advice]:
    """Yield advice for a pod that waits for a MIG slice: GPUs whose idle slices would hold it in
    another layout.

    Slices in use keep their places. The scheduler does not state which slices are in use; they are
    assumed to be the first of each resource.
    """
    for resource in demand.shape.requests:
        if not resource.startswith(_PREFIX):
            continue
        groups: dict[str, list[int]] = {}
        words: dict[str, str] = {}
        for state, count in node_states.counts.items():
            node = node_states.node_of(state)
            if not count or node.gpus is None or node_states.kind_of(state) not in kinds:
                continue
            model = _model(node.gpus)
            profile = model.profile(resource) if model else None
            if model is None or profile is None:
                continue
            for used in _used(node.gpus, node.allocatable, node_states.used(state)):
                more = most(model.mig, used, profile.name)
                if more:
                    groups.setdefault(node.group, []).extend([more] * count)
                    at = best(model.mig, used, profile.name)
                    if used and at is not None:
                        words.setdefault(node.group, f", the first at memory slice {at.start}")
        for group, slice_counts in groups.items():
            name = resource.removeprefix(_PREFIX)
            gpus = f"{counted(len(slice_counts), 'GPU')} of {group} with a new MIG layout"
            sentence = f"{gpus} would have {sum(slice_counts)} more of {name}{words.get(group, '')}"
            yield Advice(
                f"{sentence}: none of their idle slices is one", dict(demand.places).get(resource)
            )


def _model(gpus: Gpus) -> GpuModel | None:
    if gpus.sharing != "mig" or gpus.model is None:
        return None
    return hardware.model(gpus.model)


def _used(
    gpus: Gpus, allocatable: Mapping[str, int], used: Mapping[str, int]
) -> Iterator[tuple[MigSlice, ...]]:
    """Yield the slices in use, by GPU."""
    model = hardware.model(gpus.model or "")
    slices_by_gpu: list[list[MigSlice]] = [[] for _ in range(gpus.count)]
    for name, pieces in working(gpus, allocatable).items():
        profile = model.profile(name)
        for piece in pieces[: used.get(name, 0)]:
            if profile is not None and piece.start is not None:
                at = Placement(piece.start, piece.slices)
                slices_by_gpu[piece.gpu].append(MigSlice(profile.name, at))
    yield from (tuple(mig_slices) for mig_slices in slices_by_gpu)
