"""The request of a claim: alternatives, and selectors in the attributes of the DRA driver."""

from collections.abc import Iterator, Sequence

from gpuspec import hardware
from gpuspec.hardware import ClaimDriver
from gpuspec.numbers import read_version
from gpuspec.plan import gangs
from gpuspec.plan.decision import Decision, PlanPart, derived, from_profile, from_spec
from gpuspec.plan.devices import maker
from gpuspec.plan.facets import NodeMap, Nodes
from gpuspec.plan.fit import MEMORY_SLACK, architecture, least_memory
from gpuspec.plan.products import exact_names
from gpuspec.plan.resolution import ChosenPool, Resolution
from gpuspec.plan.selectors import among, product, products_of
from gpuspec.plan.wording import MIB
from gpuspec.spec.quoting import either

GPUS = "gpu"
"""The name of a pod's claim for GPUs, and of its single request."""
MOST_ALTERNATIVES = 8
"""The most alternatives of a request that the API accepts."""
_NAMES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def driver_of(resolution: Resolution) -> ClaimDriver:
    """Return the driver of the pods' GPUs."""
    driver = hardware.claim_driver(maker(resolution))
    assert driver is not None  # see spec/rules/claiming.py
    return driver


def request(resolution: Resolution, gpus: int) -> NodeMap:
    """Return one request for all GPUs of a pod: for any suitable device, or for the first available
    of several."""
    decision = derived("claim-template", GPUS, "all GPUs of the pod")
    if not is_ordered(resolution) or gangs.is_kueues(resolution):
        return {"name": decision, "exactly": _asked(resolution, resolution.pools, gpus)}
    path = ("spec", "gpu", "models")
    alternatives = [
        {
            "name": from_spec(
                path, _NAMES[at], f"used if none of the earlier models is free: {words}"
            )
            if at
            else from_spec(path, _NAMES[at], f"tried first: {words}"),
            **_asked(resolution, group, gpus),
        }
        for at, group in enumerate(_groups(resolution))
        if (words := either([chosen.model.name for chosen in group]))
    ]
    return {"name": decision, "firstAvailable": alternatives}


def is_ordered(resolution: Resolution) -> bool:
    """Return whether the spec orders its GPU models, and there are several."""
    return len(resolution.spec.gpu.models) > 1 and len(_groups(resolution)) > 1


def _groups(resolution: Resolution) -> list[tuple[ChosenPool, ...]]:
    """Return the pools by device, best first; the last group has all pools beyond the most
    alternatives."""
    groups: dict[tuple[str, str | None], list[ChosenPool]] = {}
    for chosen in resolution.pools:
        key = (chosen.model.name, chosen.device_option.profile)
        if key not in groups and len(groups) == MOST_ALTERNATIVES:
            key = list(groups)[-1]
        groups.setdefault(key, []).append(chosen)
    return [tuple(group) for group in groups.values()]


def _asked(resolution: Resolution, pools: Sequence[ChosenPool], gpus: int) -> dict[str, PlanPart]:
    """Return class, number and selectors."""
    first = resolution.pools[0]
    device_class = first.pool.gpu.dra and first.pool.gpu.dra.device_class
    path = first.path("gpu", "dra", "deviceClass" if device_class else "by")
    words = (
        "the platform's class"
        if device_class
        else f"the class of {first.device_option} that the driver installs"
    )
    counted = ("spec", "gpu", "count") if gpus == resolution.gpus else ("spec", "roles")
    selectors = [{"cel": {"expression": decision}} for decision in _selectors(resolution, pools)]
    return {
        "deviceClassName": from_profile(path, first.device_option.claimed, words),
        "allocationMode": derived("claim-template", "ExactCount", "this number, all on one node"),
        "count": from_spec(counted, gpus, f"{first.device_option.unit}s of the pod"),
        "selectors": selectors or None,
    }


def _selectors(resolution: Resolution, pools: Sequence[ChosenPool]) -> Iterator[Decision]:
    """Yield expressions that a device must all satisfy, in the attributes of its driver."""
    driver, gpu = driver_of(resolution), resolution.spec.gpu
    attributes = f"device.attributes['{driver.driver}']"
    capacity = f"device.capacity['{driver.driver}']"
    # What the weights need stands nowhere in the spec.
    needed = ("spec", "gpu", "memory") if gpu.memory is not None else ("spec", "gpu")
    kind = "whole" if pools[0].device_option.kind == "whole" else "partition"
    shared = driver.partition in (None, driver.whole) or pools[0].device_option.claimed not in (
        driver.whole,
        driver.partition,
    )
    if driver.type and kind in driver.types and shared:
        words = "its class includes whole devices and parts"
        yield derived(
            "claim-template", f"{attributes}.{driver.type} == '{driver.types[kind]}'", words
        )
    if products := _products(resolution, driver, pools):
        models = either(dict.fromkeys(chosen.model.name for chosen in pools))
        path = ("spec", "gpu", "models") if gpu.models else ("spec", "gpu")
        yield from_spec(
            path, among(product(driver), products), f"{models}, by the driver's name for it"
        )
    profiles = [chosen.device_option.profile for chosen in pools if chosen.device_option.profile]
    if profiles and driver.profile:
        words = f"each has the needed memory: {either(dict.fromkeys(profiles))}"
        yield from_spec(needed, among(f"{attributes}.{driver.profile}", profiles), words)
    least = least_memory(resolution.spec)
    if least and not profiles and driver.memory:
        size = f"{least * (100 - MEMORY_SLACK) // 100 // MIB}Mi"
        words = (
            f"{MEMORY_SLACK}% below the requested amount: a driver reports slightly less "
            "memory than the data sheet. A GPU that reports no memory is skipped"
        )
        has_capacity = f"'{driver.memory}' in {capacity}"
        enough = f"{capacity}.{driver.memory}.compareTo(quantity('{size}')) >= 0"
        yield from_spec(needed, f"{has_capacity} && {enough}", words)
    if gpu.compute_capability and driver.capability:
        version = ".".join(map(str, (*read_version(gpu.compute_capability), 0, 0)[:3]))
        tells = f"{attributes}.{driver.capability}.compareTo(semver('{version}')) >= 0"
        words = "the spec's minimum"
        yield from_spec(("spec", "gpu", "computeCapability"), tells, words)


def _products(
    resolution: Resolution, driver: ClaimDriver, pools: Sequence[ChosenPool]
) -> tuple[str, ...]:
    """Return the driver's product names of these pools' GPUs, as labels write them.

    Empty if any device of the class is suitable, and if a product's name is unknown.
    """
    arch = architecture(resolution.spec, resolution.models)
    others = [
        out
        for out in resolution.excluded_pools
        if out.pool.claimed and out.pool.architecture == arch and out.model not in resolution.models
    ]
    if not driver.product or not (resolution.spec.gpu.models or others):
        return ()
    products = [_product(resolution, chosen) for chosen in pools]
    return (
        tuple(dict.fromkeys(name for names in products for name in names)) if all(products) else ()
    )


def _product(resolution: Resolution, chosen: ChosenPool) -> tuple[str, ...]:
    model = chosen.model.whole or chosen.model
    vendor = hardware.vendor(model.vendor)
    labeller = hardware.labellers()[str(vendor and vendor.labeller)]
    return products_of(chosen.pool, model, exact_names(resolution.spec, labeller, model))


def alike(resolution: Resolution, gpus: int) -> Nodes:
    """Return the constraint that all GPUs of a pod are of one product, if the request alone does
    not ensure it."""
    driver = driver_of(resolution)
    if gpus < 2 or not driver.product or len(_products(resolution, driver, resolution.pools)) == 1:
        return ()
    words = "a node can have several models, and the slowest would set the pace"
    constraint = {"requests": [GPUS], "matchAttribute": f"{driver.driver}/{driver.product}"}
    return (derived("claim-template", constraint, words),)
