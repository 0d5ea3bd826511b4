"""The requests of workloads, one by one and in total: devices, CPU, memory and pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds import ObjectIdentity
from gpuspec.kinds.scale import Scale
from gpuspec.loading.alternatives import cluster_of
from gpuspec.loading.sets import Sets
from gpuspec.loading.units import released
from gpuspec.manifests.values import mapping
from gpuspec.objects.amounts import CPU, MEMORY
from gpuspec.objects.claims import together
from gpuspec.objects.collection import Collection
from gpuspec.objects.runtimes import completed
from gpuspec.objects.scale import scale_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from fractions import Fraction

    from gpuspec.loading.alternatives import Side
    from gpuspec.loading.units import Feed, Unit
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Pod


class AmountRange(msgspec.Struct, frozen=True):
    """An amount from minimum to maximum, in cores, bytes or devices.

    It is exact, and can hold sums that exceed a Kubernetes quantity.
    """

    least: Fraction
    most: Fraction | None
    """None if it is unlimited."""


class PodRequest(msgspec.Struct, frozen=True):
    """The requests of one pod template of an object."""

    object: ObjectIdentity
    file: str
    line: int
    role: str
    """`pod` if the object has only one template."""
    pods: Scale | None
    """The number of pods; None if it is unknown, so that the pods are in no total."""
    why: str | None
    """Why the number is unknown."""
    each: dict[str, Fraction]
    """The requests of one pod, as the scheduler counts them: CPU, memory and every accelerator."""
    silent: tuple[str, ...]
    """CPU, memory or both, if a container of the pod does not request them."""
    claims: bool
    """Whether it has claims for unknown devices, which are not counted."""
    cluster: str = ""
    """The cluster of the pod, named after its profile or folder; empty if it is for all clusters.
    """

    @property
    def total(self) -> dict[str, AmountRange]:
        """The requests of all its pods, by resource."""
        return _times(self.each, self.pods)


class Table(msgspec.Struct, frozen=True):
    """The requests of all workloads of a run, in reading order."""

    asks: tuple[PodRequest, ...]
    notes: tuple[str, ...] = ()
    """Notes on input that was not counted."""
    elsewhere: tuple[str, ...] = ()
    """The notes about workloads of other clusters."""
    documents: int = 0
    """The number of Kubernetes objects and gpuspec documents that were read, with or without pods.
    """

    @property
    def clusters(self) -> tuple[str, ...]:
        """The clusters of the workloads if there are several, each with a sum of its own."""
        names = tuple(dict.fromkeys(ask.cluster for ask in self.asks if ask.cluster))
        return names if len(names) > 1 else ()

    def of(self, cluster: str) -> tuple[PodRequest, ...]:
        """Return the requests on one cluster, including those for all clusters."""
        return tuple(ask for ask in self.asks if ask.cluster in ("", cluster))

    @property
    def pods(self) -> Scale:
        """All pods, of all clusters."""
        return pods_of(self.asks)

    @property
    def total(self) -> dict[str, AmountRange]:
        """The requests of all pods in all clusters, by resource."""
        return total_of(self.asks)


def table(loader: Feed) -> Table:
    """Return the requests of a loader's workloads."""
    sets = Sets(loader)
    names = _names(sets)
    asks: list[PodRequest] = []
    for unit in released(loader.podded()):
        asks += _asks(unit, sets.beside(unit), names.get(sets.side(unit), ""))
    return Table(tuple(asks), _doubts(sets, names))


def merged(tables: Mapping[str, Table]) -> Table:
    """Merge the tables of several clusters; requests that are in all of them count once."""
    rows: dict[tuple[object, ...], dict[str, list[PodRequest]]] = {}
    for cluster, table in tables.items():
        for ask in table.asks:
            asks_by_cluster = rows.setdefault((ask.file, ask.line, ask.object), {})
            asks_by_cluster.setdefault(cluster, []).append(ask)
    asks: list[PodRequest] = []
    for asks_by_cluster in rows.values():
        first, *others = asks_by_cluster.values()
        if (
            not first[0].cluster
            and len(asks_by_cluster) == len(tables)
            and all(map(first.__eq__, others))
        ):
            asks += first
            continue
        for cluster, some in asks_by_cluster.items():
            asks += (msgspec.structs.replace(ask, cluster=ask.cluster or cluster) for ask in some)
    notes = dict.fromkeys(note for table in tables.values() for note in table.notes)
    present = {note for table in tables.values() for note in {*notes} - {*table.elsewhere}}
    gone = {note for table in tables.values() for note in table.elsewhere}
    return Table(
        tuple(asks),
        tuple(note for note in notes if note not in gone & present),
        documents=max(table.documents for table in tables.values()),
    )


def _names(sets: Sets) -> dict[Side, str]:
    """Return the names of the sets' clusters: their profiles, or else the folders in which their
    paths differ; empty if they differ in several."""
    sides = [*sets.sides()]
    if any(cluster_of(side) for side in sides):
        return {side: cluster_of(side) for side in sides}
    if len({folder for side in sides for folder, _ in side}) > 1:
        return {}
    return {side: f"{folder[1:]}/{entry}".lstrip("/") for side in sides for folder, entry in side}


def _doubts(sets: Sets, names: dict[Side, str]) -> tuple[str, ...]:
    if names or not any(sets.sides()):
        return ()
    return ("some objects stand in several files or folders: each counts",)


def pods_of(asks: Iterable[PodRequest]) -> Scale:
    """Return the total number of pods of some rows."""
    scales = [ask.pods for ask in asks if ask.pods is not None]
    most: int | None = 0
    for scale in scales:
        most = None if most is None or scale.most is None else most + scale.most
    return Scale(sum(scale.least for scale in scales), most)


def total_of(asks: Iterable[PodRequest]) -> dict[str, AmountRange]:
    """Return the total requests of some rows, by resource: accelerators by name, then CPU and
    memory."""
    amount_ranges: dict[str, AmountRange] = {}
    for ask in asks:
        for name, span in ask.total.items():
            so_far = amount_ranges.get(name)
            amount_ranges[name] = span if so_far is None else _sum(so_far, span)
    devices = sorted(name for name in amount_ranges if name not in (CPU, MEMORY))
    return {name: amount_ranges[name] for name in (*devices, CPU, MEMORY) if name in amount_ranges}


def _asks(unit: Unit, collection: Collection, cluster: str) -> Iterable[PodRequest]:
    obj = unit.object
    object_identity = ObjectIdentity(obj.api_version, obj.kind, obj.namespace, obj.name)
    start, _ = unit.where.span(obj.path("kind"))
    for pod in completed(obj, collection).pods:
        if pod.role.overlay:
            continue
        scale = scale_of(pod, collection)
        per_pod, unknown = together(pod, collection)
        yield PodRequest(
            object=object_identity,
            file=start.file,
            line=start.line,
            role=pod.role.name,
            pods=scale if isinstance(scale, Scale) else None,
            why=scale if isinstance(scale, str) else None,
            each=per_pod,
            silent=_silent(pod),
            claims=unknown,
            cluster=cluster,
        )


def _silent(pod: Pod) -> tuple[str, ...]:
    whole = mapping(pod.spec.get("resources"))
    stated_names = {*mapping(whole.get("requests")), *mapping(whole.get("limits"))}
    return tuple(
        name
        for name in (CPU, MEMORY)
        if name not in stated_names
        and any(container.amount(name) is None for container in pod.containers)
    )


def _times(per_pod: dict[str, Fraction], pods: Scale | None) -> dict[str, AmountRange]:
    if pods is None:
        return {}
    return {
        name: AmountRange(amount * pods.least, None if pods.most is None else amount * pods.most)
        for name, amount in per_pod.items()
    }


def _sum(amount_range: AmountRange, addend: AmountRange) -> AmountRange:
    most = (
        None
        if amount_range.most is None or addend.most is None
        else amount_range.most + addend.most
    )
    return AmountRange(amount_range.least + addend.least, most)
