"""Random fleets whose nodes have devices: slices of several drivers, and what claims have of them."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, NamedTuple

from tests.control_plane import slices
from tests.control_plane.nodes import node as a_node

if TYPE_CHECKING:
    from random import Random

    from tests.control_plane.client import Object

API, OTHER = slices.API, "dra.example.com"
SPACE, ADMIN = "team-a", "admins"
SIZES = ("small", "large")
CLASSES = (
    *slices.classes(),
    slices.device_class("example", f"device.driver == '{OTHER}'", extended="example.com/device"),
    slices.device_class("sentinel", "device.driver == 'sentinel.example.com'"),
    slices.device_class(
        "large",
        f"device.driver == '{OTHER}'",
        f"device.attributes['{OTHER}'].size == 'large'",
    ),
)


class DeviceWorld(NamedTuple):
    """A fleet: nodes, slices, and claims that have devices already."""

    nodes: list[Object]
    slices: list[Object]
    claims: list[Object]


def world(rng: Random, number: int, *, newest: bool) -> DeviceWorld:
    """A fleet of some nodes. `newest`: with what Kubernetes has on since 1.36."""
    nodes: list[Object] = []
    made: list[Object] = []
    for index in range(rng.randint(3, 6)):
        name = f"d{number}-{index}"
        rack = {"rack": rng.choice("12")}
        nodes.append(a_node(name, {"cpu": rng.choice(("4", "16")), "memory": "64Gi"}, rack))
        made += _slices(rng, name, newest)
    if rng.random() < 0.4:
        made += _wide(rng, number)
    claims = [
        claim
        for at, (pool, device) in enumerate(_devices(made))
        if rng.random() < 0.25
        and (claim := _taken(rng, f"had{number}-{at}", pool, device)) is not None
    ]
    return DeviceWorld(nodes, made, claims)


def _slices(rng: Random, node: str, newest: bool) -> list[Object]:
    model = rng.choice(("H100-80GB", "A100-80GB", "L4"))
    kind = rng.choice(("whole", "whole", "divided", "example", "example", "dynamic", "both"))
    found: list[Object] = []
    if kind in ("whole", "both"):
        found += slices.whole(node, model, rng.choice((1, 2, 4)))
    if kind == "divided":
        layouts = [
            rng.choice(
                (
                    [],
                    [("3g.40gb", 0), ("3g.40gb", 4)],
                    [("1g.10gb", 0), ("2g.20gb", 2), ("3g.40gb", 4)],
                )
            )
            for _ in range(rng.randint(1, 2))
        ]
        found += slices.divided(node, "H100-80GB", *layouts)
    if kind == "dynamic":
        found += slices.dynamic(node, "H100-80GB", 1) if newest else slices.whole(node, model, 2)
    if kind in ("example", "both"):
        found += _example(rng, node, newest)
    return found


def _example(rng: Random, node: str, newest: bool) -> list[Object]:
    """Slices of a driver of our own: every type of attribute, and what else a device may have."""
    count = rng.randint(1, 6)
    devices = [_device(rng, f"dev-{at}", newest) for at in range(count)]
    cut = rng.randint(0, count)
    parts = [{"devices": devices[:cut]}, {"devices": devices[cut:]}]
    made = slices.pool(node, [part for part in parts if part["devices"]], OTHER)
    if rng.random() < 0.12:
        # Its driver has not written all of them yet.
        for one in made:
            one["spec"]["pool"]["resourceSliceCount"] += 1
    elif rng.random() < 0.15:
        old = deepcopy(made[0])
        old["metadata"]["name"] += "-old"
        for one in made:
            one["spec"]["pool"]["generation"] = 2
        made.append(old)
    return made


def _device(rng: Random, name: str, newest: bool) -> Object:
    attributes: Object = {
        "size": {"string": rng.choice(SIZES)},
        "numa": {"int": rng.randint(0, 1)},
        "fast": {"bool": rng.random() < 0.5},
        "firmware": {"version": rng.choice(("1.2.0", "1.10.0", "2.0.0-rc.1"))},
        "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:0{rng.randint(0, 2)}"},
    }
    if rng.random() < 0.3:
        attributes["rare"] = {"string": "yes"}
    device: Object = {
        "name": name,
        "attributes": attributes,
        "capacity": {"memory": {"value": rng.choice(("16Gi", "40Gi", "81559Mi"))}},
    }
    if newest and rng.random() < 0.25:
        effect = rng.choice(("NoSchedule", "NoExecute", "None"))
        device["taints"] = [{"key": "example.com/ill", "value": "yes", "effect": effect}]
    if newest and rng.random() < 0.4:
        device["allowMultipleAllocations"] = True
        device["capacity"]["bandwidth"] = {"value": "10", "requestPolicy": _policy(rng)}
    return device


def _policy(rng: Random) -> Object:
    return rng.choice(
        (
            {"default": "1", "validValues": ["1", "2", "5", "10"]},
            {"default": "2", "validRange": {"min": "2", "max": "8", "step": "2"}},
        )
    )


def _wide(rng: Random, number: int) -> list[Object]:
    """Devices that several nodes can use."""
    name = f"net{number}"
    devices = [_device(rng, f"net-{at}", newest=False) for at in range(rng.randint(1, 3))]
    (made,) = slices.pool(name, [{"devices": devices}], OTHER)
    del made["spec"]["nodeName"]
    terms = [{"matchExpressions": [{"key": "rack", "operator": "In", "values": ["1"]}]}]
    made["spec"] |= rng.choice(({"allNodes": True}, {"nodeSelector": {"nodeSelectorTerms": terms}}))
    return [made]


def _devices(made: list[Object]) -> list[tuple[Object, Object]]:
    return [(one, device) for one in made for device in one["spec"].get("devices", ())]


def _taken(rng: Random, name: str, of: Object, device: Object) -> Object | None:
    """A claim that has a device, for a pod that somebody else runs."""
    spec = of["spec"]
    if "nodeName" not in spec or "-old" in of["metadata"]["name"]:
        return None
    if device.get("consumesCounters") and rng.random() < 0.9:
        return None
    result: Object = {
        "request": "one",
        "driver": spec["driver"],
        "pool": spec["pool"]["name"],
        "device": device["name"],
    }
    if device.get("allowMultipleAllocations"):
        values = {name: one["value"] for name, one in device["capacity"].items()}
        values["bandwidth"] = rng.choice(("2", "10"))
        values["memory"] = "4Gi"
        result |= {"shareID": _uid(name), "consumedCapacity": values}
    term = {"key": "metadata.name", "operator": "In", "values": [spec["nodeName"]]}
    claim = a_claim(name, [{"name": "one", "exactly": {"deviceClassName": "example"}}])
    claim["status"] = {
        "allocation": {
            "devices": {"results": [result]},
            # Without it 1.36 and later cannot reserve the claim for anybody else.
            "allocationTimestamp": "2026-01-01T00:00:00Z",
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [term]}]},
        },
        "reservedFor": [{"resource": "pods", "name": f"{name}-user", "uid": _uid(f"{name}-user")}],
    }
    return claim


def _uid(name: str) -> str:
    return str(slices.uid(name))


def a_claim(
    name: str, requests: list[Object], constraints: list[Object] | None = None, space: str = SPACE
) -> Object:
    """A ResourceClaim."""
    devices: Object = {"requests": requests}
    if constraints:
        devices["constraints"] = constraints
    return {
        "apiVersion": API,
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": space},
        "spec": {"devices": devices},
    }
