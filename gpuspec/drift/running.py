"""GPU workloads that run, and that nothing of what is said makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.cluster.live import owners
from gpuspec.drift.dump import owner_uids
from gpuspec.drift.model import Difference, Remark
from gpuspec.kinds import pod_labels
from gpuspec.manifests import Quantity
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from gpuspec.drift.dump import Dump, Json
    from gpuspec.fleet.fleets import Owner

_DONE = ("Succeeded", "Failed")
_STEPS = 8
"""Owners above owners: nothing that runs has as many."""


class _Sum(msgspec.Struct):
    pods: int = 0
    devices: dict[str, int] = {}


def strangers(dump: Dump, made: Collection[Owner]) -> Iterator[Difference]:
    """By what owns them, those with devices whose pods are of nothing in `made`."""
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
        chain = [*owners(pod), *_above(pod, uids)]
        if any(one in made for one in chain):
            continue
        one = found.setdefault(_top(pod, chain, uids), _Sum(devices={}))
        one.pods += 1
        for name, count in devices.items():
            one.devices[name] = one.devices.get(name, 0) + count
    for (space, kind, name), one in sorted(found.items()):
        have = ", ".join(f"{one.devices[name]} {name}" for name in sorted(one.devices))
        pods = "1 pod" if one.pods == 1 else f"{one.pods} pods"
        remark = Remark("object", f"{have} in {pods}, and nothing that is given makes it")
        yield Difference("unasked", "workload", f"{kind} {space}/{name}", (remark,))


def _above(pod: Json, uids: Mapping[str, Json]) -> Iterator[Owner]:
    """What owns its owners, as far as the dump has them; the last is the highest."""
    one = pod
    for _ in range(_STEPS):
        above = next((uids[uid] for uid in owner_uids(one) if uid in uids), None)
        if above is None:
            return
        yield _owner(above)
        one = above


def _owner(value: Json) -> Owner:
    space, name = (text(at(value, ("metadata", key))) for key in ("namespace", "name"))
    return space or "default", text(value.get("kind")), name


def _top(pod: Json, chain: list[Owner], uids: Mapping[str, Json]) -> Owner:
    """Who has it in the end: the highest owner in the dump, else the most telling of those it names."""
    above = [*_above(pod, uids)]
    if above and above[-1][1] != "ReplicaSet":
        return above[-1]
    kinds = {*pod_labels().values()}
    by_label = [one for one in chain if one[1] in kinds]
    return (by_label or chain)[-1]


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
