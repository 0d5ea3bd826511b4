"""Demands as classes of work: the other users of the GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.fit.fleet_metrics import device_names
from gpuspec.fleet.fit.result import ClassShare, MetricChange
from gpuspec.fleet.fragments import Class, common
from gpuspec.fleet.fragments import slots as class_slots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gpuspec.fleet.fit.demand import PodDemand
    from gpuspec.fleet.fit.fleet_metrics import FleetMetrics
    from gpuspec.fleet.scheduler.node_states import NodeStates
    from gpuspec.fleet.scheduler.shape import Shape

_NAMED = 6
"""The most names in one note."""
_CLASSES = 20
"""The most classes that are reported one by one, those with the most demand."""
OWN_MIX = "the classes are the workloads themselves, weighted by their requested GPUs"
GIVEN_MIX = "the classes are those of the mix, weighted by their requested GPUs"

NO_MIX = "no mix of workloads (--mix): no idle GPU counts as stranded"


def classes(demands: Iterable[PodDemand], node_states: NodeStates) -> tuple[Class, ...]:
    """Return the classes of some demands, without those that request no device of these nodes."""
    return common(_classes(demands, node_states, device_names(node_states)))


def shares(
    fleet_metrics: FleetMetrics, before: Mapping[int, int], after: Mapping[int, int]
) -> tuple[ClassShare, ...]:
    """Return the idle GPUs that the classes of most demand cannot use, before and after."""
    return tuple(
        _share(class_, fleet_metrics, before, after)
        for class_ in fleet_metrics.metric.classes[:_CLASSES]
    )


def unmeant(fleet_metrics: FleetMetrics, *, has_mix: bool, strands: bool = True) -> tuple[str, ...]:
    """Name the groups that no class runs on, if anything `strands` on others, and classes of a mix
    that run nowhere."""
    told_of = strands and bool(fleet_metrics.metric.classes)
    groups = ", ".join(fleet_metrics.nobodys()) if told_of else ""
    class_notes = [f"no workload here runs on {groups}: idle GPUs there do not count as stranded"]
    class_notes = class_notes if groups else []
    homeless = [
        class_.name for class_ in fleet_metrics.metric.classes if class_.kinds == frozenset()
    ]
    if has_mix and homeless:
        listed_names = f"{', '.join(homeless[:_NAMED])}{' …' if len(homeless) > _NAMED else ''}"
        class_notes.append(
            f"no node takes {listed_names} of the mix, even an empty one: idle GPUs do not count as "
            "stranded for it"
        )
    return tuple(class_notes)


def _share(
    size_class: Class,
    fleet_metrics: FleetMetrics,
    before: Mapping[int, int],
    after: Mapping[int, int],
) -> ClassShare:
    def both(measure: Callable[[int], int]) -> MetricChange:
        was = now = 0
        for number in before.keys() | after.keys():
            earlier, later = before.get(number, 0), after.get(number, 0)
            measured = measure(number) if earlier or later else 0
            was += earlier * measured
            now += later * measured
        return MetricChange(was, now)

    lost = both(lambda number: fleet_metrics.lost(number, size_class))
    return ClassShare(
        name=size_class.name,
        weight=size_class.weight / fleet_metrics.metric.weight,
        fragment=MetricChange(lost.before / 1000, lost.after / 1000),
        slots=both(lambda number: class_slots(fleet_metrics.state(number), size_class)),
    )


def _classes(
    demands: Iterable[PodDemand], node_states: NodeStates, devices: frozenset[str]
) -> Iterator[Class]:
    for demand in demands:
        for name in sorted(devices & demand.shape.requests.keys()):
            count = demand.shape.requests[name]
            yield Class(
                name=demand.name,
                device=name,
                count=count,
                weight=max(demand.most, 1) * count * _milli(name, node_states),
                requests={k: v for k, v in demand.shape.requests.items() if k not in devices},
                kinds=frozenset(
                    str(kind)
                    for kind in node_states.takers(demand.shape)
                    if _is(demand, kind, node_states) and _holds(kind, demand.shape, node_states)
                ),
            )
            break


def _is(pod_demand: PodDemand, kind: int, node_states: NodeStates) -> bool:
    """Return whether nodes of a kind have one of a demand's models."""
    gpus = node_states.snapshot.nodes[node_states.kinds[kind]].gpus
    return pod_demand.models is None or (gpus is not None and gpus.model in pod_demand.models)


def _holds(kind: int, shape: Shape, node_states: NodeStates) -> bool:
    """Return whether a pod fits on an empty node of a kind; other nodes do not count for the
    class."""
    have = node_states.snapshot.nodes[node_states.kinds[kind]].allocatable
    return all(have.get(name, 0) >= amount for name, amount in shape.requests.items())


def _milli(device: str, node_states: NodeStates) -> int:
    """Return the thousandths of a GPU of a device, on the first kind of node with it."""
    for index in node_states.kinds:
        gpus = node_states.snapshot.nodes[index].gpus
        if gpus is not None and gpus.pieces.get(device):
            return gpus.pieces[device][0].milli
    return 0
