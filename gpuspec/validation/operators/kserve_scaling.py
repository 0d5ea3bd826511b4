"""The scaling of an InferenceService's parts, by deployment mode.

Source: github.com/kserve/kserve v0.20.0, pkg/apis/serving/v1beta1/inference_service_validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.validation.apiserver.reading import inner, maps, named, number, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map
    from gpuspec.validation.violation import SchemaViolation

OWN = "serving.kserve.io/"
_MODES = {"RawDeployment": "Standard", "Serverless": "Knative"}
"""Older names of deployment modes."""
_HPA_CLASS = "hpa.autoscaling.knative.dev"
_BY_HPA, _BY_KNATIVE = ("cpu", "memory"), ("concurrency", "rps")


def scaling(value: Map, component: Map, path: Path) -> Iterator[SchemaViolation]:
    """Check that the scaler can read its metrics, by deployment mode."""
    annotations = inner(value, "metadata", "annotations")
    if f"{OWN}deploymentMode" not in annotations:
        return
    mode = annotations[f"{OWN}deploymentMode"] or ""
    mode = _MODES.get(mode, mode)
    by = annotations.get(f"{OWN}autoscalerClass")
    if mode == "Standard":
        if by == "hpa":
            yield from _by_hpa(component, path)
        elif by == "keda":
            yield from _by_keda(component, path)
    elif annotations.get("autoscaling.knative.dev/class") == _HPA_CLASS:
        yield from _by_hpa(component, path)
    else:
        yield from _by_knative(component, path)


def _by_knative(component: Map, path: Path) -> Iterator[SchemaViolation]:
    if component.get("deploymentStrategy") is not None:
        yield refused(
            (*path, "deploymentStrategy"),
            "Knative does not support it: use deployment mode `Standard`",
        )
    metric = component.get("scaleMetric")
    if metric is not None and metric not in _BY_KNATIVE:
        yield refused(
            (*path, "scaleMetric"), f"Knative can only scale by {named(_BY_KNATIVE, 'or')}"
        )
    if metric == "rps" and number(component, "scaleTarget", 1) < 1:
        yield refused((*path, "scaleTarget"), "expected at least 1")


def _by_hpa(component: Map, path: Path) -> Iterator[SchemaViolation]:
    metric, target = component.get("scaleMetric"), number(component, "scaleTarget", 1)
    if metric is not None and metric not in _BY_HPA:
        yield refused(
            (*path, "scaleMetric"),
            f"a HorizontalPodAutoscaler can only read {named(_BY_HPA, 'or')}",
        )
    elif target < 1:
        yield refused((*path, "scaleTarget"), f"expected at least 1, not {target}")
    elif target > 100:
        yield refused((*path, "scaleTarget"), f"expected at most 100, not {target}")
    for index, one in maps(inner(component, "autoScaling"), "metrics"):
        where = (*path, "autoScaling", "metrics", index)
        if one.get("type") != "Resource":
            message = "a HorizontalPodAutoscaler only supports metrics of type `Resource`"
            yield refused((*where, "type"), message)
        elif one.get("resource") is None:
            yield refused((*where, "resource"), "it is missing, but type `Resource` needs it")


def _by_keda(component: Map, path: Path) -> Iterator[SchemaViolation]:
    if component.get("scaleMetric") is not None:
        yield refused((*path, "scaleMetric"), "for KEDA, set `autoScaling.metrics`")
    for index, metric in maps(inner(component, "autoScaling"), "metrics"):
        where, kind = (*path, "autoScaling", "metrics", index), metric.get("type") or ""
        field = {"Resource": "resource", "External": "external", "PodMetric": "podmetric"}.get(kind)
        if field is None:
            continue  # which the definition refuses
        source = metric.get(field)
        if source is None:
            yield refused((*where, field), f"it is missing, but type `{kind}` needs it")
            continue
        target = inner(source, "target")
        if kind == "Resource":
            yield from _of_use(source.get("name"), target, (*where, field, "target"))
        else:
            if not inner(source, "metric").get("query"):
                yield refused((*where, field, "metric", "query"), "it is missing")
            if target.get("value") is None:
                yield refused((*where, field, "target", "value"), "it is missing")
        yield from _target(target, (*where, field, "target"))


def _of_use(name: Any, target: Map, path: Path) -> Iterator[SchemaViolation]:
    kinds = ("Utilization",) if name == "cpu" else ("AverageValue", "Utilization")
    if target.get("type") not in kinds:
        yield refused((*path, "type"), f"for {name}, KEDA can only read {named(kinds, 'or')}")


def _target(target: Map, path: Path) -> Iterator[SchemaViolation]:
    field = {
        "Utilization": "averageUtilization",
        "AverageValue": "averageValue",
        "Value": "value",
    }.get(target.get("type") or "")
    if field is None:
        return
    target_value = target.get(field)
    if target_value is None:
        yield refused((*path, field), f"it is missing, but type `{target['type']}` needs it")
    elif field == "averageUtilization" and not 1 <= target_value <= 100:
        yield refused((*path, field), f"expected 1 to 100, not {target_value}")
