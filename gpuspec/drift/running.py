"""GPU workloads that run, and that nothing of what is said makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.cluster.live import owners
from gpuspec.drift.dump import controller
from gpuspec.drift.model import Difference, Remark
from gpuspec.manifests import Quantity
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from gpuspec.drift.dump import Dump, Json
    from gpuspec.fleet.fleets import Owner

_MANAGED, _NAME = "app.kubernetes.io/managed-by", "app.kubernetes.io/name"
_DONE = ("Succeeded", "Failed")
_STEPS = 8
"""Owners above owners: nothing that runs has as many."""


class _Sum(msgspec.Struct):
    pods: int = 0
    devices: dict[str, int] = {}


def strangers(
    dump: Dump, made: Collection[Owner], workloads: Mapping[tuple[str, str], Collection[str]]
) -> Iterator[Difference]:
    """By what owns them, those with devices whose pods are of nothing in `made`.

    `workloads`: by namespace and name the kinds of what is rendered of each, which its pods bear in a
    label: what an operator makes between an object and its pods need not be in the dump. Of one of
    these kinds it would be an object of its own, such as an earlier run.
    """
    uids = {
        str(at(one, ("metadata", "uid"))): one
        for objects in dump.objects.values()
        for one in objects.values()
        if at(one, ("metadata", "uid"))
    }
    found: dict[Owner, _Sum] = {}
    for pod in dump.of(("", "Pod")):
        devices = _devices(pod)
        if not devices or text(at(pod, ("status", "phase"))) in _DONE:
            continue
        above = [*_above(pod, uids)]
        kinds = workloads.get(_called(pod) or ("", ""))
        is_ours = kinds is not None and above[-1][1] not in kinds
        if is_ours or any(one in made for one in (*owners(pod), *above)):
            continue
        one = found.setdefault(above[-1], _Sum(devices={}))
        one.pods += 1
        for name, count in devices.items():
            one.devices[name] = one.devices.get(name, 0) + count
    for (space, kind, name), one in sorted(found.items()):
        have = ", ".join(f"{one.devices[name]} {name}" for name in sorted(one.devices))
        pods = "1 pod" if one.pods == 1 else f"{one.pods} pods"
        remark = Remark("object", f"{have} in {pods}, and nothing that is given makes it")
        yield Difference("unasked", "workload", f"{kind} {space}/{name}", (remark,))


def workload_of(labels: object, namespace: str) -> tuple[str, str] | None:
    """The workload of which an object that we rendered is, by its labels."""
    known = mapping(labels)
    name = text(known.get(_NAME))
    return (namespace, name) if name and known.get(_MANAGED) == "gpuspec" else None


def _called(pod: Json) -> tuple[str, str] | None:
    space = text(at(pod, ("metadata", "namespace"))) or "default"
    return workload_of(at(pod, ("metadata", "labels")), space)


def _above(pod: Json, uids: Mapping[str, Json]) -> Iterator[Owner]:
    """A pod, what owns it and what owns that, as far as the dump tells; the last is the highest."""
    space = text(at(pod, ("metadata", "namespace"))) or "default"
    yield space, "Pod", text(at(pod, ("metadata", "name")))
    one: Json | None = pod
    for _ in range(_STEPS):
        owner = None if one is None else controller(one)
        if owner is None:
            break
        kind, name = text(owner.get("kind")), text(owner.get("name"))
        yield space, kind, name
        one = uids.get(str(owner.get("uid") or ""))
        if one is None and kind == "ReplicaSet":
            # Its name ends in a hash that its pods bear, before which stands what made it.
            made = [each for each in owners(pod) if name.startswith(f"{each[2]}-")]
            yield from made[:1]


def _devices(pod: Json) -> dict[str, int]:
    """What its containers ask for of accelerators; what is no amount is none."""
    sums: dict[str, int] = {}
    for container in items(at(pod, ("spec", "containers"))):
        rows = mapping(mapping(container).get("resources"))
        asked = {**mapping(rows.get("requests")), **mapping(rows.get("limits"))}
        for name, written in asked.items():
            if hardware.is_gpu_resource(str(name)) and (count := _count(written)):
                sums[str(name)] = sums.get(str(name), 0) + count
    return sums


def _count(written: object) -> int:
    if not isinstance(written, str | int):
        return 0
    try:
        return Quantity.parse(written).int_value
    except ValueError:
        return 0
