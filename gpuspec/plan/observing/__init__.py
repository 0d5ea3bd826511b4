"""Monitoring of a workload: scraping of its pods, alerts, and a dashboard.

Modules for profiles with `monitoring` are imported only for these, to keep the start fast.
"""

from collections.abc import Mapping

from gpuspec.plan.decision import Decision
from gpuspec.plan.facets import MetaPlan, NodeMap
from gpuspec.plan.observing.objects import MonitoringObjects
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
) -> MonitoringObjects:
    """Return the monitoring objects of a workload. `ports`: of its server, by name.

    `budget`: start-up seconds of one pod. `picker`: labels of the endpoint picker's pods.
    """
    if resolution.profile.spec.monitoring is None:
        return MonitoringObjects()
    from gpuspec.plan.observing import workload

    return workload.observed(resolution, meta, target, ports, budget, picker)


def annotations(resolution: Resolution, ports: Mapping[str, int], target: Target) -> NodeMap:
    """Return the scrape annotations of a workload's pods, if the profile's scraper uses
    annotations."""
    if resolution.profile.spec.monitoring is None:
        return {}
    from gpuspec.plan.observing import scraping

    return scraping.annotations(resolution, scraping.endpoint(resolution, ports, target))


def container_port(resolution: Resolution, ports: Mapping[str, int]) -> tuple[Decision, ...]:
    """Return the port of a program's own metrics, if no container declares it otherwise."""
    if resolution.spec.metrics is None:
        return ()
    from gpuspec.plan.observing import scraping

    return scraping.container_port(resolution, ports)
