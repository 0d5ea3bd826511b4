"""Dynamic resource allocation: slices of devices, as drivers write them.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.validation.apiserver.reading import (
    amount,
    inner,
    is_new,
    maps,
    named,
    or_zero,
    refused,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Quantity
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_NODES = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
_ONE = ("bool", "int", "string", "version")
_MOST_DETAILED, _MOST_NAMES = 64, 32


def slice_spec(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a slice names its nodes in one way, and has devices or counters."""
    if not is_new(version):
        if spec.get("perDeviceNodeSelection") is None:
            yield from _nodes(spec, _NODES[:3], ())
        return
    yield from _nodes(spec, _NODES, ())
    if spec.get("sharedCounters") is not None and spec.get("devices") is not None:
        yield refused(("sharedCounters",), "it cannot be set with `devices`")
    terms = inner(spec, "nodeSelector").get("nodeSelectorTerms")
    if terms is not None and len(terms) != 1:
        yield refused(("nodeSelector", "nodeSelectorTerms"), f"expected one term, not {len(terms)}")
    devices = list(maps(spec, "devices"))
    if len(devices) > _MOST_DETAILED and any(
        _is_detailed(slice_device) for _, slice_device in devices
    ):
        message = (
            f"expected at most {_MOST_DETAILED} devices with taints or counters, not {len(devices)}"
        )
        yield refused(("devices",), message)
    for number, slice_device in devices:
        path = ("devices", number)
        if spec.get("perDeviceNodeSelection"):
            yield from _nodes(slice_device, _NODES[:3], path)
        elif any(slice_device.get(field) is not None for field in _NODES[:3]):
            message = "nodes of one device need `spec.perDeviceNodeSelection: true`"
            yield refused(path, message)


def device(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a device has few enough attributes, and both kinds of binding conditions or none."""
    attributes, capacity = inner(value, "attributes"), inner(value, "capacity")
    if len(attributes) + len(capacity) > _MOST_NAMES:
        message = f"expected at most {_MOST_NAMES} attributes and capacities together"
        yield refused((), message)
    for name, item in attributes.items():
        yield from _attribute(item or {}, name)
    if not is_new(version):
        return
    if not value.get("allowMultipleAllocations"):
        for name, item in capacity.items():
            if item and item.get("requestPolicy") is not None:
                yield refused(
                    ("capacity", name, "requestPolicy"), "it needs `allowMultipleAllocations: true`"
                )
    bound, failed = (
        value.get("bindingConditions") or [],
        value.get("bindingFailureConditions") or [],
    )
    for number, name in enumerate(failed):
        if name in bound:
            path = ("bindingFailureConditions", number)
            yield refused(path, "`bindingConditions` has this condition too")
    if bool(bound) != bool(failed):
        field, other_field = "bindingConditions", "bindingFailureConditions"
        lacking, present = (field, other_field) if failed else (other_field, field)
        yield refused((lacking,), f"it is missing, but `{present}` needs it")


def capacity(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the policy for requests of a capacity is within that capacity."""
    policy, whole = inner(value, "requestPolicy"), or_zero(value.get("value"))
    default = amount(policy.get("default"))
    listed, span = policy.get("validValues"), policy.get("validRange")
    if not (listed or span is not None) or whole is None or not is_new(version):
        return
    if default is None:
        yield refused(("requestPolicy", "default"), "it is missing")
    elif listed:
        yield from _listed([amount(item) for item in listed], default, whole)
    else:
        yield from _span(span or {}, default, whole)


def _nodes(
    value: Map, fields: tuple[str, ...], path: tuple[str | int, ...]
) -> Iterator[SchemaViolation]:
    for field in fields:
        if value.get(field) is False:
            yield refused((*path, field), "write `true`, or omit it")
    count = sum(value.get(field) not in (None, False, "") for field in fields)
    if count != 1:
        names = named(fields)
        message = f"only one of {names} can be set" if count else f"one of {names} is needed"
        yield refused(path, message)


def _is_detailed(device: Map) -> bool:
    return bool(device.get("taints") or device.get("consumesCounters"))


def _attribute(value: Map, name: str) -> Iterator[SchemaViolation]:
    value_fields = [field for field in _ONE if value.get(field) is not None]
    if len(value_fields) != 1:
        names = named(value_fields or _ONE)
        message = f"only one of {names} can be set" if value_fields else f"one of {names} is needed"
        yield refused(("attributes", name), message)


def _listed(
    values: list[Quantity | None], default: Quantity, whole: Quantity
) -> Iterator[SchemaViolation]:
    path = ("requestPolicy", "validValues")
    quantities = [value for value in values if value is not None]
    if quantities != sorted(quantities):
        yield refused(path, "the values must be in ascending order")
    for number, value in enumerate(quantities):
        if value > whole:
            yield refused((*path, number), "it is above the capacity")
        if value in quantities[:number]:
            yield refused((*path, number), "it is in the list twice")
    if default not in quantities:
        yield refused(path, "`default` must be one of the values")


def _span(span: Map, default: Quantity, whole: Quantity) -> Iterator[SchemaViolation]:
    path = ("requestPolicy", "validRange")
    least, most, step = (amount(span.get(field)) for field in ("min", "max", "step"))
    if least is None:
        if span.get("min") is None:
            yield refused((*path, "min"), "it is missing")
        return
    limits: list[tuple[str, Any, Any, str]] = [
        ("min", least, whole, "the capacity"),
        ("max", most, whole, "the capacity"),
        ("min", least, most, "`max`"),
    ]
    for field, low, high, name in limits:
        if low is not None and high is not None and low > high:
            yield refused((*path, field), f"it is above {name}")
    if default < least or (most is not None and default > most):
        yield refused(path, "`default` is not in the list")
    if step is not None:
        yield from _steps(least, most, step, default, whole)


def _steps(
    least: Quantity, most: Quantity | None, step: Quantity, default: Quantity, whole: Quantity
) -> Iterator[SchemaViolation]:
    path = ("requestPolicy", "validRange", "step")
    if step <= 0:
        yield refused(path, "expected a quantity above 0")
        return
    for field, value in (("min", least), ("max", most)):
        if value is not None and value < 0:
            yield refused((*path[:-1], field), "expected a quantity of at least 0")
    if least.value + step.value > whole.value:
        yield refused(path, "one step above `min` is above the capacity")
    for name, value in (("default", default), ("max", most)):
        if value is not None and (value.int_value - least.int_value) % step.int_value:
            yield refused(path, f"`{name}` is not a whole number of steps above `min`")


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "resource.v1.Device": (device,),
    "resource.v1.DeviceCapacity": (capacity,),
    "resource.v1.ResourceSliceSpec": (slice_spec,),
}
