"""Running GPU workloads that no spec, profile or manifest creates."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

import msgspec

from gpuspec.cluster.live import owners
from gpuspec.drift.dump import controller
from gpuspec.drift.held_devices import Holdings
from gpuspec.drift.model import Difference, DriftRemark
from gpuspec.manifests.values import at, mapping, text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from fractions import Fraction

    from gpuspec.drift.dump import Dump, Json, Kind
    from gpuspec.fleet.fleets import Owner

_MANAGED, _NAME = "app.kubernetes.io/managed-by", "app.kubernetes.io/name"
_DONE = ("Succeeded", "Failed")
_STEPS = 8
"""The largest depth of owners that is followed."""


class _Sum(msgspec.Struct):
    pods: int = 0
    devices: dict[str, Fraction] = {}
    shared: dict[str, dict[str, Fraction]] = {}
    """Devices of claims that several of its pods share, each counted once."""

    @property
    def all(self) -> dict[str, Fraction]:
        """Its accelerators by resource."""
        totals: dict[str, Fraction] = {}
        for devices in (self.devices, *self.shared.values()):
            for name, count in devices.items():
                totals[name] = totals.get(name, 0) + count
        return totals


class UnexpectedWorkloads(msgspec.Struct, frozen=True):
    """Unexpected workloads with devices, and claims without known devices."""

    differences: tuple[Difference, ...]
    lacking: tuple[tuple[Kind, str], ...]
    """Claims and templates of such pods that are missing in the dump, as `namespace/name`."""


def unexpected_workloads(
    dump: Dump, expected: Collection[Owner], workloads: Mapping[tuple[str, str], Collection[str]]
) -> UnexpectedWorkloads:
    """Return, by owner, workloads with devices whose pods belong to no expected owner.

    `workloads` has the rendered kinds of each workload, by namespace and name. Pods have these in
    labels, because the objects that an operator creates between an object and its pods may be
    missing in the dump. A pod of another kind belongs to an object of its own, such as an earlier
    run.
    """
    uids = {
        str(at(live, ("metadata", "uid"))): live
        for objects in dump.objects.values()
        for live in objects.values()
        if at(live, ("metadata", "uid"))
    }
    sums: dict[Owner, _Sum] = {}
    lacking: set[tuple[Kind, str]] = set()
    holdings = Holdings(dump)
    for pod in dump.of(("", "Pod")):
        pod_devices = holdings.of(pod)
        if (
            not (pod_devices.devices or pod_devices.shared or pod_devices.lacking)
            or text(at(pod, ("status", "phase"))) in _DONE
        ):
            continue
        above = [*_above(pod, uids)]
        kinds = workloads.get(_called(pod) or ("", ""))
        is_ours = kinds is not None and above[-1][1] not in kinds
        if is_ours or any(owner in expected for owner in (*owners(pod), *above)):
            continue
        lacking.update(pod_devices.lacking)
        if not (pod_devices.devices or any(pod_devices.shared.values())):
            continue
        total = sums.setdefault(above[-1], _Sum(devices={}, shared={}))
        total.pods += 1
        total.shared |= pod_devices.shared
        for name, count in pod_devices.devices.items():
            total.devices[name] = total.devices.get(name, 0) + count
    return UnexpectedWorkloads(
        tuple(
            _unexpected_workload(owner, total)
            for owner, total in sorted(sums.items(), key=itemgetter(0))
        ),
        tuple(sorted(lacking)),
    )


def _unexpected_workload(owner: Owner, total: _Sum) -> Difference:
    space, kind, name = owner
    devices = ", ".join(f"{count} {name}" for name, count in sorted(total.all.items()))
    pods = "1 pod" if total.pods == 1 else f"{total.pods} pods"
    remark = DriftRemark("object", f"{devices} in {pods}, but no given spec or manifest creates it")
    return Difference("unasked", "workload", f"{kind} {space}/{name}", (remark,))


def workload_of(labels: object, namespace: str) -> tuple[str, str] | None:
    """Return namespace and name of the workload in the labels of an object that gpuspec rendered."""
    known_labels = mapping(labels)
    name = text(known_labels.get(_NAME))
    return (namespace, name) if name and known_labels.get(_MANAGED) == "gpuspec" else None


def _called(pod: Json) -> tuple[str, str] | None:
    space = text(at(pod, ("metadata", "namespace"))) or "default"
    return workload_of(at(pod, ("metadata", "labels")), space)


def _above(pod: Json, uids: Mapping[str, Json]) -> Iterator[Owner]:
    """Yield a pod's owners from the bottom up, as far as the dump has them."""
    space = text(at(pod, ("metadata", "namespace"))) or "default"
    yield space, "Pod", text(at(pod, ("metadata", "name")))
    owned: Json | None = pod
    for _ in range(_STEPS):
        owner = None if owned is None else controller(owned)
        if owner is None:
            break
        kind, name = text(owner.get("kind")), text(owner.get("name"))
        yield space, kind, name
        owned = uids.get(str(owner.get("uid") or ""))
        if owned is None and kind == "ReplicaSet":
            # Its name ends in a hash that its pods bear, before which stands what made it.
            controllers = [
                reference for reference in owners(pod) if name.startswith(f"{reference[2]}-")
            ]
            yield from controllers[:1]
