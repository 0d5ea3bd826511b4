"""The report of `fit`: each workload, and the fleet before and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.manifests import Place

Verdict = Literal["placed", "partly", "held", "not placed", "refused", "unknown", "elsewhere"]
"""`partly`: some of its pods, if each is useful alone. `held`: its queue does not admit it.
`refused`: a spec that cannot run on the profile. `unknown`: the number of pods is unknown, or
another scheduler places them. `elsewhere`: it requests no device and nothing binds it to the
nodes, which all have devices."""


class GroupCapacity(msgspec.Struct, frozen=True):
    """Slots of one group of nodes for pods of a workload's shape."""

    group: str
    nodes: int
    each: int
    """Slots of an empty node."""
    bound: str
    """The resource that limits them, by its Kubernetes name."""
    gpus: int
    """GPUs of one node."""
    free: int
    """Slots of all its nodes before the workload is placed."""
    left: int = 0
    """Devices that stay idle on a node full of such pods."""
    reason: str | None = None
    """Why its nodes reject this pod even when empty, in plain words; None if they accept it."""

    @property
    def slots(self) -> int:
        """Slots of all its nodes when they are empty."""
        return self.nodes * self.each


class Landing(msgspec.Struct, frozen=True):
    """The nodes of a workload's pods."""

    group: str
    pods: int
    nodes: int


class StrandedGpus(msgspec.Struct, frozen=True):
    """GPUs that stay idle next to the workload's pods on nodes of a group, and what they lack."""

    group: str
    milli: int
    """Thousandths of a GPU, over all nodes."""
    device: str
    """The resource of these GPUs."""
    resource: str
    """The exhausted resource there, by its Kubernetes name; empty if no class requests such
    devices."""


class MetricChange(msgspec.Struct, frozen=True):
    """A figure of the fleet before and after a workload."""

    before: float
    after: float


class Advice(msgspec.Struct, frozen=True):
    """A better shape, or the nearest one that would fit."""

    text: str
    place: Place | None = None
    """Its place in the spec or manifest; None if there is no single place."""


class Reason(msgspec.Struct, frozen=True):
    """Why nodes of one group do not take the pod, in plain words that are true of each of them."""

    group: str
    nodes: int
    text: str
    of: int = 0
    """The number of nodes in the whole group."""
    change: Advice | None = None
    """The change after which one of these nodes takes it; None if there is none."""


class WorkloadFit(msgspec.Struct, frozen=True):
    """The result for one kind of pod of one object."""

    name: str
    namespace: str
    kind: str
    role: str
    """`pod` if the object has only one kind of pod."""
    place: Place | None
    pods: int
    """The maximum number of its autoscaler."""
    least: int
    """The minimum number; equal to `pods` without an autoscaler."""
    placed: int
    """Number of placed pods with the first seed."""
    bounds: tuple[int, int]
    """The smallest and largest number of placed pods over all seeds: the scheduler breaks ties at
    random."""
    requests: Mapping[str, int]
    """Of one pod, in the units of `Node.allocatable`."""
    gpus: int
    """Devices of one pod."""
    verdict: Verdict
    gang: bool
    queue: str | None
    rooms: tuple[GroupCapacity, ...]
    landings: tuple[Landing, ...]
    stranded: tuple[StrandedGpus, ...]
    fragment: MetricChange
    """Expected fragment of the whole fleet, in GPUs."""
    whole: MetricChange
    """Nodes whose GPUs are all idle."""
    message: str | None = None
    """kube-scheduler's message for the first pod that is not placed."""
    beside: int = 0
    """Its pods that were placed at the time of that message."""
    reasons: tuple[Reason, ...] = ()
    """Reasons for that pod too, with the nearest group first."""
    advice: tuple[Advice, ...] = ()
    notes: tuple[str, ...] = ()


class DeviceUse(msgspec.Struct, frozen=True):
    """The use of a part of one GPU."""

    milli: int
    workload: int | None
    """Index into `FitReport.workloads`; None for what ran before, or (`idle`) for nothing."""
    idle: bool = False
    label: str = ""
    """The name of the pod, or of the slice."""
    start: int | None = None
    """For a MIG slice: its first memory slice, and the number of its slices."""
    slices: int = 0
    stranded: bool = False
    """Idle, but usable by no class."""


class Cell(msgspec.Struct, frozen=True):
    """One GPU of a node."""

    parts: tuple[DeviceUse, ...]
    stranded: str | None = None
    """The missing resource that makes idle parts unusable by any class; empty if no class requests
    such devices, None if all are usable."""


class NodeRow(msgspec.Struct, frozen=True):
    """One node."""

    name: str
    group: str
    cells: tuple[Cell, ...]
    free: Mapping[str, int]
    """Free amounts, in the units of `Node.allocatable`."""
    allocatable: Mapping[str, int]


class ClassShare(msgspec.Struct, frozen=True):
    """One class of work, and the idle GPUs that it cannot use."""

    name: str
    weight: float
    """Its part of the demand, from 0 to 1."""
    fragment: MetricChange
    """Idle GPUs that it cannot use."""
    slots: MetricChange
    """Its pods that would still fit."""


class Figures(msgspec.Struct, frozen=True):
    """The plain figures of a fleet; GPUs in thousandths."""

    nodes: int
    gpus: int
    allocated: int
    idle: int
    stranded: int
    """Idle, but usable by no class."""
    fragment: float
    """Expected fragment in GPUs: idle GPUs that a class cannot use, weighted by the demand of the
    classes, as in `WorkloadFit.fragment`."""
    whole: int
    """Nodes whose GPUs are all idle."""
    largest: int
    """The most GPUs that are idle on one node, in whole GPUs."""
    bare: int = 0
    """The number of nodes without GPUs."""
    stranded_by: Mapping[str, int] = {}
    """Stranded thousandths by the exhausted resource next to them; under the empty name those that
    no class requests."""


class FitReport(msgspec.Struct, frozen=True):
    """The result for a set of workloads on a fleet."""

    fleet: str
    """Name of the profile, or of the file with the live nodes."""
    version: str
    """Kubernetes, `major.minor`."""
    workloads: tuple[WorkloadFit, ...]
    before: Figures
    after: Figures
    rows_before: tuple[NodeRow, ...]
    rows_after: tuple[NodeRow, ...]
    classes: tuple[ClassShare, ...]
    mix: str
    """The source of the classes, in a sentence."""
    policy: str
    seeds: int
    notes: tuple[str, ...] = ()
    """The assumptions."""

    @property
    def fits(self) -> bool:
        """Whether every workload is placed in full."""
        return all(
            workload.verdict in ("placed", "unknown", "elsewhere") for workload in self.workloads
        )


class FleetReport(msgspec.Struct, frozen=True):
    """The current state of a fleet, before anything is placed."""

    fleet: str
    figures: Figures
    groups: Mapping[str, Figures]
    rows: tuple[NodeRow, ...]
    classes: tuple[ClassShare, ...]
    mix: str
    notes: tuple[str, ...] = ()
