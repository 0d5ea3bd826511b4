"""What is observed: how pods are scraped, which alerts there are of them, and what a dashboard shows.

What is written for a profile with `monitoring` is imported only for it: start-up counts.
"""

from collections.abc import Mapping

from gpuspec.plan.decision import Decision
from gpuspec.plan.facets import MetaPlan, NodeMap
from gpuspec.plan.observing.objects import Observed
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import Target


def observed(
    resolution: Resolution,
    meta: MetaPlan,
    target: Target,
    ports: Mapping[str, int],
    *,
    budget: int = 0,
    picker: Mapping[str, str] | None = None,
) -> Observed:
    """Return what is watched of a workload, and by what. `ports`: of its server, by name.

    `budget`: start-up seconds of one pod. `picker`: labels of the pods that pick among its replicas.
    """
    if resolution.profile.spec.monitoring is None:
        return Observed()
    from gpuspec.plan.observing import workload

    return workload.observed(resolution, meta, target, ports, budget, picker)


def annotations(resolution: Resolution, ports: Mapping[str, int], target: Target) -> NodeMap:
    """Return what tells a scraper of a workload's pods, where the profile says that it goes by
    annotations."""
    if resolution.profile.spec.monitoring is None:
        return {}
    from gpuspec.plan.observing import scraping

    return scraping.annotations(resolution, scraping.endpoint(resolution, ports, target))


def container_port(resolution: Resolution, ports: Mapping[str, int]) -> tuple[Decision, ...]:
    """Return the port of a program's own metrics, where nothing else declares it."""
    if resolution.spec.metrics is None:
        return ()
    from gpuspec.plan.observing import scraping

    return scraping.container_port(resolution, ports)
