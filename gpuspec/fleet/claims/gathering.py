"""A cluster's devices and the claims on them, read from objects of `resource.k8s.io`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.fleet.claims.devices import ClusterDevices
from gpuspec.fleet.claims.features import features_of
from gpuspec.fleet.claims.pools import Slices
from gpuspec.fleet.claims.reading import claim_of, class_of, slice_of, taint_of, template_of
from gpuspec.fleet.scheduler.reading import table, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.fleet.claims.model import Claim, DeviceClass, ResourceSlice

KINDS = (
    "ResourceSlice",
    "DeviceClass",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "DeviceTaintRule",
    "ComputeDomain",
)
_VERSION = "resource.k8s.io/v1"


class Claims(msgspec.Struct, frozen=True):
    """Claims and templates by namespace and name, and their classes."""

    claims: Mapping[tuple[str, str], Claim] = {}
    templates: Mapping[tuple[str, str], Claim] = {}
    classes: Mapping[str, DeviceClass] = {}
    slices: tuple[ResourceSlice, ...] = ()
    channels: frozenset[tuple[str, str]] = frozenset()
    """Templates of channels between nodes, which the controller of ComputeDomains creates."""


def claims_of(objects: Iterable[Mapping[str, Any]]) -> Claims:
    """Return the claims and classes among objects of any kinds; never raises. Of two objects with
    one name the later one counts, and a claim that is applied again keeps its allocation."""
    claims: dict[tuple[str, str], Claim] = {}
    templates: dict[tuple[str, str], Claim] = {}
    classes: dict[str, DeviceClass] = {}
    slices: dict[str, ResourceSlice] = {}
    rules: list[Mapping[str, Any]] = []
    channels: set[tuple[str, str]] = set()
    for obj in objects:
        if obj.get("kind") == "ComputeDomain":
            channels.add(_channel(obj))
            continue
        # Lists of the API leave the version off their items.
        if obj.get("apiVersion", _VERSION) != _VERSION:
            continue
        match obj.get("kind"):
            case "ResourceSlice":
                resource_slice = slice_of(obj)
                slices[resource_slice.name] = resource_slice
            case "DeviceClass":
                device_class = class_of(obj)
                classes[device_class.name] = device_class
            case "ResourceClaim":
                claim = claim_of(obj)
                key = claim.namespace, claim.name
                had = claims.get(key)
                if claim.allocation is None and had is not None and had.allocation is not None:
                    continue
                claims[key] = claim
            case "ResourceClaimTemplate":
                template = template_of(obj)
                name = text(table(obj.get("metadata")).get("name"))
                templates[template.namespace, name] = template
            case "DeviceTaintRule":
                rules.append(obj)
    ruled = tuple(_ruled(resource_slice, rules) for resource_slice in slices.values())
    return Claims(claims, templates, classes, ruled, frozenset(channels))


def _channel(claim: Mapping[str, Any]) -> tuple[str, str]:
    channel = table(table(claim.get("spec")).get("channel"))
    name = text(table(channel.get("resourceClaimTemplate")).get("name"))
    return text(table(claim.get("metadata")).get("namespace")) or "default", name


def devices_of(claims: Claims, version: str) -> ClusterDevices:
    """Return the devices of a cluster whose scheduler has a version, with the allocations of
    claims."""
    features = features_of(version)
    return ClusterDevices(
        Slices(claims.slices, features), claims.classes, claims.claims.values(), features
    )


def _ruled(resource_slice: ResourceSlice, rules: Iterable[Mapping[str, Any]]) -> ResourceSlice:
    """Return a slice whose devices have the taints that rules give them too; `v1` has these since
    1.37."""
    for rule in rules:
        spec = table(rule.get("spec"))
        of, taint = table(spec.get("deviceSelector")), taint_of(table(spec.get("taint")))
        # An empty selector means all devices, and none is of no use.
        is_channel = isinstance(spec.get("deviceSelector"), dict) and all(
            text(of.get(key)) in ("", value)
            for key, value in (("driver", resource_slice.driver), ("pool", resource_slice.pool))
        )
        name = text(of.get("device"))
        if is_channel:
            devices = tuple(
                msgspec.structs.replace(device, taints=(*device.taints, taint))
                if name in ("", device.id.name)
                else device
                for device in resource_slice.devices
            )
            resource_slice = msgspec.structs.replace(resource_slice, devices=devices)
    return resource_slice
