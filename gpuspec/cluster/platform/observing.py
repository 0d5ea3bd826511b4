"""What watches a cluster's GPUs as a whole: rules of alerts, and a dashboard of the fleet."""

from collections.abc import Iterator
from typing import Any

from gpuspec.cluster.platform import fleet_alerts
from gpuspec.fleet import advertised
from gpuspec.plan.devices import MAKER
from gpuspec.plan.observing.alert import Alert
from gpuspec.plan.observing.dashboard import Panel, dashboard
from gpuspec.plan.observing.promql import ENGINE, memory_share, of_pods, resource
from gpuspec.plan.observing.seen import DEVICES, STATE
from gpuspec.spec import Monitoring, Profile, model_of
from gpuspec.spec.rules.monitoring import RULES

NAME = "gpuspec-gpus"
_NODE = "{{hostname}}{{Hostname}} {{gpu}}"
Object = dict[str, Any]


def observing_objects(profile: Profile) -> tuple[list[Object], tuple[str, ...]]:
    """A PrometheusRule and a dashboard for all GPUs, and what has to be done beside them."""
    monitoring = profile.spec.monitoring
    if monitoring is None or monitoring.namespace is None:
        return [], ()
    seen = _Seen(profile)
    made: list[Object] = []
    alerts = list(seen.alerts())
    if alerts and RULES in profile.spec.installed:
        made.append(_rules(monitoring, alerts))
    panels = list(seen.panels()) if monitoring.dashboards else []
    if panels:
        text = dashboard("GPUs", f"{profile.name}-gpus", panels)
        made.append(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": _metadata(monitoring, monitoring.dashboards),
                "data": {f"{NAME}.json": text},
            }
        )
    return made, tuple(seen.notes())


def _rules(monitoring: Monitoring, alerts: list[Alert]) -> Object:
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": _metadata(monitoring, monitoring.labels),
        "spec": {"groups": [{"name": "gpuspec.gpus", "rules": [each.rule({}) for each in alerts]}]},
    }


def _metadata(monitoring: Monitoring, labels: dict[str, str]) -> Object:
    return {"name": NAME, "namespace": monitoring.namespace, "labels": dict(labels)}


class _Seen:
    """What a profile says that somebody counts."""

    def __init__(self, profile: Profile) -> None:
        spec = profile.spec
        found = {name for pool in spec.pools for name in advertised(pool, model_of(pool))}
        self.resources = sorted(resource(name) for name in found)
        self.state = STATE in spec.installed and bool(self.resources)
        devices = any(each in spec.installed for each in DEVICES)
        self.devices = devices and any(model_of(pool).vendor == MAKER for pool in spec.pools)
        self.queues = "kueue" in spec.installed

    def alerts(self) -> Iterator[Alert]:
        """All that somebody can tell."""
        if self.state:
            yield from fleet_alerts.state_alerts(self.resources)
        if self.devices:
            yield from fleet_alerts.device_alerts()
        if self.state and self.devices:
            yield from fleet_alerts.held_alerts(self.resources)
        if self.queues:
            yield from fleet_alerts.queue_alerts()

    def panels(self) -> Iterator[Panel]:
        """What is shown, the whole first."""
        if self.state:
            total = f"sum(kube_node_status_allocatable{{{fleet_alerts.chosen(self.resources)}}})"
            asked = fleet_alerts.asking(self.resources)
            running = 'kube_pod_status_phase{phase=~"Pending|Running"} == 1'
            held = f"{asked} and on (namespace, pod) ({running})"
            on_nodes = asked.replace("{", '{node!="",', 1)
            placed = f"sum({on_nodes} and on (namespace, pod) ({running}))"
            yield Panel("GPUs", "short", ((total, "there"), (placed, "allocated")))
            yield Panel("Asked for", "short", ((f"sum by (namespace) ({held})", "{{namespace}}"),))
        if self.devices:
            busy = f"avg by (namespace) ({of_pods(ENGINE)})"
            yield Panel("GPUs at work", "percentunit", ((busy, "{{namespace}}"),))
            yield Panel("Memory in use", "percentunit", ((memory_share(), _NODE),))
            yield Panel("Temperature", "celsius", (("DCGM_FI_DEV_GPU_TEMP", _NODE),))
            yield Panel("Power", "watt", (("DCGM_FI_DEV_POWER_USAGE", _NODE),))
            yield Panel("Xid errors", "short", (("DCGM_FI_DEV_XID_ERRORS > 0", _NODE),))
        if self.queues:
            for title, series in (
                ("Waiting in queues", "kueue_pending_workloads"),
                ("Admitted", "kueue_admitted_active_workloads"),
            ):
                query = f"sum by (cluster_queue) ({series})"
                yield Panel(title, "short", ((query, "{{cluster_queue}}"),))

    def notes(self) -> Iterator[str]:
        """What no object can say, and what nobody can tell."""
        if self.state:
            told = "--metric-labels-allowlist=pods=[app.kubernetes.io/name,app.kubernetes.io/component]"
            yield f"start kube-state-metrics with {told}: alerts of workloads find their pods by it"
        else:
            yield f"no alerts of pods and nodes: {STATE} counts them, and it is not in `installed`"
        if self.devices:
            yield (
                "GPUSlowedByHeat and GPUSlowedByPower need DCGM_FI_DEV_THERMAL_VIOLATION and "
                "DCGM_FI_DEV_POWER_VIOLATION, which are comments in dcgm-exporter's file of counters"
            )
        if self.queues:
            yield "have Kueue scraped (its chart: enablePrometheus), or its queues have no alerts"
