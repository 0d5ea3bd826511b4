"""What stands beside a workload for whoever watches it: a monitor, rules of alerts, and a dashboard.

All of it is of profiles with `monitoring`: nothing imports this module for others, since start-up counts.
"""

from collections.abc import Iterator, Mapping

import msgspec

from gpuspec.plan.case import Case
from gpuspec.plan.facets import MetaPlan, NodeMap, ObjectPlan, objects
from gpuspec.plan.leaf import Leaf, Note, Origin, derived, from_profile
from gpuspec.plan.observing import of_pods, of_runs, of_servers, scraping
from gpuspec.plan.observing.dashboard import dashboard
from gpuspec.plan.observing.objects import Observed
from gpuspec.plan.observing.panels import panels
from gpuspec.plan.observing.seen import DEVICES, STATE, seen
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec, Monitoring
from gpuspec.spec.rules.monitoring import RULES

_PATH = ("spec", "monitoring")
_INSTALLED = Origin("profile", ("spec", "installed"))


class RulesPlan(msgspec.Struct, frozen=True):
    """A PrometheusRule."""

    labels: NodeMap
    group: Leaf
    rules: tuple[Leaf, ...]


class DashboardPlan(msgspec.Struct, frozen=True):
    """A ConfigMap that Grafana's sidecar reads."""

    name: Leaf
    labels: NodeMap
    data: NodeMap


def observed(
    case: Case,
    meta: MetaPlan,
    target: Target,
    ports: Mapping[str, int],
    budget: int,
    picking: Mapping[str, str] | None,
) -> Observed:
    """All of it, of a profile with `monitoring`."""
    monitoring = case.profile.spec.monitoring
    assert monitoring is not None
    found = scraping.endpoint(case, ports, target)
    monitors: list[ObjectPlan | None] = []
    if found is not None:
        # Several Services would lead to the pods of one side, and have their series twice.
        by_service = found.in_service and target.service is None and case.side is None
        its = scraping.monitor(
            case, _named(case), meta.labels, meta.selector, found, service=by_service
        )
        monitors.append(its)
    if picking is not None:
        monitors.append(_of_picker(case, meta, picking))
    return Observed(
        early=objects(("dashboard", "dashboard", _dashboard(case, meta, monitoring))),
        late=objects(
            *(each for each in monitors if each is not None),
            ("prometheus-rule", "rules", _rules(case, meta, monitoring, budget)),
        ),
        notes=tuple(_notes(case, monitoring, found)),
    )


def _of_picker(case: Case, meta: MetaPlan, labels: Mapping[str, str]) -> ObjectPlan | None:
    """How the picker is scraped, whose metrics are open where a policy says who may ask for them."""
    # Imported only for specs that have one: start-up counts.
    from gpuspec.plan import picker, pool

    if case.profile.spec.network is None:
        return None
    name = derived(
        "picker", f"{case.name}{pool.SUFFIX}", "the endpoint picker of the server's pool"
    )
    selector = {key: derived("picker", value, "its pods") for key, value in labels.items()}
    at = scraping.Endpoint("metrics", picker.METRICS, "/metrics", name.origin)
    return scraping.monitor(case, name, meta.labels, selector, at, service=False)


def _named(case: Case) -> Leaf:
    return Leaf(case.name, "the workload's name", Origin("spec", ("metadata", "name")))


def _rules(case: Case, meta: MetaPlan, monitoring: Monitoring, budget: int) -> RulesPlan | None:
    """Its alerts; None where nobody reads them."""
    if RULES not in case.profile.spec.installed:
        return None
    spec, sight = case.spec, seen(case)
    decided = (
        of_servers.alerts(case, spec, sight, budget)
        if isinstance(spec, InferenceSpec)
        else of_runs.alerts(case, spec, sight)
    )
    labels = {"namespace": case.workload.namespace, "workload": case.name}
    if spec.owner is not None:
        labels["owner"] = spec.owner
    own = {
        key: from_profile(
            (*_PATH, "labels", key), value, "Prometheus finds the rules by this label"
        )
        for key, value in monitoring.labels.items()
    }
    rules = tuple(of_pods.leaf(each, labels) for each in decided)
    if not rules:
        return None
    group = f"gpuspec.{case.workload.namespace}.{case.name}"
    return RulesPlan(
        labels={**meta.labels, **own},
        group=derived("observing", group, "one group for a workload"),
        rules=rules,
    )


def _dashboard(case: Case, meta: MetaPlan, monitoring: Monitoring) -> DashboardPlan | None:
    """Its dashboard; None where no sidecar reads one, or there is nothing to show."""
    shown = panels(case, seen(case)) if monitoring.dashboards else ()
    if not shown:
        return None
    key = f"{case.workload.namespace}-{case.name}"
    text = dashboard(f"{case.workload.namespace} / {case.name}", key, shown)
    labels = {
        name: from_profile(
            (*_PATH, "dashboards", name), value, "Grafana's sidecar finds it by this"
        )
        for name, value in monitoring.dashboards.items()
    }
    return DashboardPlan(
        name=derived("observing", f"{case.name}-dashboard", "a dashboard of this workload"),
        labels={**meta.labels, **labels},
        data={f"{key}.json": derived("observing", text, "what is seen of it, with its limits")},
    )


def _notes(case: Case, monitoring: Monitoring, found: scraping.Endpoint | None) -> Iterator[Note]:
    """What nobody can see of it, and why."""
    spec, installed = case.spec, case.profile.spec.installed
    if found is None and isinstance(spec, InferenceSpec):
        text = f"no metrics of {case.runtime.title} are known: it is not scraped; write `metrics` where it has some"
        yield Note(text, Origin("spec", ("spec", "runtime")))
    if RULES not in installed:
        yield Note(f"no alerts: {RULES} reads them, and it is not in `installed`", _INSTALLED)
        return
    if STATE not in installed:
        text = f"no alerts of pods and of memory: {STATE} counts them, and it is not in `installed`"
        yield Note(text, _INSTALLED)
    elif not seen(case).gpus:
        names = " or ".join(DEVICES)
        text = f"no alerts of GPUs: they need {names} in `installed`, and NVIDIA's GPUs that no two pods share"
        yield Note(text, _INSTALLED)
