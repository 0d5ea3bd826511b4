"""A table of pairs: a need of an object, and the setting of another object that turns it on or off.

Sources: NVIDIA GPU Operator 25.3, 25.10, 26.7 (controllers/object_controls.go: the toolkit's
environment, RuntimeClasses); NVIDIA's DRA driver (demo/clusters/openshift: CDI has to be on);
KubeVirt 1.9 (virt-api's admitters, virt-config/featuregate).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.claims import GROUP, requests_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpuspec.lint.model import Confidence
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

_CDI = ("spec", "cdi", "enabled")
_GATES = ("spec", "configuration", "developerConfiguration")
_CLASSES = ("gpu.nvidia.com", "mig.nvidia.com")
_MACHINES: dict[tuple[str, str], Path] = {
    ("kubevirt.io", "VirtualMachine"): ("spec", "template", "spec"),
    ("kubevirt.io", "VirtualMachineInstance"): ("spec",),
    ("kubevirt.io", "VirtualMachineInstanceReplicaSet"): ("spec", "template", "spec"),
    ("pool.kubevirt.io", "VirtualMachinePool"): (
        *("spec", "virtualMachineTemplate", "spec", "template", "spec"),
    ),
}


class SettingOff(msgspec.Struct, frozen=True):
    """A setting that is off."""

    path: Path
    until: str = ""
    """The release that turns it on by default; empty if it is off in all."""


class RequiredSetting(msgspec.Struct, frozen=True):
    """A requirement, and the setting that fulfils it."""

    group: str
    kind: str
    """The kind of the object with the setting."""
    needs: Callable[[Object], Iterator[Path]]
    """Function that yields the paths in another object with the requirement."""
    off: Callable[[Object], SettingOff | None]
    needed: str
    """The requirement as the start of a sentence: ``VAR needs a gate``, `, and KubeVirt `x` …"""
    lacking: str
    end: str
    """The consequence, as the end of the sentence."""
    mend: str
    confidence: Confidence = "certain"
    instead: tuple[str, str, str] | None = None
    """Group, kind and name of an object that fulfils it without the setting."""


def _claims(obj: Object) -> Iterator[Path]:
    """Yield the classes of NVIDIA's GPUs in a claim."""
    if not obj.is_a(GROUP, "ResourceClaim", "ResourceClaimTemplate"):
        return
    for path, request in requests_of(obj):
        for steps, inner in (
            ((), request),
            (("exactly",), mapping(request.get("exactly"))),
            *(
                (("firstAvailable", index), mapping(alternative))
                for index, alternative in enumerate(items(request.get("firstAvailable")))
            ),
        ):
            if inner.get("deviceClassName") in _CLASSES:
                yield (*path, *steps, "deviceClassName")


def _runs_as(*names: str) -> Callable[[Object], Iterator[Path]]:
    def needs(obj: Object) -> Iterator[Path]:
        for pod in obj.pods:
            if pod.spec.get("runtimeClassName") in names:
                yield pod.path("runtimeClassName")

    return needs


def _devices(field: str, *, claimed: bool) -> Callable[[Object], Iterator[Path]]:
    """Return devices of a virtual machine: all of a field, or those requested by a claim."""

    def needs(obj: Object) -> Iterator[Path]:
        where = _MACHINES.get((obj.group, obj.kind))
        if where is None:
            return
        steps = (*where, "domain", "devices", field)
        values = list(map(mapping, items(at(obj.value, steps))))
        if any("claimName" in claim for claim in values) if claimed else values:
            yield obj.path(*steps)

    return needs


def _cdi(policy: Object) -> SettingOff | None:
    return SettingOff(policy.path(*_CDI)) if at(policy.value, _CDI) is False else None


def _other_class(policy: Object) -> SettingOff | None:
    steps = ("spec", "operator", "runtimeClass")
    name = text(at(policy.value, steps))
    return SettingOff(policy.path(*steps)) if name not in ("", "nvidia") else None


def _no_handler(policy: Object) -> SettingOff | None:
    """Return the setting if it is off.

    With CRI-O and without CDI, the toolkit installs a hook and no handler; CDI is the default only
    since 25.10.
    """
    operator, toolkit = (mapping(policy.spec.get(key)) for key in ("operator", "toolkit"))
    names = {text(entry.get("name")) for entry in map(mapping, items(toolkit.get("env")))}
    on = at(policy.value, _CDI)
    if operator.get("defaultRuntime") != "crio" or toolkit.get("enabled") is False:
        return None
    if on is True or "CRIO_CONFIG_MODE" in names:
        return None
    return SettingOff(
        policy.path("spec", "operator", "defaultRuntime"), until="" if on is False else "25.10"
    )


def _gate(name: str, *, default: bool) -> Callable[[Object], SettingOff | None]:
    """Return whether a feature gate is off; one that some release enables by default counts only if
    it is set to false."""

    def off(kubevirt: Object) -> SettingOff | None:
        settings: dict[str, Any] = mapping(at(kubevirt.value, _GATES))
        if name in items(settings.get("featureGates")):
            return None
        if default and name not in items(settings.get("disabledFeatureGates")):
            return None
        key = "disabledFeatureGates" if default else "featureGates"
        return SettingOff(kubevirt.path(*_GATES, key))

    return off


def _kubevirt(field: str, gate: str, *, claimed: bool = False) -> RequiredSetting:
    fault = f"`{field}` by a claim needs" if claimed else f"`{field}` needs"
    return RequiredSetting(
        "kubevirt.io",
        "KubeVirt",
        _devices(field, claimed=claimed),
        _gate(gate, default=claimed),
        f"{fault} the feature gate `{gate}`",
        "disables it" if claimed else "does not list it",
        "KubeVirt rejects the virtual machine",
        f"add `{gate}` to KubeVirt's `featureGates`",
    )


PAIRS = (
    RequiredSetting(
        "nvidia.com",
        "ClusterPolicy",
        _claims,
        _cdi,
        "NVIDIA's DRA driver provides GPUs by CDI",
        "turns CDI off",
        "pods with this claim may see every GPU of their node",
        "set `cdi.enabled: true` in the ClusterPolicy",
    ),
    RequiredSetting(
        "nvidia.com",
        "ClusterPolicy",
        _runs_as("nvidia-cdi", "nvidia-legacy"),
        _cdi,
        "the operator creates this runtime class only with CDI",
        "turns CDI off",
        "the API server rejects the pod",
        "set `cdi.enabled: true` in the ClusterPolicy, or remove `runtimeClassName`",
    ),
    RequiredSetting(
        "nvidia.com",
        "ClusterPolicy",
        _runs_as("nvidia"),
        _no_handler,
        "the runtime class `nvidia` needs the handler `nvidia`",
        "creates no handler for CRI-O without CDI",
        "the pod's sandbox is not created",
        "remove `runtimeClassName`: the operator's hook works without one",
    ),
    RequiredSetting(
        "nvidia.com",
        "ClusterPolicy",
        _runs_as("nvidia"),
        _other_class,
        "the pod has the runtime class `nvidia`",
        "gives its runtime class and handler another name",
        "the API server rejects the pod, unless another program creates runtime class `nvidia`",
        "set `operator.runtimeClass: nvidia` in the ClusterPolicy",
        confidence="likely",
        instead=("node.k8s.io", "RuntimeClass", "nvidia"),
    ),
    _kubevirt("hostDevices", "HostDevices"),
    _kubevirt("hostDevices", "HostDevicesWithDRA", claimed=True),
    _kubevirt("gpus", "GPUsWithDRA", claimed=True),
)
