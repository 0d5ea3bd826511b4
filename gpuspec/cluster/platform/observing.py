"""Observation of all GPUs of a cluster: alert rules, and a dashboard."""

from collections.abc import Iterable, Iterator
from typing import Any

from gpuspec.cluster.platform import fleet_alerts
from gpuspec.fleet import advertised
from gpuspec.plan.devices import MAKER
from gpuspec.plan.observing.alert import Alert
from gpuspec.plan.observing.dashboard import Panel, dashboard
from gpuspec.plan.observing.promql import ENGINE, memory_share, of_pods, resource
from gpuspec.plan.observing.workload_series import DEVICES, STATE
from gpuspec.runtimes.exporters import dcgm_asked
from gpuspec.spec import Monitoring, Pool, Profile, model_of
from gpuspec.spec.rules.monitoring import RULES

NAME = "gpuspec-gpus"
_NODE = "{{hostname}}{{Hostname}} {{gpu}}"
Object = dict[str, Any]


def observing_objects(profile: Profile) -> tuple[list[Object], tuple[str, ...]]:
    """Return a PrometheusRule and a dashboard for all GPUs, and notes on further steps."""
    monitoring = profile.spec.monitoring
    if monitoring is None or monitoring.namespace is None:
        return [], ()
    counted = _ScrapedPools(profile)
    objects: list[Object] = []
    alerts = list(counted.alerts())
    if alerts and counted.has_reader:
        objects.append(_rules(monitoring, alerts))
    panels = list(counted.panels()) if monitoring.dashboards else []
    if panels:
        text = dashboard("GPUs", f"{profile.name}-gpus", panels)
        objects.append(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": _metadata(monitoring, monitoring.dashboards),
                "data": {f"{NAME}.json": text},
            }
        )
    return objects, tuple(counted.notes())


def has_device_alerts(profile: Profile) -> bool:
    """Return whether some alerts need only dcgm-exporter."""
    monitoring = profile.spec.monitoring
    if monitoring is None or monitoring.namespace is None:
        return False
    counted = _ScrapedPools(profile)
    return counted.devices and counted.has_reader


def _rules(monitoring: Monitoring, alerts: list[Alert]) -> Object:
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": _metadata(monitoring, monitoring.labels),
        "spec": {
            "groups": [{"name": "gpuspec.gpus", "rules": [alert.rule({}) for alert in alerts]}]
        },
    }


def _metadata(monitoring: Monitoring, labels: dict[str, str]) -> Object:
    return {"name": NAME, "namespace": monitoring.namespace, "labels": dict(labels)}


class _ScrapedPools:
    """The exporters that a profile has, and the pools that they cover."""

    def __init__(self, profile: Profile) -> None:
        spec = profile.spec
        self.by_claims = [pool for pool in spec.pools if pool.gpu.dra is not None]
        self.without_requests = [
            pool for pool in self.by_claims if pool.gpu.dra and pool.gpu.dra.by == "claim"
        ]
        state = STATE in spec.installed
        requested = [pool for pool in spec.pools if pool not in self.without_requests]
        on_nodes = [pool for pool in spec.pools if pool not in self.by_claims]
        self.state = state and bool(spec.pools)
        self.requested = _resources(requested) if state else []
        """GPUs that pods request as a resource."""
        self.on_nodes = _resources(on_nodes) if state else []
        """GPUs in the status of nodes."""
        devices = any(device in spec.installed for device in DEVICES)
        self.devices = devices and any(model_of(pool).vendor == MAKER for pool in spec.pools)
        self.queues = "kueue" in spec.installed
        self.has_reader = RULES in spec.installed
        self.is_told = spec.gpu_operator is not None
        """Whether the operator configures dcgm-exporter for the alerts."""

    def alerts(self) -> Iterator[Alert]:
        """Yield all alerts that the exporters support."""
        if self.requested:
            yield from fleet_alerts.request_alerts(self.requested)
        if self.on_nodes:
            yield from fleet_alerts.node_alerts(self.on_nodes)
        if self.state:
            yield fleet_alerts.labels_missing()
        if self.devices:
            yield from fleet_alerts.device_alerts()
            if self.requested:
                yield from fleet_alerts.held_alerts(self.requested)
            if self.on_nodes:
                yield fleet_alerts.unobserved(self.on_nodes)
        if self.queues:
            yield from fleet_alerts.queue_alerts()

    def panels(self) -> Iterator[Panel]:
        """Yield the panels of the dashboard, totals first."""
        if self.requested:
            yield from self._of_requests()
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

    def _of_requests(self) -> Iterator[Panel]:
        requested = fleet_alerts.asking(self.requested)
        running = 'kube_pod_status_phase{phase=~"Pending|Running"} == 1'
        allocated = f"{requested} and on (namespace, pod) ({running})"
        with_node = requested.replace("{", '{node!="",', 1)
        queries = [(f"sum({with_node} and on (namespace, pod) ({running}))", "allocated")]
        if self.on_nodes:
            total = f"sum(kube_node_status_allocatable{{{fleet_alerts.chosen(self.on_nodes)}}})"
            queries.insert(0, (total, "there"))
        yield Panel("GPUs", "short", tuple(queries))
        yield Panel("Asked for", "short", ((f"sum by (namespace) ({allocated})", "{{namespace}}"),))

    def notes(self) -> Iterator[str]:
        """Yield facts that no object contains, and gaps of the exporters."""
        if self.state:
            option = "--metric-labels-allowlist=pods=[app.kubernetes.io/name,app.kubernetes.io/component]"
            yield f"start kube-state-metrics with {option}: alerts of workloads find their pods by it"
            if self.has_reader:
                yield from self._blind()
        else:
            yield f"no alerts of pods and nodes: {STATE} counts them, and it is not in `installed`"
        if self.devices and self.has_reader and not self.is_told:
            fields = " and ".join(dcgm_asked())
            yield (
                f"GPUSlowedByHeat and GPUSlowedByPower need {fields}, which are comments in "
                "dcgm-exporter's file of counters"
            )
        of_maker = [pool for pool in self.by_claims if model_of(pool).vendor == MAKER]
        if self.devices and of_maker:
            yield (
                "start dcgm-exporter with KUBERNETES_ENABLE_DRA (its chart: "
                "kubernetesDRA.enabled), or it reports no pods for claimed GPUs: "
                f"{_names(of_maker)}"
            )
        if self.queues:
            yield "have Kueue scraped (its chart: enablePrometheus), or its queues have no alerts"

    def _blind(self) -> Iterator[str]:
        """Yield pools whose GPUs kube-state-metrics does not see, because it counts requests and
        the status of nodes."""
        if self.without_requests:
            yield (
                "alerts that read requests miss pods that get their GPUs only by claims: "
                f"{_names(self.without_requests)}"
            )
        if self.by_claims:
            yield (
                "no node's status lists claimed GPUs, so alerts of unhealthy or vanished "
                f"GPUs miss them: {_names(self.by_claims)}"
            )


def _resources(pools: Iterable[Pool]) -> list[str]:
    """Return the GPU resources of pools, in kube-state-metrics' names."""
    names = {name for pool in pools for name in advertised(pool, model_of(pool))}
    return sorted(resource(name) for name in names)


def _names(pools: list[Pool]) -> str:
    return f"{'pool' if len(pools) == 1 else 'pools'} {', '.join(pool.name for pool in pools)}"
