"""Pods with claims that differ in what one part of the allocator reads, by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.control_plane.device_fleets import ADMIN, OTHER, SIZES, SPACE, a_claim
from tests.control_plane.pods.pieces import IMAGE

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from tests.control_plane.client import Object
    from tests.control_plane.device_fleets import DeviceWorld

NVIDIA = "gpu.nvidia.com"
PCIE = "resource.kubernetes.io/pcieRoot"


class Asking(NamedTuple):
    """A pod, and the claims that it names."""

    pod: Object
    claims: list[Object]


def request(name: str, device_class: str, *selectors: str, **more: object) -> Object:
    """A request for devices of a class."""
    exactly: Object = {"deviceClassName": device_class, **more}
    if selectors:
        exactly["selectors"] = [{"cel": {"expression": one}} for one in selectors]
    return {"name": name, "exactly": exactly}


def alternatives(name: str, *each: Object) -> Object:
    """A request for the first of some that can be had."""
    return {
        "name": name,
        "firstAvailable": [{"name": one["name"], **one["exactly"]} for one in each],
    }


def asking(name: str, *claims: Object, space: str = SPACE, cpu: str = "100m") -> Asking:
    """A pod that names some claims."""
    names = [one["metadata"]["name"] for one in claims]
    resources: Object = {
        "requests": {"cpu": cpu},
        "claims": [{"name": f"c{at}"} for at in range(len(names))],
    }
    spec: Object = {
        "resourceClaims": [
            {"name": f"c{at}", "resourceClaimName": one} for at, one in enumerate(names)
        ],
        "containers": [{"name": "main", "image": IMAGE, "resources": resources}],
    }
    meta = {"name": name, "namespace": space}
    return Asking({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}, list(claims))


def _count(rng: Random, world: DeviceWorld, name: str) -> Asking:
    known = rng.choice((NVIDIA, "mig.nvidia.com", "example", "large"))
    return asking(name, a_claim(name, [request("r", known, count=rng.randint(1, 5))]))


def _all(rng: Random, world: DeviceWorld, name: str) -> Asking:
    known = rng.choice((NVIDIA, "example", "large"))
    more = [_size(rng)] if known == "example" and rng.random() < 0.6 else []
    return asking(name, a_claim(name, [request("r", known, *more, allocationMode="All")]))


def _alternatives(rng: Random, world: DeviceWorld, name: str) -> Asking:
    each = [
        request(f"a{at}", rng.choice((NVIDIA, "example", "large")), count=rng.randint(2, 6))
        for at in range(rng.randint(1, 3))
    ]
    requests = [alternatives("r", *each)]
    if rng.random() < 0.4:
        requests.append(request("s", "example"))
    return asking(name, a_claim(name, requests))


def _size(rng: Random) -> str:
    return f"device.attributes['{OTHER}'].size == '{rng.choice(SIZES)}'"


def _texts(rng: Random, world: DeviceWorld, name: str) -> Asking:
    word = rng.choice(("h100", "a100", "l4", "b200", "t4"))
    said = rng.choice(
        (
            f"device.attributes['{NVIDIA}'].productName.lowerAscii().matches('^.*{word}.*$')",
            f"device.attributes['{NVIDIA}'].productName.contains('{word.upper()}')",
            f"device.attributes['{NVIDIA}'].productName.split(' ')[1].startsWith('{word.upper()}')",
        )
    )
    more = {"count": rng.randint(1, 3)}
    return asking(name, a_claim(name, [request("r", NVIDIA, said, **more)]))


def _amounts(rng: Random, world: DeviceWorld, name: str) -> Asking:
    least = rng.choice(("15Gi", "22Gi", "39Gi", "70Gi", "79Gi", "80Gi"))
    known = rng.choice((NVIDIA, "example"))
    domain = NVIDIA if known == NVIDIA else OTHER
    said = rng.choice(
        (
            f"device.capacity['{domain}'].memory.isGreaterThan(quantity('{least}'))",
            f"device.capacity['{domain}'].memory.compareTo(quantity('{least}')) >= 0",
        )
    )
    return asking(name, a_claim(name, [request("r", known, said, count=rng.randint(1, 3))]))


def _versions(rng: Random, world: DeviceWorld, name: str) -> Asking:
    than = rng.choice(("1.2.0", "1.9.0", "2.0.0", "3.0.0"))
    said = rng.choice(
        (
            f"device.attributes['{OTHER}'].firmware.isGreaterThan(semver('{than}'))",
            f"device.attributes['{OTHER}'].firmware.compareTo(semver('{than}')) >= 0",
        )
    )
    return asking(name, a_claim(name, [request("r", "example", said, count=rng.randint(1, 2))]))


def _optional(rng: Random, world: DeviceWorld, name: str) -> Asking:
    own = f"device.attributes['{OTHER}']"
    said = rng.choice(
        (
            f"has({own}.rare)",
            f"{own}.?rare.orValue('no') == 'yes' && {own}.fast",
            f"cel.bind(own, {own}, own.numa == 1 && own.fast)",
            "'elsewhere.example.com' in device.attributes",
            f"!has(device.attributes['elsewhere.example.com'].x) && {own}.numa in [0, 2]",
        )
    )
    return asking(name, a_claim(name, [request("r", "example", said, count=rng.randint(1, 3))]))


def _fails(rng: Random, world: DeviceWorld, name: str) -> Asking:
    known, attribute = rng.choice((("example", "rare"), ("example", "size")))
    said = f"device.attributes['{OTHER}'].{attribute} in ['yes', 'small', 'large']"
    return asking(name, a_claim(name, [request("r", known, said)]))


def _same(rng: Random, world: DeviceWorld, name: str) -> Asking:
    known = rng.choice((NVIDIA, "example", "mig.nvidia.com"))
    attribute = {
        NVIDIA: PCIE,
        "example": rng.choice((PCIE, f"{OTHER}/numa", f"{OTHER}/rare")),
        "mig.nvidia.com": f"{NVIDIA}/parentUUID",
    }[known]
    requests = [request("r", known, count=rng.randint(2, 3))]
    if rng.random() < 0.3:
        requests.append(request("s", known))
    only = {"requests": ["r"]} if rng.random() < 0.5 else {}
    return asking(name, a_claim(name, requests, [{"matchAttribute": attribute, **only}]))


def _distinct(rng: Random, world: DeviceWorld, name: str) -> Asking:
    attribute = rng.choice((PCIE, f"{OTHER}/numa", f"{OTHER}/firmware"))
    requests = [request("r", "example", count=rng.randint(2, 3))]
    return asking(name, a_claim(name, requests, [{"distinctAttribute": attribute}]))


def _several(rng: Random, world: DeviceWorld, name: str) -> Asking:
    claims = [
        a_claim(
            f"{name}-{at}",
            [
                request(f"r{n}", rng.choice((NVIDIA, "example", "large")))
                for n in range(rng.randint(1, 2))
            ],
        )
        for at in range(2)
    ]
    return asking(name, *claims)


def _partitions(rng: Random, world: DeviceWorld, name: str) -> Asking:
    profile = rng.choice(("1g.10gb", "2g.20gb", "3g.40gb", "7g.80gb", "1g.10gb+me"))
    said = f"device.attributes['{NVIDIA}'].profile == '{profile}'"
    requests = [request("r", "mig.nvidia.com", said, count=rng.randint(1, 4))]
    if rng.random() < 0.3:
        requests.append(request("s", NVIDIA))
    return asking(name, a_claim(name, requests))


def _taints(rng: Random, world: DeviceWorld, name: str) -> Asking:
    tolerated: Object = rng.choice(
        (
            {"key": "example.com/ill", "operator": "Exists"},
            {"operator": "Exists", "effect": "NoSchedule"},
            {"key": "example.com/ill", "operator": "Equal", "value": "no"},
        )
    )
    more: Object = {"tolerations": [tolerated]} if rng.random() < 0.6 else {}
    said = f"device.attributes['{OTHER}'].numa == {rng.randint(0, 1)}"
    one = request("r", "example", said, count=rng.randint(1, 3), **more)
    return asking(name, a_claim(name, [one]))


def _shares(rng: Random, world: DeviceWorld, name: str) -> Asking:
    said = "device.allowMultipleAllocations"
    asks: Object = {"bandwidth": rng.choice(("1", "3", "5", "7", "9"))}
    if rng.random() < 0.6:
        asks["memory"] = rng.choice(("1Gi", "10Gi", "30Gi"))
    more = {"capacity": {"requests": asks}, "count": rng.randint(1, 2)}
    requests = [request("r", "example", said, **more)]
    if rng.random() < 0.4:
        requests.append(request("s", "example", said, **more))
    return asking(name, a_claim(name, requests))


def _admin(rng: Random, world: DeviceWorld, name: str) -> Asking:
    known = rng.choice((NVIDIA, "example"))
    one = request("r", known, count=rng.randint(1, 5), adminAccess=True)
    return asking(name, a_claim(name, [one], space=ADMIN), space=ADMIN)


def _given(rng: Random, world: DeviceWorld, name: str) -> Asking:
    """A claim that has devices already, beside one that has none."""
    if not world.claims:
        return _count(rng, world, name)
    known = rng.choice(world.claims)
    made = asking(name, known, cpu=rng.choice(("100m", "6")))
    if rng.random() < 0.5:
        more = a_claim(name, [request("r", rng.choice((NVIDIA, "example")))])
        both = asking(name, known, more)
        return Asking(both.pod, [more])
    return Asking(made.pod, [])


def _no_class(rng: Random, world: DeviceWorld, name: str) -> Asking:
    known = rng.choice((NVIDIA, "nobody"))
    one = request("r", known)
    return asking(name, a_claim(name, [alternatives("r", one) if rng.random() < 0.5 else one]))


def _extended(rng: Random, world: DeviceWorld, name: str) -> Asking:
    resource = rng.choice(
        ("nvidia.com/gpu", "example.com/device", "deviceclass.resource.kubernetes.io/large")
    )

    def container(called: str, **more: object) -> Object:
        amount = str(rng.randint(1, 3))
        asks = {"limits": {resource: amount}, "requests": {"cpu": "100m", resource: amount}}
        return {"name": called, "image": IMAGE, "resources": asks, **more}

    spec: Object = {"containers": [container("main")]}
    if rng.random() < 0.4:
        more = {"restartPolicy": "Always"} if rng.random() < 0.5 else {}
        spec["initContainers"] = [container("first", **more)]
    meta = {"name": name, "namespace": SPACE}
    return Asking({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}, [])


KINDS: dict[str, Callable[[Random, DeviceWorld, str], Asking]] = {
    "a number of devices": _count,
    "all devices": _all,
    "alternatives in order": _alternatives,
    "selectors: texts": _texts,
    "selectors: quantities": _amounts,
    "selectors: versions": _versions,
    "selectors: what is optional": _optional,
    "selectors that fail": _fails,
    "the same attribute": _same,
    "several claims": _several,
    "admin access": _admin,
    "claims that have devices": _given,
    "classes that are not there": _no_class,
}
SINCE_1_36: dict[str, Callable[[Random, DeviceWorld, str], Asking]] = {
    "different attributes": _distinct,
    "partitions": _partitions,
    "device taints": _taints,
    "shares of capacity": _shares,
    "extended resources by a class": _extended,
}
__all__ = ["KINDS", "SINCE_1_36", "Asking"]
