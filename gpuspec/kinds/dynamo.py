"""Dynamo: graphs of components, and single components. Sources: ai-dynamo/dynamo deploy/operator/api
(v1alpha1, v1beta1), internal/controller_common/resource.go (`GetResourcesConfig`) and
internal/dynamo/graph.go (`GenerateBasePodSpec`), which adds volumes and variables to a pod, but no
scheduling fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Kind, PodGroupKind, Reference
from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.references import claim, config_map, key_refs, priority, secret
from gpuspec.manifests.values import at, items, mapping, text, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "nvidia.com"
_PROBES = ("livenessProbe", "readinessProbe")


def _component_of(value: dict[str, Any], inside: Path) -> dict[str, Any]:
    last = "podTemplate" if "podTemplate" in inside else "extraPodSpec"
    return mapping(at(value, inside[: inside.index(last)]))


def _part(value: dict[str, Any], inside: Path) -> PodGroupKind:
    component = _component_of(value, inside)
    nodes = whole(at(component, ("multinode", "nodeCount")), 1)
    name = text(component.get("name")) or (str(inside[2]) if "services" in inside else "pod")
    return PodGroupKind(name, nodes, whole(component.get("replicas"), 1), (nodes or 1) > 1)


def _beside(value: dict[str, Any], inside: Path) -> dict[str, Any]:
    """Return what v1alpha1 states of the main container beside the pod."""
    component = _component_of(value, inside)
    secret_name = component.get("envFromSecret")
    fields: dict[str, Any] = {
        "resources": _resources(mapping(component.get("resources"))),
        "env": [*items(at(value, ("spec", "envs"))), *items(component.get("envs"))],
        "envFrom": [{"secretRef": {"name": secret_name}}] if secret_name else [],
    }
    return fields | {probe: component[probe] for probe in _PROBES if component.get(probe)}


def _resources(resources: dict[str, Any]) -> dict[str, Any]:
    """Return a component's resources in the words of a container; requests of `gpu` are not read."""
    amounts = {field: mapping(resources.get(field)) for field in ("limits", "requests")}
    words = {
        field: {
            **{name: listed[name] for name in ("cpu", "memory") if listed.get(name)},
            **mapping(listed.get("custom")),
        }
        for field, listed in amounts.items()
    }
    limits = amounts["limits"]
    if limits.get("gpu"):
        words["limits"][text(limits.get("gpuType")) or "nvidia.com/gpu"] = limits["gpu"]
    return {field: amount for field, amount in words.items() if amount}


def _plainly(value: dict[str, Any]) -> bool:
    return True


def _of_alpha(base: str) -> tuple[Reference, ...]:
    sidecar = f"{base}.frontendSidecar"
    return (
        secret(base, "envFromSecret"),
        *key_refs(f"{base}.envs.*.valueFrom"),
        secret(sidecar, "envFromSecret"),
        *key_refs(f"{sidecar}.envs.*.valueFrom"),
        secret(f"{base}.ingress.tls", "secretName"),
        *_of_both(base),
    )


def _of_beta(base: str) -> tuple[Reference, ...]:
    return (claim(f"{base}.compilationCache", "pvcName"), *_of_both(base))


def _of_both(base: str) -> tuple[Reference, ...]:
    return (config_map(f"{base}.eppConfig.configMapRef", "name", "key"),)


def _kind(name: str, *components: str, more: tuple[Reference, ...] = (), scaled: str = "") -> Kind:
    return Kind(
        GROUP,
        name,
        "workload",
        templates=tuple(f"{component}.podTemplate" for component in components),
        specs=tuple(f"{component}.extraPodSpec" for component in components),
        loose=("mainContainer",),
        life="service",
        part=_part,
        beside=_beside,
        completed=True,
        plainly=_plainly,
        image_filled=True,
        own_devices=True,
        scaled=scaled,
        refers=more,
    )


KINDS = (
    _kind(
        "DynamoGraphDeployment",
        "spec.components.*",
        "spec.services.*",
        more=(
            *key_refs("spec.envs.*.valueFrom"),
            priority("spec"),
            *_of_beta("spec.components.*"),
            *_of_alpha("spec.services.*"),
        ),
    ),
    _kind(
        "DynamoComponentDeployment",
        "spec",
        more=(claim("spec.compilationCache", "pvcName"), *_of_alpha("spec")),
        scaled=REPLICAS,
    ),
)
