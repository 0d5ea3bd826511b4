"""A claim whose parameters or selectors are not those of the driver of its devices.

Sources: kubernetes-sigs/dra-driver-nvidia-gpu at 95932046 cmd/gpu-kubelet-plugin (deviceinfo.go, partitions.go,
device_state.go), deployments/helm (DeviceClasses), api/nvidia.com/resource/v1beta1; Kubernetes, Dynamic Resource
Allocation: a selector that fails keeps the pod Pending.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.claims import alternatives_of
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.claims import ClaimedDevices

RULE = Rule(
    "GPU426",
    "claim-unlike-driver",
    "warning",
    "A claim uses parameters or attributes that the driver of its devices does not have",
)

_DRIVERS = {
    "gpu.nvidia.com": "gpu.nvidia.com",
    "mig.nvidia.com": "gpu.nvidia.com",
    "vfio.gpu.nvidia.com": "gpu.nvidia.com",
    "compute-domain-default-channel.nvidia.com": "compute-domain.nvidia.com",
    "compute-domain-daemon.nvidia.com": "compute-domain.nvidia.com",
}
"""The driver of the devices of each of NVIDIA's classes."""
_KINDS = {"GpuConfig": "gpu.nvidia.com", "MigDeviceConfig": "mig.nvidia.com"}
"""The class whose devices a kind of parameters is for."""
_ATTRIBUTES = (
    *("addressingMode", "architecture", "brand", "cudaComputeCapability", "cudaDriverVersion"),
    *(
        "deviceID",
        "driverVersion",
        "gpuModuleID",
        "index",
        "iommuFDEnabled",
        "minor",
        "parentIndex",
    ),
    *("parentMinor", "parentUUID", "pciBusID", "pcieBusID", "productName", "profile", "type"),
    *("uuid", "vendorID"),
)
_OTHER_NAMES = {
    **dict.fromkeys(("gpumodel", "model", "name", "product"), "productName"),
    **dict.fromkeys(("computecapability", "capability"), "cudaComputeCapability"),
    **dict.fromkeys(("migprofile", "mig"), "profile"),
    **dict.fromkeys(("cudaversion", "cuda"), "cudaDriverVersion"),
    **{name.lower(): name for name in _ATTRIBUTES},
}
"""What people write in place of an attribute, in small letters."""
_ATTRIBUTE = re.compile(
    r"""device\.attributes\[\s*["']gpu\.nvidia\.com["']\s*\]"""
    r"""(?:\.(?P<dotted>\w+)|\[\s*["'](?P<quoted>\w+)["']\s*\])"""
    r"""(?:\s*==\s*["'](?P<text>[^"']*)["'])?"""
)
_LABEL = re.compile(r"NVIDIA-[A-Z0-9]")
_PROFILE = re.compile(r"[0-9]+[cg]\.[0-9]+gb(\+[a-z.]+)*$|[0-9]+c\.[0-9]+g\.[0-9]+gb(\+[a-z.]+)*$")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield parameters that the driver does not read or take, and conditions on attributes that its
    devices do not have."""
    devices = [device for alternatives in alternatives_of(obj) for device in alternatives]
    inner = ("spec", "spec") if obj.kind == "ResourceClaimTemplate" else ("spec",)
    for index, config in enumerate(items(at(obj.value, (*inner, "devices", "config")))):
        opaque = mapping(mapping(config).get("opaque"))
        names = [name for name in items(mapping(config).get("requests")) if isinstance(name, str)]
        path = obj.path(*inner, "devices", "config", index, "opaque")
        yield from _parameters(opaque, path, _classes(devices, names))
    for device in devices:
        for index, expression in enumerate(device.expressions):
            yield from _selector(expression, (*device.path, "selectors", index))


def _classes(devices: list[ClaimedDevices], names: list[str]) -> set[str]:
    """Return the classes of the requests to which a configuration applies: all, if it names none."""
    return {
        device.device_class
        for device in devices
        if not names or device.request in names or device.request.partition("/")[0] in names
    }


def _parameters(opaque: dict[str, Any], path: Path, classes: set[str]) -> Iterator[RawFinding]:
    driver = text(opaque.get("driver"))
    drivers = {_DRIVERS.get(name) for name in classes}
    if driver and len(drivers) == 1 and (right := next(iter(drivers))) and driver != right:
        yield RawFinding(
            (*path, "driver"),
            f"the parameters are for driver `{driver}`, but the devices are of `{right}`: no "
            "driver reads the parameters",
            note=f"write `driver: {right}`",
        )
        return
    if driver != "gpu.nvidia.com":
        return
    parameters = mapping(opaque.get("parameters"))
    yield from _refused(parameters, (*path, "parameters"))
    kind = text(parameters.get("kind"))
    wanted_class = _KINDS.get(kind)
    if wanted_class is not None and len(classes) == 1 and classes <= set(_KINDS.values()):
        device_class = next(iter(classes))
        if device_class != wanted_class:
            yield RawFinding(
                (*path, "parameters", "kind"),
                f"`{kind}` is for devices of `{wanted_class}`, but the request is for "
                f"`{device_class}`: the driver does not prepare the claim, and its pod does not start",
                note="write `GpuConfig` for whole GPUs, `MigDeviceConfig` for slices",
                confidence="likely",
            )


def _refused(parameters: dict[str, Any], path: Path) -> Iterator[RawFinding]:
    from gpuspec.lint.analysis.reading.schema import fault
    from gpuspec.validation import configurations

    program = configurations.told_by("parameters", parameters)
    if program is None:
        return
    for wrong in configurations.violations(program, parameters):
        is_key = wrong.reason == "unknown-field"
        is_named = is_key or wrong.reason == "missing-field"
        message = wrong.message if is_named else fault(wrong.path, wrong.message)
        yield RawFinding(
            (*path, *wrong.path), f"{message}: {program.then}", note=wrong.hint, key=is_key
        )
    sharing = mapping(parameters.get("sharing"))
    for strategy, key in (("MPS", "timeSlicingConfig"), ("TimeSlicing", "mpsConfig")):
        if sharing.get("strategy") == strategy and sharing.get(key) is not None:
            yield RawFinding(
                (*path, "sharing", key),
                f"`{key}` cannot be used with the strategy `{strategy}`: {program.then}",
                note=f"remove `{key}`, or change the strategy",
                key=True,
            )


def _selector(expression: str, path: Path) -> Iterator[RawFinding]:
    where = (*path, "cel", "expression")
    for match in _ATTRIBUTE.finditer(expression):
        name = match["dotted"] or match["quoted"]
        right = _OTHER_NAMES.get(name.lower())
        value = match["text"] or ""
        if right is not None and right != name:
            yield RawFinding(
                where,
                f"the pod stays Pending: the GPUs have no attribute `{name}`, so the selector fails",
                note=f"write `{right}`",
                confidence="likely",
            )
        elif name == "productName" and _LABEL.match(value):
            yield RawFinding(
                where,
                f"the pod stays Pending: no GPU has the product name `{value}`, which is the form of node labels",
                note=f"write the driver's name: `{value.replace('NVIDIA-', 'NVIDIA ', 1)}`, with spaces",
                confidence="likely",
            )
        elif name == "profile" and value and not _PROFILE.match(value):
            yield RawFinding(
                where,
                f"the pod stays Pending: no slice has the profile `{value}`",
                note="write a profile such as `1g.10gb` or `3g.40gb+me`",
                confidence="likely",
            )
