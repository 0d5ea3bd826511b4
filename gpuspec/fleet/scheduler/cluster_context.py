"""Objects besides pods and nodes that influence where pods run: classes, claims, namespaces.

Source: Kubernetes 1.37, the admission plugins Priority and RuntimeClass, and the volume controller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.fleet.claims.extended import counted
from gpuspec.fleet.claims.gathering import KINDS, Claims, claims_of, devices_of
from gpuspec.fleet.scheduler.reading import pairs, rows, table, text, whole
from gpuspec.fleet.scheduler.shape import BUILT_IN, Priority, Shape, shape_of
from gpuspec.fleet.scheduler.volumes import claims

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpuspec.fleet.claims.devices import ClusterDevices
    from gpuspec.fleet.claims.model import Claim

_LEFT = ("Released", "Failed")
"""Phases of a volume that names a claim but is no longer bound to it."""


class ClusterContext(msgspec.Struct, frozen=True):
    """The known objects of a cluster. `shape` reads a pod's spec as admission completes it."""

    priorities: Mapping[str, Priority] = {}
    """PriorityClasses by name; by the empty name the global default."""
    overheads: Mapping[str, Mapping[str, Any]] = {}
    """By the name of a RuntimeClass, the additional requirements of its pods; empty for none."""
    namespaces: Mapping[str, Mapping[str, str]] = {}
    """Labels by namespace."""
    claims: Mapping[tuple[str, str], str] = {}
    """By namespace and name of a claim, the volume that it is bound to; empty if the volume does
    not exist yet."""
    volumes: Mapping[str, Mapping[str, Any]] = {}
    """PersistentVolumes by name."""
    resource_claims: Claims = Claims()
    """Claims on devices, and templates of such."""
    devices: ClusterDevices | None = None
    """The devices of the fleet, with its version's features of claims; None if unknown."""

    def shape(
        self, spec: Mapping[str, Any], labels: Mapping[str, str] | None, namespace: str
    ) -> Shape:
        """Return the shape of pods with this spec; see `shape_of`."""
        runtime = text(spec.get("runtimeClassName"))
        if not spec.get("overhead") and self.overheads.get(runtime):
            spec = {**spec, "overhead": self.overheads[runtime]}
        volumes = ((name, self.claims.get((namespace, name), "")) for name in claims(spec))
        bound = {name: self.volumes[volume] for name, volume in volumes if volume in self.volumes}
        pod_claims, unknown = self._claims(spec, namespace)
        pod_shape = shape_of(
            spec,
            labels=labels,
            namespace=namespace,
            priorities=self.priorities,
            persistent_volumes=bound,
            resource_claims=pod_claims,
            unknown_devices=unknown,
        )
        return pod_shape if self.devices is None else counted(pod_shape, spec, self.devices)

    def _claims(self, spec: Mapping[str, Any], namespace: str) -> tuple[tuple[Claim, ...], str]:
        """Return the resource claims of a pod, or the reason why they are unknown."""
        claim_rows = rows(spec.get("resourceClaims"))
        if not claim_rows:
            return (), ""
        if self.devices is None or not self.devices:
            return (), "it requests devices by claims, but no ResourceSlice lists any"
        pod_claims: list[Claim] = []
        for row in claim_rows:
            name, template = (
                text(row.get("resourceClaimName")),
                row.get("resourceClaimTemplateName"),
            )
            resource_claims = self.resource_claims
            where = resource_claims.claims if name else resource_claims.templates
            claim = where.get((namespace, name or text(template)))
            if claim is None and (namespace, text(template)) in resource_claims.channels:
                continue
            if claim is None:
                kind = "ResourceClaim" if name else "ResourceClaimTemplate"
                return (), f"{kind} {name or text(template)} is unknown"
            if claim.requests and not self.devices.classes:
                return (
                    (),
                    f"DeviceClass {claim.requests[0].asks[0].device_class} is unknown",
                )
            if claim.unread:
                return (), f"its claim {row.get('name')} has {claim.unread}"
            pod_claims.append(claim)
        return tuple(pod_claims), ""

    def unknown(self, shape: Shape) -> tuple[str, ...]:
        """Return the claims of a pod with unknown volumes; claims whose volume does not exist yet
        are not among them."""
        space = shape.namespace
        return tuple(
            unknown_claim
            for unknown_claim in shape.unknown_claims
            if self.claims.get((space, unknown_claim), "?")
        )


def beside_of(objects: Iterable[Mapping[str, Any]], version: str = "") -> ClusterContext:
    """Return the context from objects of any kinds, for the scheduler's `version`; never raises.

    Of two objects with one name the later one counts, as if applied over the other: a namespace
    keeps its labels, a claim its volume. An admitted pod shows the values of its classes.
    """
    priorities: dict[str, Priority] = {}
    priority_classes: dict[str, Priority] = {}
    overheads: dict[str, Mapping[str, Any]] = {}
    namespace_labels: dict[str, Mapping[str, Any]] = {}
    namespaces: dict[str, Mapping[str, str]] = {}
    claim_volumes: dict[tuple[str, str], str] = {}
    referred: dict[tuple[str, str], str] = {}
    volumes: dict[str, Mapping[str, Any]] = {}
    asking: list[Mapping[str, Any]] = []
    for obj in objects:
        metadata, spec = table(obj.get("metadata")), table(obj.get("spec"))
        name, space = text(metadata.get("name")), text(metadata.get("namespace")) or "default"
        match obj.get("kind"):
            case "PriorityClass" if isinstance(obj.get("value"), int):
                priority = Priority(
                    whole(obj.get("value"), 0), obj.get("preemptionPolicy") != "Never"
                )
                priorities[name] = priority
                if obj.get("globalDefault") is True:
                    priorities[""] = priority
            case "RuntimeClass":
                overheads[name] = table(table(obj.get("overhead")).get("podFixed"))
            case "Namespace":
                namespaces[name] = {**namespaces.get(name, {}), **pairs(metadata.get("labels"))}
            case "PersistentVolumeClaim":
                claim_volumes[space, name] = text(spec.get("volumeName")) or claim_volumes.get(
                    (space, name), ""
                )
            case "PersistentVolume":
                volumes[name] = obj
                of, phase = table(spec.get("claimRef")), table(obj.get("status")).get("phase")
                if phase not in _LEFT:
                    referred[text(of.get("namespace")), text(of.get("name"))] = name
            case "Pod" if spec.get("nodeName"):
                _admitted(spec, priority_classes, namespace_labels)
            case kind if kind in KINDS:
                asking.append(obj)
    bound = {claim: volume or referred.get(claim, "") for claim, volume in claim_volumes.items()}
    resource_claims = claims_of(asking)
    devices = devices_of(resource_claims, version) if asking and version else None
    return ClusterContext(
        priority_classes | priorities,
        namespace_labels | overheads,
        namespaces,
        referred | bound,
        volumes,
        resource_claims,
        devices,
    )


def _admitted(
    spec: Mapping[str, Any],
    priorities: dict[str, Priority],
    overheads: dict[str, Mapping[str, Any]],
) -> None:
    """Record the values that admission set for the classes of a pod."""
    name, runtime = text(spec.get("priorityClassName")), text(spec.get("runtimeClassName"))
    if name and name not in BUILT_IN and "priority" in spec:
        never = spec.get("preemptionPolicy") == "Never"
        priorities[name] = Priority(whole(spec["priority"], 0), not never)
    if runtime:
        overheads[runtime] = table(spec.get("overhead"))
