"""The monitoring objects of a workload: a monitor, alert rules, and a dashboard.

Only for profiles with `monitoring`: no other path imports this module, to keep the start fast.
"""

from collections.abc import Iterator, Mapping

import msgspec

from gpuspec.plan.decision import Decision, Note, Origin, derived, from_profile
from gpuspec.plan.facets import MetaPlan, NodeMap, ObjectPlan, objects
from gpuspec.plan.observing import of_pods, of_runs, of_servers, scraping
from gpuspec.plan.observing.dashboard import dashboard
from gpuspec.plan.observing.objects import MonitoringObjects
from gpuspec.plan.observing.panels import panels
from gpuspec.plan.observing.workload_series import DEVICES, STATE, workload_series
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec, Monitoring
from gpuspec.spec.rules.monitoring import RULES

_PATH = ("spec", "monitoring")
_INSTALLED = Origin("profile", ("spec", "installed"))


class RulesPlan(msgspec.Struct, frozen=True):
    """A PrometheusRule."""

    labels: NodeMap
    group: Decision
    rules: tuple[Decision, ...]


class DashboardPlan(msgspec.Struct, frozen=True):
    """A ConfigMap that Grafana's sidecar loads."""

    name: Decision
    labels: NodeMap
    data: NodeMap


def observed(
    resolution: Resolution,
    meta: MetaPlan,
    target: Target,
    ports: Mapping[str, int],
    budget: int,
    picking: Mapping[str, str] | None,
) -> MonitoringObjects:
    """Return all monitoring objects, for a profile with `monitoring`."""
    monitoring = resolution.profile.spec.monitoring
    assert monitoring is not None
    endpoint = scraping.endpoint(resolution, ports, target)
    monitors: list[ObjectPlan | None] = []
    if endpoint is not None:
        # Several Services would lead to the pods of one side, and have their series twice.
        by_service = endpoint.in_service and target.service is None and resolution.side is None
        its = scraping.monitor(
            resolution, _named(resolution), meta.labels, meta.selector, endpoint, service=by_service
        )
        monitors.append(its)
    if picking is not None:
        monitors.append(_of_picker(resolution, meta, picking))
    return MonitoringObjects(
        early=objects(("dashboard", "dashboard", _dashboard(resolution, meta, monitoring))),
        late=objects(
            *(monitor for monitor in monitors if monitor is not None),
            ("prometheus-rule", "rules", _rules(resolution, meta, monitoring, budget)),
        ),
        notes=tuple(_notes(resolution, monitoring, endpoint)),
    )


def _of_picker(
    resolution: Resolution, meta: MetaPlan, labels: Mapping[str, str]
) -> ObjectPlan | None:
    """Return the monitor of the picker, whose metrics are open if a policy limits their callers."""
    # Imported only for specs that have one: start-up counts.
    from gpuspec.plan import picker, pool

    if resolution.profile.spec.network is None:
        return None
    name = derived(
        "picker", f"{resolution.name}{pool.SUFFIX}", "the endpoint picker of the server's pool"
    )
    selector = {key: derived("picker", value, "its pods") for key, value in labels.items()}
    at = scraping.Endpoint("metrics", picker.METRICS, "/metrics", name.origin)
    return scraping.monitor(resolution, name, meta.labels, selector, at, service=False)


def _named(resolution: Resolution) -> Decision:
    return Decision(resolution.name, "the workload's name", Origin("spec", ("metadata", "name")))


def _rules(
    resolution: Resolution, meta: MetaPlan, monitoring: Monitoring, budget: int
) -> RulesPlan | None:
    """Return the alert rules; None if the profile has no reader for them."""
    if RULES not in resolution.profile.spec.installed:
        return None
    spec, series = resolution.spec, workload_series(resolution)
    decided = (
        of_servers.alerts(resolution, spec, series, budget)
        if isinstance(spec, InferenceSpec)
        else of_runs.alerts(resolution, spec, series)
    )
    labels = {"namespace": resolution.workload.namespace, "workload": resolution.name}
    if spec.owner is not None:
        labels["owner"] = spec.owner
    decisions = {
        key: from_profile(
            (*_PATH, "labels", key), value, "Prometheus finds the rules by this label"
        )
        for key, value in monitoring.labels.items()
    }
    rules = tuple(of_pods.decision(decided_alert, labels) for decided_alert in decided)
    if not rules:
        return None
    group = f"gpuspec.{resolution.workload.namespace}.{resolution.name}"
    return RulesPlan(
        labels={**meta.labels, **decisions},
        group=derived("observing", group, "one group for a workload"),
        rules=rules,
    )


def _dashboard(
    resolution: Resolution, meta: MetaPlan, monitoring: Monitoring
) -> DashboardPlan | None:
    """Return the dashboard; None without a Grafana sidecar, or without panels."""
    shown = panels(resolution, workload_series(resolution)) if monitoring.dashboards else ()
    if not shown:
        return None
    key = f"{resolution.workload.namespace}-{resolution.name}"
    text = dashboard(f"{resolution.workload.namespace} / {resolution.name}", key, shown)
    labels = {
        name: from_profile(
            (*_PATH, "dashboards", name), value, "Grafana's sidecar finds it by this"
        )
        for name, value in monitoring.dashboards.items()
    }
    return DashboardPlan(
        name=derived("observing", f"{resolution.name}-dashboard", "a dashboard of this workload"),
        labels={**meta.labels, **labels},
        data={f"{key}.json": derived("observing", text, "its metrics, with its limits")},
    )


def _notes(
    resolution: Resolution, monitoring: Monitoring, endpoint: scraping.Endpoint | None
) -> Iterator[Note]:
    """Yield notes on what cannot be monitored, with reasons."""
    spec, installed = resolution.spec, resolution.profile.spec.installed
    if endpoint is None and isinstance(spec, InferenceSpec):
        text = (
            f"gpuspec knows no metrics of {resolution.runtime.title}, so it is not scraped; "
            "write `metrics` if it has some"
        )
        yield Note(text, Origin("spec", ("spec", "runtime")))
    if RULES not in installed:
        yield Note(f"no alerts: they need {RULES}, which is not in `installed`", _INSTALLED)
        return
    if STATE not in installed:
        text = f"no alerts about pods and memory: they need {STATE}, which is not in `installed`"
        yield Note(text, _INSTALLED)
    elif not workload_series(resolution).gpus:
        names = " or ".join(DEVICES)
        text = (
            f"no alerts about GPUs: they need {names} in `installed`, and NVIDIA GPUs that "
            "pods do not share"
        )
        yield Note(text, _INSTALLED)
