"""KubeVirt: virtual machines, each in a pod of its own. Sources: core/v1/schema.go of kubevirt/api
(1.9); pkg/virt-controller/services of kubevirt/kubevirt, renderresources.go: each GPU and host
device with a `deviceName` is one device of the pod."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Kind, PodGroupKind
from gpuspec.kinds.owned import REPLICAS
from gpuspec.manifests.values import at, items, mapping, text, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "kubevirt.io"
_MACHINE = "spec.template.spec"
_LISTS = ("gpus", "hostDevices")
_HALTED = ("Halted", "Manual")


def _beside(value: dict[str, Any], inside: Path) -> dict[str, Any]:
    """Return the devices of a machine as a container's."""
    devices = mapping(at(value, (*inside, "domain", "devices")))
    names = Counter(
        text(mapping(device).get("deviceName"))
        for field in _LISTS
        for device in items(devices.get(field))
    )
    del names[""]
    return {"resources": {"limits": dict(names)}} if names else {}


def _part(value: dict[str, Any], inside: Path) -> PodGroupKind:
    spec = mapping(value.get("spec"))
    stopped = spec.get("running") is False or spec.get("runStrategy") in _HALTED
    return PodGroupKind(groups=0 if stopped else whole(spec.get("replicas"), 1))


def _kind(name: str, machine: str, scaled: str = "") -> Kind:
    return Kind(
        GROUP,
        name,
        "workload",
        specs=(machine,),
        loose=("domain",),
        beside=_beside,
        life="service",
        part=_part,
        completed=True,
        plainly=lambda value: True,
        image_filled=True,
        scaled=scaled,
    )


KINDS = (
    _kind("VirtualMachine", _MACHINE),
    _kind("VirtualMachineInstance", "spec"),
    _kind("VirtualMachineInstanceReplicaSet", _MACHINE, REPLICAS),
)
