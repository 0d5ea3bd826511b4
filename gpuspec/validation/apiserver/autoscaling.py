"""Horizontal pod autoscalers.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/autoscaling/validation/validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import amount, inner, maps, named, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation


def autoscaler(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that `maxReplicas` is at least `minReplicas`, whose default is 1."""
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    scaled = {metric.get("type") for _, metric in maps(spec, "metrics")}
    if least == 0 and not scaled & {"Object", "External"}:
        message = "it cannot be 0 without a metric of type `Object` or `External`"
        yield refused(("minReplicas",), message)
    target = inner(spec, "scaleTargetRef")
    if (
        "/" not in (target.get("apiVersion") or "")
        and target.get("kind") != "ReplicationController"
    ):
        message = 'expected a group and a version, such as "apps/v1"'
        yield refused(("scaleTargetRef", "apiVersion"), message)
    if 0 < most < (least or 0):
        yield refused(
            ("maxReplicas",), f"expected at least `minReplicas`, which is {least}, not {most}"
        )


def target(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that targets are above 0."""
    for field in ("value", "averageValue"):
        quantity = amount(value.get(field))
        if quantity is not None and quantity <= 0:
            yield refused((field,), "expected a quantity above 0")


def by_value(source: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a metric of one object has a target value or average."""
    yield from _one_of(source, "value", "averageValue", both=True)


def by_one_value(source: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that an external metric has a target value or average, not both."""
    yield from _one_of(source, "value", "averageValue")


def by_average(source: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a metric of pods has a target average."""
    yield from _one_of(source, "averageValue", both=True)


def by_use(source: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a resource has a target utilization or average, not both."""
    yield from _one_of(source, "averageUtilization", "averageValue")


def _one_of(source: Map, *fields: str, both: bool = False) -> Iterator[SchemaViolation]:
    target = inner(source, "target")
    present = [field for field in fields if target.get(field) is not None]
    if not present:
        yield refused(("target",), f"{named(fields, 'or')} is needed")
    elif len(present) > 1 and not both:
        yield refused(("target",), f"only one of {named(present)} can be set")


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "autoscaling.v1.HorizontalPodAutoscalerSpec": (autoscaler,),
    "autoscaling.v2.HorizontalPodAutoscalerSpec": (autoscaler,),
    "autoscaling.v2.MetricTarget": (target,),
    "autoscaling.v2.ObjectMetricSource": (by_value,),
    "autoscaling.v2.ExternalMetricSource": (by_one_value,),
    "autoscaling.v2.PodsMetricSource": (by_average,),
    "autoscaling.v2.ResourceMetricSource": (by_use,),
    "autoscaling.v2.ContainerResourceMetricSource": (by_use,),
}
