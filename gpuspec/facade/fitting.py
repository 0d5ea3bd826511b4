"""Placement of workloads on a fleet, and its cost to the fleet."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import BinaryIO

    from gpuspec.facade.reading import ReadPaths
    from gpuspec.fleet.claims.devices import ClusterDevices
    from gpuspec.fleet.fit import FitReport, FleetReport, Order, PodDemand, WorkloadFit
    from gpuspec.fleet.fleets import Fleet, Owner
    from gpuspec.fleet.scheduler.cluster_context import ClusterContext
    from gpuspec.fleet.scheduler.scoring import Policy
    from gpuspec.fleet.scheduler.snapshot import Snapshot
    from gpuspec.loading.specs import Specs
    from gpuspec.objects.collection import Collection
    from gpuspec.spec import Profile

LARGE = 2000
"""The number of nodes and pods from which forking a process pays off."""


def fit(
    *paths: str,
    profile: Profile | None = None,
    live: str | BinaryIO | None = None,
    mix: Iterable[str] = (),
    policy: Policy | None = None,
    seeds: int = 5,
    tell: Callable[[int, int], None] | None = None,
) -> FitReport:
    """Return whether and where kube-scheduler would place the workloads of specs and manifests.

    The nodes are those of a profile, or live ones: `live` names the output of `kubectl get
    nodes,pods -A -o json` (`-` for standard input), or is an open file with it. `mix` are the other
    users of the fleet: specs, manifests or a CSV of shapes. `policy` is the scoring policy, by
    default the profile's. The scheduler breaks ties at random; `seeds` is the number of attempts.
    `tell` is called with the progress of reading, then of placing. Raises `InputError` for
    unreadable input, and for a fleet without nodes.
    """
    from msgspec.structs import replace

    from gpuspec.cluster.live import live_fleet
    from gpuspec.demand.admitted import entries
    from gpuspec.demand.queueing import queues, quotas
    from gpuspec.fleet.fit import Ledger
    from gpuspec.fleet.fit import fit as fitted
    from gpuspec.fleet.hami import in_parts, parts_of

    given_fleet = live_fleet(live, profile) if live is not None else None
    on = _profile(paths, profile if given_fleet is None else given_fleet.profile)
    pod_demands, collection, beside, read_paths = _demands(paths, on, given_fleet, tell)
    parts = None if given_fleet else parts_of(pod_demands)
    fleet = given_fleet or _nodes(on, pod_demands, parts)
    if parts is not None:
        pod_demands = [in_parts(demand, parts) for demand in pod_demands]
    snapshot, pod_demands = _in_place(fleet, pod_demands)
    snapshot.namespaces.update(beside.namespaces)
    if snapshot.devices is not None:
        snapshot.devices.learn(beside.resource_claims.classes)
    order = _order(fleet, mix, policy, seeds, parts)
    waiting = queues(on, collection, fleet.known)
    queued = tuple(entries(fleet.known, frozenset(map(_owner, pod_demands))))
    bounds, notes = quotas(
        on, collection, fleet.known, (demand.namespace for demand in pod_demands)
    )
    notes += read_paths.notes()
    notes += map(str, read_paths.specs.doubts)
    notes += (*fleet.waits(list(map(_owner, pod_demands))), *_spaces(snapshot, pod_demands))
    if (
        given_fleet is not None
        and not queued
        and waiting
        and any(demand.queue for demand in pod_demands)
    ):
        notes.append(
            "no Workloads were given: running pods do not count against the quotas of queues"
        )
    order = replace(order, notes=(*order.notes, *notes))

    def ledger() -> Ledger:
        new_ledger = Ledger(waiting, bounds, queued)
        for pod in () if given_fleet is None else (pod for pods in snapshot.pods for pod in pods):
            new_ledger.spend(pod.shape.namespace, pod.shape.requests)
        return new_ledger

    large = len(snapshot.nodes) + sum(demand.most for demand in pod_demands) >= LARGE
    report = fitted(snapshot, pod_demands, ledger, order, tell, _copied if large else map)
    refused = tuple(_refused(read_paths.specs))
    return report if not refused else _with(report, refused)


def _copied(work: Callable[[int], list[int]], numbers: range) -> list[list[int]]:
    from gpuspec.facade.copying import each

    return each(work, numbers)


def fleet_report(
    *, profile: Profile | None = None, live: str | BinaryIO | None = None, mix: Iterable[str] = ()
) -> FleetReport:
    """Return the state of a fleet: fragmentation by class of the mix, free blocks, stranded GPUs
    and the reasons.

    Raises as `fit` does.
    """
    from msgspec.structs import replace

    from gpuspec.cluster.live import live_fleet
    from gpuspec.fleet.fit import survey

    fleet = _nodes(_profile((), profile), ()) if live is None else live_fleet(live, profile)
    order = _order(fleet, mix, None, 1)
    return survey(fleet.snapshot, replace(order, notes=(*order.notes, *fleet.waits(()))))


def _profile(paths: Sequence[str], profile: Profile | None) -> Profile:
    """Return the given profile, or that of the configuration above the first path, or else one
    without pools."""
    from gpuspec.cluster import preset
    from gpuspec.facade.configuration import configuration_of, configured

    return profile or configured(configuration_of(paths)) or preset("generic")


def _nodes(profile: Profile, demands: Sequence[PodDemand], parts: int | None = None) -> Fleet:
    from gpuspec.fleet.fleets import profile_fleet

    return profile_fleet(profile, max(1, sum(demand.most for demand in demands)), parts)


def _in_place(fleet: Fleet, demands: Sequence[PodDemand]) -> tuple[Snapshot, list[PodDemand]]:
    """Return the fleet without the running pods of these workloads, which the new pods replace.

    Pods that are not placed here replace none.
    """
    from msgspec.structs import replace

    owners = {
        _owner(demand): at
        for at, demand in reversed(list(enumerate(demands)))
        if not (demand.unknown or demand.invalid)
    }
    snapshot, gone = fleet.without(owners)
    noted_demands = list(demands)
    for owner, pod_count in gone.items():
        at, pods = owners[owner], "1 pod" if pod_count == 1 else f"{pod_count} pods"
        note = f"{pods} of it run already: the result is for new pods in their place"
        noted_demands[at] = replace(noted_demands[at], notes=(*noted_demands[at].notes, note))
    return snapshot, noted_demands


def _owner(pod_demand: PodDemand) -> Owner:
    return pod_demand.namespace, pod_demand.kind, pod_demand.name


def _spaces(snapshot: Snapshot, demands: Sequence[PodDemand]) -> Iterable[str]:
    """Yield notes on selectors of namespaces whose labels are unknown."""
    from gpuspec.fleet.scheduler.terms import NAMESPACE_NAME

    shapes = [*(demand.shape for demand in demands), *snapshot.shapes]
    selects_by_label = any(
        condition.key != NAMESPACE_NAME
        for shape in shapes
        for term in (*shape.near, *shape.apart)
        for condition in term.spaces.conditions
    )
    unknown = {shape.namespace for shape in shapes} - snapshot.namespaces.keys()
    if selects_by_label and unknown:
        names = ", ".join(sorted(unknown)[:3]) + (" …" if len(unknown) > 3 else "")
        yield (
            f"pods are kept together or apart by labels of namespaces, but those of {names} "
            "are unknown"
        )


def _demands(
    paths: Sequence[str],
    profile: Profile,
    live: Fleet | None,
    tell: Callable[[int, int], None] | None,
) -> tuple[list[PodDemand], Collection, ClusterContext, ReadPaths]:
    """Return the demands of the workloads in some paths. Raises `InputError` for unreadable input."""
    from gpuspec.demand.demands import demands
    from gpuspec.facade.reading import read_all
    from gpuspec.manifests import InputError, Problem

    read_paths = read_all(paths, profile, tell)
    cluster_objects = None if live is None else live.known
    devices = _kinds_of(profile) if live is None else live.snapshot.devices
    pod_demands, collection, beside = demands(
        read_paths.together, profile, cluster_objects, devices
    )
    problems = read_paths.problems()
    if not (problems or pod_demands or read_paths.specs.refused or read_paths.specs.elsewhere):
        where = ", ".join("standard input" if path == "-" else path for path in paths)
        unknown = read_paths.notes()
        hint = unknown[0] if unknown else "give specs, or manifests of workloads"
        problems.append(Problem(f"no workload in {where}", hint=hint))
    if problems:
        raise InputError(problems)
    return pod_demands, collection, beside, read_paths


def _kinds_of(profile: Profile) -> ClusterDevices | None:
    """Return the devices for claims on a node of each pool, so that a pod's claims can be counted."""
    from gpuspec.fleet.claims.supposed import supposed
    from gpuspec.fleet.nodes import pool_nodes

    pools = profile.spec.pools
    if all(pool.gpu.dra is None for pool in pools):
        return None
    return supposed(profile, pool_nodes(profile, {pool.name: 1 for pool in pools}))


def _order(
    fleet: Fleet,
    mix: Iterable[str],
    policy: Policy | None,
    seeds: int,
    parts: int | None = None,
) -> Order:
    from gpuspec.facade.mixes import mix_demands
    from gpuspec.fleet.fit import Order
    from gpuspec.fleet.hami import in_parts

    names = tuple(mix)
    others, notes = mix_demands(names, fleet)
    if parts is not None:
        others = tuple(in_parts(demand, parts) for demand in others)
    return Order(
        fleet=fleet.name,
        version=fleet.version,
        policy=policy or fleet.profile.spec.scoring,
        seeds=seeds,
        mix=others if names else None,
        notes=(*fleet.notes, *notes),
    )


def _refused(specs: Specs) -> Iterable[WorkloadFit]:
    """Yield the specs that the profile rejects, each with the reasons."""
    from gpuspec.fleet.fit import refused

    for workload, reasons in specs.refused:
        place = reasons[0].place or workload.place(("metadata", "name"))
        texts = tuple(
            reason.message if reason.hint is None else f"{reason.message}; {reason.hint}"
            for reason in reasons
        )
        yield refused(workload.name, workload.namespace, workload.kind, place, texts)


def _with(report: FitReport, refused: tuple[WorkloadFit, ...]) -> FitReport:
    from msgspec.structs import replace

    return replace(report, workloads=(*report.workloads, *refused))
