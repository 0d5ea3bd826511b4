"""ResourceSlices and DeviceClasses as NVIDIA's DRA driver writes them, for nodes without a driver.

As `dra-driver-nvidia-gpu` v0.4 (branch release-0.4, 98b4d8e7) does:

- attributes and capacities: cmd/gpu-kubelet-plugin/{deviceinfo,mig,partitions}.go; no name has a
  domain but those of `deviceattribute`, so that they belong to the driver's;
- slices: driver.go. Without `DynamicMIG` a node's pool is one slice; with it, since 1.35, one of
  all shared counters, then one for the devices of each GPU;
- classes: deployments/helm/dra-driver-nvidia-gpu/templates/deviceclass-*.yaml.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_DNS, UUID, uuid5

from gpuspec import hardware

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.hardware import GpuModel
    from gpuspec.hardware.mig_profile import MigProfile, Placement
    from tests.control_plane.client import Object

API, DRIVER = "resource.k8s.io/v1", "gpu.nvidia.com"
DRIVER_VERSION, CUDA_VERSION = "580.95.5", "13.0.0"
# The device class by the value of `type`; that of whole GPUs backs the device plugin's resource.
_TYPES = {"gpu.nvidia.com": "gpu", "mig.nvidia.com": "mig", "vfio.gpu.nvidia.com": "vfio"}
_EXTENDED = {"gpu.nvidia.com": "nvidia.com/gpu"}
# What NVML calls a GPU instance profile: its id by slices and attribute, where it has 7 slices.
_PROFILE_IDS = {"1g": 19, "1g+me": 20, "1g double": 15, "2g": 14, "3g": 9, "4g": 5, "7g": 0}
# Of H100: nvidia-smi mig -lgip. Multiprocessors, copy engines, decoders, JPEG and OFA engines.
_ENGINES = {
    "1g": (16, 1, 1, 1, 0),
    "1g+me": (16, 1, 1, 1, 1),
    "1g double": (26, 1, 1, 1, 0),
    "2g": (32, 2, 2, 2, 0),
    "3g": (60, 3, 3, 3, 0),
    "4g": (64, 4, 4, 4, 0),
    "7g": (132, 8, 7, 7, 1),
}


def classes() -> list[Object]:
    """The DeviceClasses of GPUs that the driver's chart makes on Kubernetes 1.34 and later."""
    return [
        device_class(
            name,
            f"device.driver == '{DRIVER}' && device.attributes['{DRIVER}'].type == '{kind}'",
            extended=_EXTENDED.get(name),
        )
        for name, kind in _TYPES.items()
    ]


def device_class(name: str, *expressions: str, extended: str | None = None) -> Object:
    """A DeviceClass with some selectors."""
    spec: Object = {"selectors": [{"cel": {"expression": each}} for each in expressions]}
    if extended:
        spec["extendedResourceName"] = extended
    return {"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": name}, "spec": spec}


def whole(node: str, model: str, count: int) -> list[Object]:
    """The slices of a node with so many GPUs of a model, none of them divided."""
    gpus = [_device(f"gpu-{at}", _gpu(node, model, at), _memory(model)) for at in range(count)]
    return pool(node, [{"devices": gpus}])


def divided(node: str, model: str, *layouts: Iterable[tuple[str, int]]) -> list[Object]:
    """The slices of a node whose GPUs have been divided by hand: a layout for each GPU.

    A layout names profiles and the memory slices where they begin, as `("3g.40gb", 4)`; without
    any, the GPU is whole.
    """
    devices: list[Object] = []
    for at, layout in enumerate(layouts):
        parts = list(layout)
        if not parts:
            devices.append(_device(f"gpu-{at}", _gpu(node, model, at), _memory(model)))
        for name, start in parts:
            profile = _profile(model, name)
            placed = next(one for one in profile.placements if one.start == start)
            capacity = _part_capacity(profile)
            # Names of capacities have no hyphens, those of counters have.
            capacity |= {f"memorySlice{n}": "1" for n in range(start, start + placed.size)}
            own = {"uuid": {"string": f"MIG-{_uuid(node, at, profile, placed)}"}}
            devices.append(
                _device(
                    _part_name(at, profile, placed), _part(node, model, at, name) | own, capacity
                )
            )
    return pool(node, [{"devices": devices}])


def dynamic(node: str, model: str, count: int) -> list[Object]:
    """The slices of a node whose GPUs are divided as claims ask for it (`DynamicMIG`)."""
    sets: list[Object] = []
    slices: list[Object] = []
    for at in range(count):
        most = _most(model)
        sets.append({"name": _counter_set(at), "counters": _counters(most, 0, _axis(model))})
        parts = {f"gpu-{at}": _whole_of_parts(node, model, at, most)}
        for profile in hardware.model(model).mig:
            for placed in profile.placements:
                one = _device(
                    _part_name(at, profile, placed),
                    _part(node, model, at, profile.name),
                    _part_capacity(profile),
                    _consumes(at, _part_capacity(profile), placed.start, placed.size),
                )
                parts[one["name"]] = one
        slices.append({"devices": [parts[name] for name in sorted(parts)]})
    return pool(node, [{"sharedCounters": sets}, *slices])


def pool(node: str, slices: list[Object], driver: str = DRIVER) -> list[Object]:
    """The ResourceSlices of a node's pool, which the driver's helper names after the node."""
    return [
        {
            "apiVersion": API,
            "kind": "ResourceSlice",
            "metadata": {"name": f"{node}-{driver}-{number}"},
            "spec": {
                "driver": driver,
                "nodeName": node,
                "pool": {"name": node, "generation": 1, "resourceSliceCount": len(slices)},
            }
            | each,
        }
        for number, each in enumerate(slices)
    ]


def _device(
    name: str, attributes: Object, capacity: dict[str, str], consumes: Object | None = None
) -> Object:
    made: Object = {"name": name, "attributes": attributes}
    made["capacity"] = {each: {"value": value} for each, value in capacity.items()}
    return made | ({"consumesCounters": [consumes]} if consumes else {})


def _common(model: str) -> Object:
    found = hardware.model(model)
    major, minor = found.compute_capability or (0, 0)
    return {
        "productName": {"string": product_name(found)},
        "brand": {"string": "Nvidia"},
        "architecture": {"string": found.family.replace("-", " ").title()},
        "cudaComputeCapability": {"version": f"{major}.{minor}.0"},
        "driverVersion": {"version": DRIVER_VERSION},
        "cudaDriverVersion": {"version": CUDA_VERSION},
        "addressingMode": {"string": "HMM"},
    }


def product_name(model: GpuModel) -> str:
    """What NVML calls a GPU: its product label has a hyphen for every blank."""
    label = model.forms[0].products[0]
    maker, _, rest = label.partition("-")
    # Hyphens of their own have the names of A100 alone.
    return f"{maker} {rest if 'A100-SXM' in rest else rest.replace('-', ' ')}"


def _bus(at: int) -> Object:
    # Two GPUs share a root port, as on a board of eight.
    return {
        "resource.kubernetes.io/pciBusID": {"string": f"0000:{0x10 + at:02x}:00.0"},
        "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{at // 2:02x}"},
    }


def _gpu(node: str, model: str, at: int) -> Object:
    return {
        "type": {"string": "gpu"},
        "uuid": {"string": f"GPU-{_uuid(node, at)}"},
        **_common(model),
        **_bus(at),
    }


def _part(node: str, model: str, at: int, profile: str) -> Object:
    return {
        "type": {"string": "mig"},
        "parentUUID": {"string": f"GPU-{_uuid(node, at)}"},
        "profile": {"string": profile},
        **_common(model),
        **_bus(at),
    }


def _whole_of_parts(node: str, model: str, at: int, most: dict[str, str]) -> Object:
    consumes = _consumes(at, most, 0, _axis(model))
    return _device(f"gpu-{at}", _gpu(node, model, at), most, consumes)


def _memory(model: str) -> dict[str, str]:
    return {"memory": _binary(hardware.model(model).memory)}


def _part_capacity(profile: MigProfile) -> dict[str, str]:
    multiprocessors, copy, decoders, jpeg, ofa = _ENGINES[_kind(profile)]
    return {
        "multiprocessors": str(multiprocessors),
        "copyEngines": str(copy),
        "decoders": str(decoders),
        "encoders": "0",
        "jpegEngines": str(jpeg),
        "ofaEngines": str(ofa),
        "memory": _binary(profile.memory),
    }


def _most(model: str) -> dict[str, str]:
    """The most of each capacity that a profile has: the whole GPU, of which the driver asks no more."""
    found: dict[str, Any] = {}
    for profile in hardware.model(model).mig:
        for name, value in _part_capacity(profile).items():
            had = found.get(name, "0")
            found[name] = max(had, value, key=_amount)
    return found


def _counters(capacity: dict[str, str], start: int, size: int) -> Object:
    named = {_hyphened(name): {"value": value} for name, value in capacity.items()}
    return named | {f"memory-slice-{n}": {"value": "1"} for n in range(start, start + size)}


def _consumes(at: int, capacity: dict[str, str], start: int, size: int) -> Object:
    return {"counterSet": _counter_set(at), "counters": _counters(capacity, start, size)}


def _counter_set(at: int) -> str:
    return f"gpu-{at}-counter-set"


def _part_name(at: int, profile: MigProfile, placed: Placement) -> str:
    plain = profile.name.replace(".", "").replace("+", "-")
    return f"gpu-{at}-mig-{plain}-{_PROFILE_IDS[_kind(profile)]}-{placed.start}"


def _profile(model: str, name: str) -> MigProfile:
    found = hardware.model(model).profile(name)
    assert found is not None, f"{model} has no profile {name}"
    return found


def _kind(profile: MigProfile) -> str:
    whole_slices = f"{profile.compute_slices}g"
    if profile.name.endswith("+me"):
        return f"{whole_slices}+me"
    return (
        f"{whole_slices} double"
        if whole_slices == "1g" and profile.memory_slices == 2
        else whole_slices
    )


def _axis(model: str) -> int:
    return max(profile.memory_slices for profile in hardware.model(model).mig)


def _hyphened(name: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)


def _amount(quantity: str) -> int:
    return int(quantity.removesuffix("Mi"))


def _binary(count: int) -> str:
    return f"{count >> 20}Mi"


def _uuid(node: str, *which: object) -> UUID:
    return uuid5(NAMESPACE_DNS, f"{node} {which}")
