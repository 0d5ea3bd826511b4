"""The objects of a release: one for each controller, and its services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.charts.app_template.app import App, enabled
from gpuspec.charts.app_template.containers import put_container
from gpuspec.charts.app_template.volumes import put_volumes
from gpuspec.charts.chart_object import Sheet, is_empty
from gpuspec.manifests.values import at, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.charts.chart_object import ChartObject
    from gpuspec.charts.release import Release
    from gpuspec.manifests import Path

NAME = "app-template"
_KINDS = {
    "deployment": ("apps/v1", "Deployment"),
    "statefulset": ("apps/v1", "StatefulSet"),
    "daemonset": ("apps/v1", "DaemonSet"),
    "cronjob": ("batch/v1", "CronJob"),
    "job": ("batch/v1", "Job"),
}
_OPTIONS = (
    "enableServiceLinks",
    "automountServiceAccountToken",
    "priorityClassName",
    "runtimeClassName",
    "schedulerName",
    "securityContext",
    "hostname",
    "hostIPC",
    "hostNetwork",
    "hostPID",
    "hostUsers",
    "shareProcessNamespace",
    "dnsPolicy",
    "dnsConfig",
    "hostAliases",
    "imagePullSecrets",
    "terminationGracePeriodSeconds",
    "resources",
    "resourceClaims",
    "restartPolicy",
    "nodeSelector",
    "affinity",
    "topologySpreadConstraints",
    "tolerations",
)
"""Options of a pod, with the names of its fields."""
_DEFAULTED = ("0.", "1.", "2.")
"""Releases whose default values have a controller of their own, with probes."""
_PRIMARY = (*_DEFAULTED, "3.")
_CRON = {"suspend": "suspend", "concurrencyPolicy": "concurrencyPolicy", "schedule": "schedule"}
_JOB = (
    "activeDeadlineSeconds",
    "ttlSecondsAfterFinished",
    "parallelism",
    "completions",
    "completionMode",
    "backoffLimit",
)


def looks_like(values: dict[str, Any]) -> bool:
    """Return whether values are written for this chart, or for one that uses its library."""
    return any(
        isinstance(mapping(container).get("image"), dict)
        for controller in mapping(values.get("controllers")).values()
        for container in mapping(mapping(controller).get("containers")).values()
    )


def make(release: Release) -> Iterator[ChartObject]:
    """Yield the objects that the chart makes from a release's values."""
    app = App(release)
    whole = release.whole and not release.version.startswith(_DEFAULTED)
    for controller in app.controllers:
        if (sheet := _controller(app, controller)) is not None:
            yield sheet.made(whole=whole)
    for key in app.services:
        if (sheet := _service(app, key)) is not None:
            yield sheet.made(whole=whole)


def _controller(app: App, key: str) -> Sheet | None:
    controller = app.controllers[key]
    kind = text(controller.get("type")) or "deployment"
    if kind not in _KINDS or not enabled(controller.get("containers")):
        return None
    sheet, origin = Sheet(app.values), ("controllers", key)
    _begin(sheet, app, *_KINDS[kind], app.called(key, controller, len(app.controllers)), origin)
    labels, spec = app.labels(key), ("spec",)
    template: Path = ("spec", "template")
    if kind == "cronjob":
        template = ("spec", "jobTemplate", "spec", "template")
        for field, called in _CRON.items():
            sheet.copy((*spec, called), (*origin, kind, field))
        _put_job(sheet, template[:-1], (*origin, kind))
    elif kind == "job":
        _put_job(sheet, spec, (*origin, kind))
    else:
        sheet.put((*spec, "selector"), {"matchLabels": labels}, origin)
        _put_rollout(sheet, controller, kind, origin)
    if kind == "statefulset":
        service_name = app.filled(at(controller, (kind, "serviceName")))
        sheet.put(
            (*spec, "serviceName"), service_name if isinstance(service_name, str) else app.fullname
        )
    _put_pod(sheet, app, key, template, labels)
    if kind in ("job", "cronjob") and not at(sheet.value, (*template, "spec", "restartPolicy")):
        sheet.put((*template, "spec", "restartPolicy"), "Never")
    return sheet


def _begin(sheet: Sheet, app: App, version: str, kind: str, name: str, origin: Path) -> None:
    """Write an object's name."""
    sheet.put(("apiVersion",), version, origin)
    sheet.put(("kind",), kind, origin)
    sheet.put(("metadata",), {"name": name}, origin)
    if app.release.namespace:
        sheet.put(("metadata", "namespace"), app.release.namespace, origin)
    sheet.put(("spec",), {}, origin)
    for field in ("labels", "annotations"):
        sheet.copy(("metadata", field), (*origin, field))


def _put_job(sheet: Sheet, path: Path, origin: Path) -> None:
    sheet.put(path, {}, origin)
    for field in _JOB:
        sheet.copy((*path, field), (*origin, field))


def _put_rollout(sheet: Sheet, controller: dict[str, Any], kind: str, origin: Path) -> None:
    if kind == "daemonset":
        return
    replicas = controller.get("replicas", 1 if kind == "deployment" else None)
    if replicas is not None:
        sheet.put(("spec", "replicas"), replicas, (*origin, "replicas"))
        sheet.defaulted.add((*origin, "replicas"))
    strategy = text(controller.get("strategy")) or (
        "Recreate" if kind == "deployment" else "RollingUpdate"
    )
    field = "strategy" if kind == "deployment" else "updateStrategy"
    sheet.put(("spec", field), {"type": strategy}, (*origin, "strategy"))
    if kind == "deployment" and strategy == "RollingUpdate":
        for key, called in (("unavailable", "maxUnavailable"), ("surge", "maxSurge")):
            target = ("spec", field, "rollingUpdate", called)
            sheet.copy(target, (*origin, "rollingUpdate", key))


def _put_pod(sheet: Sheet, app: App, key: str, template: Path, labels: dict[str, str]) -> None:
    origin: Path = ("controllers", key)
    controller = app.controllers[key]
    sheet.put((*template, "metadata"), {"labels": dict(labels)}, (*origin, "pod"))
    for options in (("defaultPodOptions",), (*origin, "pod")):
        for field in ("labels", "annotations"):
            for name, value in mapping(at(app.values, (*options, field))).items():
                sheet.put((*template, "metadata", field, name), value, (*options, field, name))
    spec = (*template, "spec")
    sheet.put(spec, {"enableServiceLinks": False}, (*origin, "pod"))
    for option in _OPTIONS:
        _put_option(sheet, app, key, spec, option)
    pod = at(sheet.value, spec)
    if pod.get("hostNetwork") is True and "dnsPolicy" not in pod:
        sheet.put((*spec, "dnsPolicy"), "ClusterFirstWithHostNet")
    places: dict[str, Path] = {}
    for kind in ("initContainers", "containers"):
        for index, name in enumerate(enabled(controller.get(kind))):
            places[name] = (*spec, kind, index)
            put_container(sheet, app, key, kind, name, places[name])
    put_volumes(sheet, app, key, spec, places)


def _put_option(sheet: Sheet, app: App, key: str, spec: Path, option: str) -> None:
    """Write an option of a pod: the controller's own, or else the default of all pods; if the chart
    is set to merge, the controller's mapping is merged over the default.
    """
    shared, own_path = ("defaultPodOptions", option), ("controllers", key, "pod", option)
    target = (*spec, option)
    own_value, default = at(app.values, own_path), at(app.values, shared)
    merges = app.values.get("defaultPodOptionsStrategy") == "merge"
    if isinstance(own_value, dict) and isinstance(default, dict) and merges:
        sheet.put(target, {**default, **own_value}, own_path)
        sheet.origins.update(
            ((*target, field), (*shared, field)) for field in default if field not in own_value
        )
        return
    for value, origin in ((own_value, own_path), (default, shared)):
        if isinstance(value, bool) or not is_empty(value):
            sheet.put(target, value, origin)
            return


def _service(app: App, key: str) -> Sheet | None:
    service = app.services[key]
    controller, ports = app.controller_of(service), enabled(service.get("ports"))
    if controller not in app.controllers or not ports:
        return None
    sheet, origin = Sheet(app.values), ("service", key)
    # Until 3 the main service bears the release's name.
    alone = service.get("primary") and app.release.version.startswith(_PRIMARY)
    name = app.called(key, service, 1 if alone else len(app.services))
    _begin(sheet, app, "v1", "Service", name, origin)
    if field_text := text(service.get("type")):
        sheet.put(("spec", "type"), field_text, (*origin, "type"))
    if field_text := text(service.get("clusterIP")):
        sheet.put(("spec", "clusterIP"), field_text, (*origin, "clusterIP"))
    for index, (called, port) in enumerate(ports.items()):
        target, at_port = ("spec", "ports", index), (*origin, "ports", called)
        protocol = str(port.get("protocol") or "TCP")
        plain = "TCP" if protocol in ("HTTP", "HTTPS") else protocol
        sheet.put(target, {"name": called, "protocol": plain}, at_port)
        sheet.copy((*target, "port"), (*at_port, "port"))
        if not sheet.copy((*target, "targetPort"), (*at_port, "targetPort")):
            sheet.copy((*target, "targetPort"), (*at_port, "port"))
    sheet.put(("spec", "selector"), app.labels(controller), (*origin, "controller"))
    return sheet
