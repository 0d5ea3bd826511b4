"""Whether workloads are placed on a fleet, where, and what they cost it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gpuspec.facade.fleets import Fleet
    from gpuspec.fleet.fit import Demand, FitReport, FleetReport, Order, WorkloadFit
    from gpuspec.fleet.scheduler import Policy
    from gpuspec.lint.collection import Collection
    from gpuspec.lint.specs import Specs
    from gpuspec.spec import Profile


def fit(
    *paths: str,
    profile: Profile | None = None,
    live: str | None = None,
    mix: Iterable[str] = (),
    policy: Policy | None = None,
    seeds: int = 5,
    tell: Callable[[int, int], None] | None = None,
) -> FitReport:
    """Whether the workloads of specs and manifests are placed, as kube-scheduler would.

    On the nodes of a profile, or on those that run: `live` names what `kubectl get nodes,pods -A -o
    json` printed, `-` for standard input. `mix` are who else would use the fleet: specs, manifests
    or a CSV of shapes. `policy` is how nodes are scored, by default as the profile says. The
    scheduler breaks ties at random: `seeds` says how often it is tried. `tell` hears of progress.
    Raises `InputError` for what cannot be read, and for a fleet without nodes.
    """
    from msgspec.structs import replace

    from gpuspec.facade.fleets import live_fleet
    from gpuspec.facade.queueing import queues, quotas
    from gpuspec.fleet.fit import Ledger
    from gpuspec.fleet.fit import fit as fitted

    given = live_fleet(live, profile) if live is not None else None
    on = _profile(paths, profile if given is None else given.profile)
    found, collection, specs = _demands(paths, on)
    fleet = given or _nodes(on, found)
    order = _order(fleet, mix, policy, seeds)
    waiting = queues(on, collection)
    bounds, told = quotas(on, collection, (one.namespace for one in found))
    if given is not None and waiting and any(one.queue for one in found):
        told.append("what runs now is not counted against the quotas of queues")
    order = replace(order, notes=(*order.notes, *told))

    def ledger() -> Ledger:
        made = Ledger(waiting, bounds)
        for pod in () if given is None else (pod for pods in fleet.snapshot.pods for pod in pods):
            made.spend(pod.shape.namespace, pod.shape.requests)
        return made

    report = fitted(fleet.snapshot, found, ledger, order, tell)
    refused = tuple(_refused(specs))
    return report if not refused else _with(report, refused)


def fleet_report(
    *, profile: Profile | None = None, live: str | None = None, mix: Iterable[str] = ()
) -> FleetReport:
    """A fleet as it is: fragmentation by class of the mix, free blocks, stranded GPUs and why.

    Raises as `fit` does.
    """
    from gpuspec.facade.fleets import live_fleet
    from gpuspec.fleet.fit import survey

    fleet = _nodes(_profile((), profile), ()) if live is None else live_fleet(live, profile)
    return survey(fleet.snapshot, _order(fleet, mix, None, 1))


def _profile(paths: Sequence[str], given: Profile | None) -> Profile:
    """The profile: given, or of the configuration above the first path; else one without pools."""
    from gpuspec.cluster import preset
    from gpuspec.facade.linting import configured
    from gpuspec.lint.config_find import find

    if given is not None:
        return given
    configuration = find(paths[0] if paths else ".", __version__)
    if configuration.config.profile is not None:
        return configured(configuration.config.profile, configuration.folder)
    return preset("generic")


def _nodes(profile: Profile, demands: Sequence[Demand]) -> Fleet:
    from gpuspec.facade.fleets import profile_fleet

    return profile_fleet(profile, max(1, sum(one.most for one in demands)))


def _demands(paths: Sequence[str], profile: Profile) -> tuple[list[Demand], Collection, Specs]:
    """What the workloads of some paths ask for. Raises `InputError` for what cannot be read."""
    from gpuspec.facade.demands import demands
    from gpuspec.facade.reading import read_all
    from gpuspec.manifests import InputError, Problem

    read = read_all(paths, profile)
    found, collection = demands(read.together, profile)
    problems, specs = read.problems(), read.specs
    if not (problems or found or specs.refused):
        where = ", ".join("standard input" if path == "-" else path for path in paths)
        hint = "give specs, or manifests of what runs pods"
        problems.append(Problem(f"no workload in {where}", hint=hint))
    if problems:
        raise InputError(problems)
    return found, collection, specs


def _order(fleet: Fleet, mix: Iterable[str], policy: Policy | None, seeds: int) -> Order:
    from gpuspec.facade.mixes import mix_demands
    from gpuspec.fleet.fit import Order

    names = tuple(mix)
    others, notes = mix_demands(names, fleet)
    return Order(
        fleet=fleet.name,
        version=fleet.profile.spec.kubernetes,
        policy=policy or fleet.profile.spec.scoring,
        seeds=seeds,
        mix=others if names else None,
        notes=(*fleet.notes, *notes),
    )


def _refused(specs: Specs) -> Iterable[WorkloadFit]:
    """The specs that the profile cannot carry, each with the reasons."""
    from gpuspec.fleet.fit import refused

    for workload, reasons in specs.refused:
        place = reasons[0].place or workload.place(("metadata", "name"))
        texts = tuple(
            one.message if one.hint is None else f"{one.message}; {one.hint}" for one in reasons
        )
        yield refused(workload.name, workload.namespace, workload.kind, place, texts)


def _with(report: FitReport, refused: tuple[WorkloadFit, ...]) -> FitReport:
    from msgspec.structs import replace

    return replace(report, workloads=(*report.workloads, *refused))
