"""Parse objects of `resource.k8s.io/v1` into devices and claims, without raising."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gpuspec.fleet.claims.model import (
    AllocatedDevice,
    Allocation,
    Attribute,
    Capacity,
    CapacityPolicy,
    Claim,
    ClaimConstraint,
    ClaimRequest,
    DeviceAlternative,
    DeviceClass,
    DeviceId,
    DeviceReach,
    DeviceTaint,
    DeviceToleration,
    ResourceSlice,
    SliceDevice,
)
from gpuspec.fleet.scheduler.reading import rows, table, text, texts, whole
from gpuspec.fleet.scheduler.terms import node_terms

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    Json = Mapping[str, Any]

_TYPES: dict[str, type[str] | type[int] | type[bool]] = {
    "string": str,
    "int": int,
    "bool": bool,
    "version": str,
}
EXTENDED = "resource.kubernetes.io/extended-resource-claim"
"""The annotation of a claim that the scheduler creates for a pod's extended resources."""


def slice_of(document: Json) -> ResourceSlice:
    """Return a ResourceSlice."""
    spec = table(document.get("spec"))
    pool = table(spec.get("pool"))
    driver, name = text(spec.get("driver")), text(pool.get("name"))
    return ResourceSlice(
        name=_name(document),
        driver=driver,
        pool=name,
        generation=whole(pool.get("generation"), 0),
        slices=whole(pool.get("resourceSliceCount"), 0),
        place=_place(spec),
        each=spec.get("perDeviceNodeSelection") is True,
        devices=tuple(_device(row, driver, name) for row in rows(spec.get("devices"))),
        counters={
            text(row.get("name")): _counters(row.get("counters"))
            for row in rows(spec.get("sharedCounters"))
        },
    )


def class_of(document: Json) -> DeviceClass:
    """Return a DeviceClass."""
    spec = table(document.get("spec"))
    return DeviceClass(_name(document), _selectors(spec), text(spec.get("extendedResourceName")))


def claim_of(document: Json) -> Claim:
    """Return a ResourceClaim."""
    metadata, status = table(document.get("metadata")), table(document.get("status"))
    owners = [row for row in rows(metadata.get("ownerReferences")) if row.get("kind") == "Pod"]
    allocation = status.get("allocation")
    return _claim(
        table(document.get("spec")),
        namespace=text(metadata.get("namespace")) or "default",
        name=_name(document),
        allocation=None if allocation is None else _allocation(table(allocation)),
        holders=tuple(
            text(row.get("name"))
            for row in rows(status.get("reservedFor"))
            if row.get("resource") == "pods"
        ),
        owner=text(owners[0].get("name")) if owners else "",
        going="deletionTimestamp" in metadata,
    )


def template_of(document: Json) -> Claim:
    """Return the claim that a ResourceClaimTemplate creates for each pod."""
    namespace = text(table(document.get("metadata")).get("namespace")) or "default"
    return _claim(table(table(document.get("spec")).get("spec")), namespace=namespace, name="")


def _claim(spec: Json, **more: Any) -> Claim:
    devices = table(spec.get("devices"))
    requests = tuple(_request(row) for row in rows(devices.get("requests")))
    claim_constraints = tuple(_constraint(row) for row in rows(devices.get("constraints")))
    unread = [
        alternative.unread
        for request in requests
        for alternative in request.asks
        if alternative.unread
    ]
    unread += [
        "a constraint of an unknown type" for constraint in claim_constraints if constraint is None
    ]
    constraints = tuple(constraint for constraint in claim_constraints if constraint is not None)
    return Claim(requests=requests, constraints=constraints, unread="; ".join(unread[:1]), **more)


def _request(row: Json) -> ClaimRequest:
    name = text(row.get("name"))
    alternatives = rows(row.get("firstAvailable"))
    if alternatives:
        asks = tuple(
            _ask(alternative, f"{name}/{text(alternative.get('name'))}")
            for alternative in alternatives
        )
        return ClaimRequest(name, asks, alternatives=True)
    return ClaimRequest(name, (_ask(table(row.get("exactly")), name),), alternatives=False)


def _ask(row: Json, name: str) -> DeviceAlternative:
    unread = "derived attributes" if row.get("derivedAttributes") else ""
    every = row.get("allocationMode") == "All"
    return DeviceAlternative(
        name=name,
        device_class=text(row.get("deviceClassName")),
        selectors=_selectors(row),
        # The API server fills in one where nothing is said.
        count=None if every else whole(row.get("count"), 1) or 1,
        tolerations=tuple(_toleration(toleration) for toleration in rows(row.get("tolerations"))),
        capacity=_amounts(table(row.get("capacity")).get("requests")),
        admin=row.get("adminAccess") is True,
        unread=unread,
    )


def _constraint(row: Json) -> ClaimConstraint | None:
    for field in ("matchAttribute", "distinctAttribute"):
        if attribute := text(row.get(field)):
            requests = frozenset(texts(row.get("requests")))
            return ClaimConstraint(attribute, field == "distinctAttribute", requests)
    return None


def _allocation(result: Json) -> Allocation:
    devices = []
    for row in rows(table(result.get("devices")).get("results")):
        device = DeviceId(*(text(row.get(key)) for key in ("driver", "pool", "device")))
        consumed = row.get("consumedCapacity")
        devices.append(
            AllocatedDevice(
                text(row.get("request")),
                device,
                admin=row.get("adminAccess") is True,
                share=bool(row.get("shareID")) or consumed is not None,
                amounts=_amounts(consumed),
            )
        )
    selector = result.get("nodeSelector")
    terms = None if selector is None else node_terms(table(selector).get("nodeSelectorTerms"))
    return Allocation(tuple(devices), terms, timed=result.get("allocationTimestamp") is not None)


def _device(row: Json, driver: str, pool: str) -> SliceDevice:
    attributes = table(row.get("attributes"))
    attribute_values = {
        name: value
        for name, attribute in attributes.items()
        if (value := _attribute(table(attribute)))
    }
    return SliceDevice(
        id=DeviceId(driver, pool, text(row.get("name"))),
        attributes=attribute_values,
        capacity={
            name: capacity
            for name, device_capacity in table(row.get("capacity")).items()
            if (capacity := _capacity(table(device_capacity)))
        },
        consumes=tuple(
            (text(consumption.get("counterSet")), _counters(consumption.get("counters")))
            for consumption in rows(row.get("consumesCounters"))
        ),
        taints=tuple(taint_of(taint) for taint in rows(row.get("taints"))),
        shared=row.get("allowMultipleAllocations") is True,
        conditional=bool(row.get("bindingConditions")),
        place=_place(row),
    )


def taint_of(row: Json) -> DeviceTaint:
    """Return a taint of a device."""
    return DeviceTaint(*(text(row.get(key)) for key in ("key", "value", "effect")))


def _toleration(row: Json) -> DeviceToleration:
    return DeviceToleration(*(text(row.get(key)) for key in ("key", "operator", "value", "effect")))


def _attribute(row: Json) -> Attribute | None:
    for name, kind in _TYPES.items():
        value = row.get(name)
        if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            return name, value
    return None


def _capacity(row: Json) -> Capacity | None:
    capacity_value = row.get("value")
    value = _quantity(capacity_value)
    if value is None:
        return None
    policy = row.get("requestPolicy")
    return Capacity(value, str(capacity_value), None if policy is None else _policy(table(policy)))


def _policy(row: Json) -> CapacityPolicy:
    bounds = table(row.get("validRange"))
    valid_values = row.get("validValues")
    values = (
        [_quantity(valid_value) for valid_value in valid_values]
        if isinstance(valid_values, list)
        else []
    )
    return CapacityPolicy(
        default=_quantity(row.get("default")),
        least=_quantity(bounds.get("min")),
        most=_quantity(bounds.get("max")),
        step=_quantity(bounds.get("step")),
        values=tuple(value for value in values if value is not None),
    )


def _counters(value: object) -> dict[str, Fraction]:
    return _amounts({name: table(counter).get("value") for name, counter in table(value).items()})


def _amounts(value: object) -> dict[str, Fraction]:
    amounts = {name: _quantity(amount) for name, amount in table(value).items()}
    return {name: amount for name, amount in amounts.items() if amount is not None}


def _quantity(quantity: object) -> Fraction | None:
    if isinstance(quantity, bool) or not isinstance(quantity, str | int | float):
        return None
    return _parsed(quantity)


@lru_cache(4096, typed=True)
def _parsed(quantity: str | float) -> Fraction | None:
    from gpuspec.manifests import parse_quantity

    try:
        return parse_quantity(quantity).value
    except ValueError:
        return None


def _place(row: Json) -> DeviceReach:
    selector = row.get("nodeSelector")
    terms = None if selector is None else node_terms(table(selector).get("nodeSelectorTerms"))
    return DeviceReach(text(row.get("nodeName")), row.get("allNodes") is True, terms)


def _selectors(row: Json) -> tuple[str, ...]:
    cel_selectors = (table(selector.get("cel")) for selector in rows(row.get("selectors")))
    return tuple(text(cel_selector.get("expression")) for cel_selector in cel_selectors)


def _name(document: Json) -> str:
    return text(table(document.get("metadata")).get("name"))
