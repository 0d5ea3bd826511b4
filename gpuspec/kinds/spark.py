"""Spark operator: a driver and its executors. Sources: api/v1beta2 of kubeflow/spark-operator (2.5),
types and defaults; internal/webhook/sparkpod_defaulter.go, which adds tolerations, node selectors,
volumes and GPUs to the pods; sparkapplication_validator.go; "Spark Configuration" of Apache Spark (4.0): the vendor is the domain of
the device plugin's resource."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Flat, Kind, PodGroupKind
from gpuspec.kinds.scale import Scale, between, number
from gpuspec.manifests.values import at, mapping, text, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "sparkoperator.k8s.io"
_SAME = ("affinity", "tolerations", "nodeSelector", "initContainers", "schedulerName")
_RENAMED = {"podSecurityContext": "securityContext", "serviceAccount": "serviceAccountName"}
_OF_ALL = ("volumes", "nodeSelector")
"""Fields of an application for driver and executors."""


def _role(inside: Path) -> Path:
    """Return the path of the driver or the executor that a pod is of."""
    return inside[: next(i for i, step in enumerate(inside) if step in ("driver", "executor")) + 1]


def _elsewhere(value: dict[str, Any], inside: Path) -> dict[str, Path]:
    role = _role(inside)
    spec = mapping(at(value, role))
    template = mapping(at(value, (*role, "template", "spec")))
    fields: dict[str, Path] = {}
    if inside == role:
        # The role's own `securityContext` is its container's.
        fields["securityContext"] = (*role, "podSecurityContext")
        fields |= {field: (*role, "template", "spec", field) for field in template}
    for field in _OF_ALL:
        if at(value, (*role[:-1], field)) and field not in template:
            fields[field] = (*role[:-1], field)
    for field in _SAME:
        if spec.get(field) and field not in template:
            fields[field] = (*role, field)
    for field, name in _RENAMED.items():
        if spec.get(field) and name not in template:
            fields[name] = (*role, field)
    return fields


def _beside(value: dict[str, Any], inside: Path) -> dict[str, Any]:
    """Return the devices of a driver or an executor as a container's, by its field or by Spark's
    properties."""
    *outer, role = _role(inside)
    gpu = mapping(mapping(at(value, (*outer, role))).get("gpu"))
    name, amount = text(gpu.get("name")), gpu.get("quantity")
    properties = mapping(at(value, (*outer, "sparkConf")))
    vendor = text(properties.get(f"spark.{role}.resource.gpu.vendor"))
    if vendor and not name:
        name, amount = f"{vendor}/gpu", properties.get(f"spark.{role}.resource.gpu.amount")
    return {"resources": {"limits": {name: amount}}} if name and amount else {}


def _part(value: dict[str, Any], inside: Path) -> PodGroupKind:
    role = _role(inside)
    if role[-1] == "driver":
        return PodGroupKind("driver")
    return PodGroupKind("executor", groups=whole(at(value, (*role, "instances")), 1))


def _own_pods(value: dict[str, Any], inside: Path) -> Scale | None:
    """Return the executors of an application that changes their number."""
    role = _role(inside)
    allocation = mapping(at(value, (*role[:-1], "dynamicAllocation")))
    if role[-1] == "driver" or allocation.get("enabled") is not True:
        return None
    least = number(allocation.get("minExecutors"), 0)
    return between(least, allocation.get("maxExecutors"), "dynamicAllocation")


def _kind(name: str, spec: str) -> Kind:
    roles = (f"{spec}.driver", f"{spec}.executor")
    return Kind(
        GROUP,
        name,
        "workload",
        templates=tuple(f"{role}.template" for role in roles),
        flat=tuple(Flat(role, unless="template.spec") for role in roles),
        elsewhere=_elsewhere,
        beside=_beside,
        life="finite",
        part=_part,
        own_pods=_own_pods,
        runs_once=name == "SparkApplication",
        # Spark adds the containers' images, commands, CPUs and memory.
        completed=True,
        plainly=lambda value: True,
        image_filled=True,
        own_devices=True,
    )


KINDS = (
    _kind("SparkApplication", "spec"),
    _kind("ScheduledSparkApplication", "spec.template"),
    Kind(GROUP, "SparkConnect", "workload", life="service", own_devices=True),
)
