"""DeviceClasses of a profile: those that stand behind extended resources, where the driver's chart has none.

A class stands behind one name. Sources: kubernetes/enhancements keps/sig-scheduling/5004-dra-extended-resource;
kubernetes-sigs/dra-driver-nvidia-gpu v0.4.1 demo/specs/extended-resources, install.md.
"""

from typing import Any

from gpuspec import hardware
from gpuspec.hardware import ClaimDriver
from gpuspec.plan import DeviceOption, device_options
from gpuspec.plan.selectors import among, names_of
from gpuspec.spec import Pool, Profile, model_of

Object = dict[str, Any]
API = "resource.k8s.io/v1"


def class_objects(profile: Profile) -> list[Object]:
    """Return a DeviceClass for each extended resource without a class of the driver."""
    by_resource: dict[str, list[tuple[Pool, DeviceOption]]] = {}
    for pool in profile.spec.pools:
        if pool.gpu.dra is None or pool.claimed:
            continue
        for device_option in device_options(pool, model_of(pool)):
            driver = hardware.claim_driver(model_of(pool).vendor)
            if driver is not None and (
                device_option.kind != "whole" or device_option.resource != driver.extended
            ):
                by_resource.setdefault(device_option.resource, []).append((pool, device_option))
    return [_class(name, pool_options) for name, pool_options in by_resource.items()]


def _class(resource: str, pool_options: list[tuple[Pool, DeviceOption]]) -> Object:
    driver = hardware.claim_driver(model_of(pool_options[0][0]).vendor)
    assert driver is not None
    expressions = _expressions(driver, pool_options)
    name = f"{resource.rpartition('/')[2].replace('.', '-').replace('_', '-')}.{driver.driver}"
    return {
        "apiVersion": API,
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {
            "selectors": [{"cel": {"expression": expression}} for expression in expressions],
            "extendedResourceName": resource,
        },
    }


def _expressions(driver: ClaimDriver, pool_options: list[tuple[Pool, DeviceOption]]) -> list[str]:
    """Return the CEL conditions for a device of the resource: on driver, type and model."""
    attributes = f"device.attributes['{driver.driver}']"
    kind = "whole" if pool_options[0][1].kind == "whole" else "partition"
    condition = f"device.driver == '{driver.driver}'"
    if driver.type and kind in driver.types:
        condition += f" && {attributes}.{driver.type} == '{driver.types[kind]}'"
    expressions = [condition]
    profiles = [device_option.profile for _, device_option in pool_options if device_option.profile]
    if profiles and driver.profile:
        expressions.append(among(f"{attributes}.{driver.profile}", profiles))
    if kind == "whole" and (names := names_of(driver, [pool for pool, _ in pool_options])):
        expressions.append(names)
    return expressions
