"""The metrics endpoint of a workload, and its form for the profile's monitoring."""

from collections.abc import Mapping

import msgspec

from gpuspec.plan import exposed
from gpuspec.plan.decision import Decision, Origin, derived, from_profile, from_spec
from gpuspec.plan.facets import NodeMap, ObjectPlan
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec, Metrics

NAME = "app.kubernetes.io/name"
_SCRAPE = ("spec", "monitoring", "scrape")
_ANNOTATION = "prometheus.io/"


class Endpoint(msgspec.Struct, frozen=True):
    """A metrics endpoint."""

    port: str | int
    """The port's name; its number if the name is not gpuspec's."""
    number: int
    path: str
    origin: Origin
    in_service: bool = False
    """Whether the Service of the pods has the port under the same name."""


class MonitorPlan(msgspec.Struct, frozen=True):
    """A PodMonitor or a ServiceMonitor."""

    name: Decision
    labels: NodeMap
    selector: NodeMap
    target_labels: Decision
    endpoints: Decision


def endpoint(resolution: Resolution, ports: Mapping[str, int], target: Target) -> Endpoint | None:
    """Return the metrics endpoint of a workload; None if no metrics are known.

    `ports`: of its server, by name; empty for other workloads.
    """
    spec, metrics = resolution.spec, resolution.runtime.metrics
    if spec.metrics is not None:
        metrics_field, path = spec.metrics, ("spec", "metrics")
        name = _named(resolution, ports).get(metrics_field.port, declared_name(resolution, ports))
        return Endpoint(
            name, metrics_field.port, metrics_field.path, Origin("spec", path), name in ports
        )
    if metrics is None or not isinstance(spec, InferenceSpec):
        return None
    row = f"runtimes/{resolution.runtime.name} metrics"
    name = metrics.port if metrics.port in ports else next(iter(ports))
    number = ports[name]
    port: str | int = name if name != "http" else target.port
    # What is put before a server gives its port another name.
    port = number if target.front else port
    behind = name == "http" and exposed.front(spec) is not None
    return Endpoint(
        port, number, metrics.path, Origin("table", row=row), not behind and port == name
    )


def container_port(resolution: Resolution, ports: Mapping[str, int]) -> tuple[Decision, ...]:
    """Return the port of a program's own metrics, if no container declares it otherwise."""
    metrics = resolution.spec.metrics
    if metrics is None or metrics.port in _named(resolution, ports):
        return ()
    value = {"name": declared_name(resolution, ports), "containerPort": metrics.port}
    return (from_spec(("spec", "metrics", "port"), value, "its metrics are scraped here"),)


def declared_name(resolution: Resolution, ports: Mapping[str, int]) -> str:
    """Return the name of that port."""
    taken_names = {*ports, *_named(resolution, ports).values()}
    return "metrics" if "metrics" not in taken_names else "own-metrics"


def _named(resolution: Resolution, ports: Mapping[str, int]) -> dict[int, str]:
    """Return the ports that containers declare, by number."""
    spec = resolution.spec
    names = {number: name for sidecar in spec.sidecars for name, number in sidecar.ports.items()}
    if isinstance(spec, InferenceSpec):
        names |= {number: name for name, number in spec.expose.ports.items()}
    return {**names, **{number: name for name, number in ports.items()}}


def annotations(resolution: Resolution, metrics_endpoint: Endpoint | None) -> NodeMap:
    """Return the scrape annotations of pods, if the profile's scraper uses annotations."""
    monitoring = resolution.profile.spec.monitoring
    if monitoring is None or monitoring.scrape != "annotations" or metrics_endpoint is None:
        return {}
    decision = from_profile(_SCRAPE, "true", "Prometheus finds it by annotations")
    return {
        f"{_ANNOTATION}scrape": decision,
        f"{_ANNOTATION}port": Decision(
            str(metrics_endpoint.number), "the port of its metrics", metrics_endpoint.origin
        ),
        f"{_ANNOTATION}path": Decision(
            metrics_endpoint.path, "the path of its metrics", metrics_endpoint.origin
        ),
    }


def monitor(
    resolution: Resolution,
    name: Decision,
    labels: NodeMap,
    selector: NodeMap,
    metrics_endpoint: Endpoint,
    *,
    service: bool,
) -> ObjectPlan | None:
    """Return the monitor object of the pods; None if there is none. `service`: a Service has the
    port."""
    monitoring = resolution.profile.spec.monitoring
    if monitoring is None or monitoring.scrape == "annotations":
        return None
    decisions = {
        key: from_profile(("spec", "monitoring", "labels", key), value, "found by this label")
        for key, value in monitoring.labels.items()
    }
    endpoint_fields: dict[str, object] = {"path": metrics_endpoint.path}
    endpoint_fields["port" if isinstance(metrics_endpoint.port, str) else "portNumber"] = (
        metrics_endpoint.port
    )
    if (relabelings := relabelled(resolution)) is not None:
        source = {"sourceLabels": ["__meta_kubernetes_pod_label_app_kubernetes_io_name"]}
        endpoint_fields["relabelings"] = [{**source, "targetLabel": relabelings}]
    by_service, why = monitoring.scrape == "service-monitor", "the port of its metrics"
    if by_service and not service:
        by_service, why = False, f"{why}; no Service exposes it"
    plan = MonitorPlan(
        name=name,
        labels={**labels, **decisions},
        selector=selector,
        target_labels=derived("observing", [NAME], "the workload of these series"),
        endpoints=Decision([dict(sorted(endpoint_fields.items()))], why, metrics_endpoint.origin),
    )
    return ObjectPlan("service-monitor" if by_service else "pod-monitor", {"monitor": plan})


def relabelled(resolution: Resolution) -> str | None:
    """Return the relabelling for the workload label that autoscalers use, if a monitor does not set
    it."""
    metrics = resolution.profile.spec.metrics
    label = metrics.labels.workload if isinstance(metrics, Metrics) else ""
    return label if label not in ("", "app_kubernetes_io_name") else None
