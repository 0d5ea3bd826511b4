"""All objects of a run, for rules that compare objects with each other."""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from gpuspec.kinds import Identity, Kind, identity, traits_of
from gpuspec.manifests import Path
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.buckets import account_of, buckets_of
from gpuspec.objects.gangs import joins
from gpuspec.objects.hami import is_share
from gpuspec.objects.namespaced import NamespacedIndex
from gpuspec.objects.objects import Object
from gpuspec.objects.references import held_by
from gpuspec.objects.routers import PrefillAddress, prefill_of
from gpuspec.objects.selectors import own_selector
from gpuspec.objects.served import served_by
from gpuspec.objects.transfers import Transfer, transfer_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.manifests import SourceFile
    from gpuspec.objects.objects import Pod

_T = TypeVar("_T")


class PodFacts(msgspec.Struct, frozen=True):
    """The facts about a pod that are kept after its object was linted."""

    object: int
    """The object's `number`."""
    api_version: str
    kind: str
    namespace: str
    name: str
    labels: dict[str, str]
    ports: tuple[tuple[str, int], ...]
    """The name (may be empty) and number of each container port that a Service can target,
    sidecars' included. The number is 0 if it is not an integer."""
    gpus: int
    devices: tuple[str, ...]
    role: str
    count: int | None
    groups: int | None
    life: str
    claims: tuple[str, ...]
    """Names of the PersistentVolumeClaims that it mounts."""
    priority: str
    """Its `priorityClassName`; empty if not set."""
    selector: dict[str, str] = {}
    """Its `nodeSelector`."""
    listens: tuple[int, ...] = ()
    """The ports in the command lines of containers without `ports`."""
    is_open: bool = False
    """Whether a container with accelerators has no port in `ports` or in its command line, so that
    its port is unknown."""
    path: Path = ()
    """The path of its spec, from the document's root."""
    scheduling: dict[str, Any] = {}
    """For a pod with accelerators, the fields that decide on which nodes it can run: see
    `scheduling.scheduling`."""
    file: str = ""
    """The file that contains it."""
    uses: frozenset[tuple[str, str]] = frozenset()
    """Kind and name of the objects that it mounts or waits for: see `references.HELD`."""
    own: dict[str, str] = {}
    """The labels by which its controller selects it: see `selectors.own_selector`."""
    served: frozenset[str] = frozenset()
    """The model names that its servers accept: see `served.served_by`."""
    images: tuple[str, ...] = ()
    """The images of its containers with accelerators."""
    transfer: Transfer | None = None
    """How it sends its KV cache to another pod, or receives it: see `transfers.transfer_of`."""
    prefill: tuple[PrefillAddress, ...] = ()
    """For a router, the addresses of its prefill servers: see `routers.prefill_of`."""
    joins: tuple[str, str] | None = None
    """The PodGroup that it names: see `gangs.joins`."""
    host_network: bool = False
    """Whether it has its node's address, so that no NetworkPolicy applies to it."""
    runtime_class: str = ""
    """Its `runtimeClassName`; empty if not set."""

    buckets: frozenset[str] = frozenset()
    """The buckets that its containers name: see `buckets.buckets_of`."""
    account: str = ""
    """Its ServiceAccount, if it names a bucket."""
    is_share: bool = False
    """Whether HAMi gives it only shares of cards, several of which fit on one card."""

    @property
    def traits(self) -> Kind:
        """The traits of its object's kind; those of an unknown kind say nothing."""
        return traits_of(self.api_version.rpartition("/")[0], self.kind)


class ObjectPosition(msgspec.Struct, frozen=True):
    """The place of an object in the run."""

    object: int
    """Its `number`."""
    base: Path
    """Its path from the document's root."""
    namespace: str
    """Its namespace as written."""


_HELM = "helm.sh"
_HOOK = f"{_HELM}/hook"
Met = dict[tuple[str, Identity], list[ObjectPosition]]
"""The objects of each identity in each file, in order."""


class Collection:
    """All objects without pods, and facts about all pods.

    All objects without pods are added before the first rule runs, so a rule for a pod can look up
    Services, autoscalers, queues and namespaces. The facts about pods are complete only for rules
    that run on the whole set.
    """

    def __init__(self) -> None:
        self._by_kind: dict[tuple[str, str], list[Object]] = {}
        self.pods: list[PodFacts] = []
        self.patches: dict[str, SourceFile] = {}
        """Files that kustomizations use as patches, by path. They contain no objects of their own.
        """
        self.makers: tuple[Object, ...] = ()
        """All kustomizations of the run, Flux's included, because one of another set may build on
        this one."""
        self.met: Met = {}
        self._made: dict[object, Any] = {}
        self._selections: dict[tuple[str, frozenset[tuple[str, str]]], SelectedPods] = {}

    def add(self, obj: Object) -> None:
        """Add an object without pods; all are added before the first lookup."""
        self._by_kind.setdefault((obj.group, obj.kind), []).append(obj)

    def meet(self, obj: Object) -> None:
        """Record the place of an object, by its identity.

        Helm hooks are not recorded, because a hook may have the name of an object of the release.
        """
        if (
            obj.file
            and _HOOK not in obj.annotations
            and (object_identity := _identity(obj)) is not None
        ):
            spot = ObjectPosition(obj.number, obj.base, obj.namespace)
            self.met.setdefault((obj.file, object_identity), []).append(spot)

    def extend(self, pods: list[PodFacts], met: Met) -> None:
        """Add another set's pods and recorded places to those of this set."""
        self.pods += pods
        for key, spots in met.items():
            self.met.setdefault(key, []).extend(spots)

    def of(self, group: str, kind: str) -> list[Object]:
        """Return the objects of a kind without pods; `group` is empty for the core one."""
        return self._by_kind.get((group, kind), [])

    def within(self, group: str, kind: str, namespace: str) -> list[Object]:
        """Return the objects of a kind that can be in a namespace. Do not change the list."""
        return self.once(_of_kind).at((group, kind), namespace)

    def named(self, group: str, kind: str, name: str, namespace: str = "") -> Object | None:
        """Return an object by its name; if the object or the caller names no namespace, any
        matches."""
        return self.once(_by_name).first((group, kind, name), namespace)

    def all_named(self, group: str, kind: str, name: str, namespace: str = "") -> list[Object]:
        """Return all objects of a name; if the object or the caller names no namespace, any
        matches. Do not change the list."""
        return self.once(_by_name).at((group, kind, name), namespace)

    @property
    def kinds(self) -> frozenset[tuple[str, str]]:
        """Group and kind of all objects without pods."""
        return self.once(_kinds)

    def selected(self, namespace: str, labels: dict[str, str]) -> SelectedPods:
        """Return the pods of a namespace that have all these labels. Without labels the result is
        empty, as for a Service without a selector. Call it only after all pods were added."""
        key = namespace, frozenset(labels.items())
        selected_pods = self._selections.get(key)
        if selected_pods is None:
            some = self._with(namespace, labels) if labels else []
            pods = [pod for pod in some if labels.items() <= pod.labels.items()]
            selected_pods = self._selections[key] = SelectedPods(pods)
        return selected_pods

    def once(self, make: Callable[[Collection], _T]) -> _T:
        """Return what `make` builds from the set, such as an index. It is built on first use.

        It may read the pods only if all its callers are rules that run on the whole set.
        """
        if make not in self._made:
            self._made[make] = make(self)
        index: _T = self._made[make]
        return index

    def _with(self, namespace: str, labels: dict[str, str]) -> list[PodFacts]:
        """Return the pods that have the rarest of some labels, which keeps a large run linear."""
        index = self.once(_by_label)
        rarest = min(labels.items(), key=lambda item: index.count(item, namespace))
        return index.at(rarest, namespace)


class SelectedPods:
    """The pods that some labels select; all callers with the same labels share it."""

    def __init__(self, pods: list[PodFacts]) -> None:
        self.pods = pods


def _kinds(collection: Collection) -> frozenset[tuple[str, str]]:
    return frozenset(collection._by_kind)


def _of_kind(collection: Collection) -> NamespacedIndex[Object]:
    return NamespacedIndex(
        (kind, obj.namespace, obj) for kind in collection.kinds for obj in collection.of(*kind)
    )


def _by_name(collection: Collection) -> NamespacedIndex[Object]:
    return NamespacedIndex(
        ((*kind, obj.name), obj.namespace, obj)
        for kind in collection.kinds
        for obj in collection.of(*kind)
    )


def _by_label(collection: Collection) -> NamespacedIndex[PodFacts]:
    return NamespacedIndex(
        (item, pod.namespace, pod) for pod in collection.pods for item in pod.labels.items()
    )


def _identity(obj: Object) -> Identity | None:
    """Return the identity of an object; None if its name is missing or generated, and for a chart's
    values, which several releases may use."""
    if obj.group == _HELM or not text(obj.metadata.get("name")):
        return None
    try:
        return identity(obj.value)
    except ValueError:
        return None


def same_namespace(first: str, second: str) -> bool:
    """Return whether two objects can be in the same namespace; an object without one can be in any."""
    return first == second or not first or not second


def facts_of(pod: Pod) -> PodFacts:
    """Return the facts that are kept about a pod."""
    owner = pod.object
    buckets = buckets_of(pod)
    return PodFacts(
        object=owner.number,
        api_version=owner.api_version,
        kind=owner.kind,
        namespace=owner.namespace,
        name=owner.name,
        labels={str(key): str(value) for key, value in pod.labels.items()},
        ports=tuple(
            (str(port.get("name") or ""), number if isinstance(number, int) else 0)
            for container in pod.every
            if container.stage in ("main", "sidecar")
            for port in container.ports
            for number in (port.get("containerPort"),)
        ),
        listens=tuple(
            flag.number
            for container in (pod.every if pod.gpus else ())
            if container.stage in ("main", "sidecar") and not container.ports
            for flag in (container.words.flag("--port"),)
            if flag is not None and flag.number is not None
        ),
        is_open=any(
            not container.ports and container.words.flag("--port") is None
            for container in pod.gpu_containers
            if container.stage in ("main", "sidecar")
        ),
        gpus=pod.gpus,
        devices=tuple(
            dict.fromkeys(
                d.name for gpu_container in pod.gpu_containers for d in gpu_container.devices
            )
        ),
        role=pod.role.name,
        count=pod.role.count,
        groups=pod.role.groups,
        life=pod.life,
        claims=tuple(
            str(mapping(volume.get("persistentVolumeClaim")).get("claimName"))
            for _, volume in pod.volumes.values()
            if "persistentVolumeClaim" in volume
        ),
        priority=text(pod.spec.get("priorityClassName")),
        selector={
            key: value
            for key, value in pod.node_selector.items()
            if isinstance(key, str) and isinstance(value, str)
        },
        path=pod.base,
        scheduling=_scheduling(pod),
        file=owner.file,
        uses=held_by(owner),
        own=own_selector(owner),
        served=served_by(pod),
        transfer=transfer_of(pod),
        prefill=prefill_of(pod),
        images=tuple(
            intern(gpu_container.image)
            for gpu_container in pod.gpu_containers
            if gpu_container.image
        ),
        joins=joins(pod) if pod.annotations or pod.labels else None,
        host_network=pod.spec.get("hostNetwork") is True,
        runtime_class=text(pod.spec.get("runtimeClassName")),
        buckets=buckets,
        account=account_of(pod) if buckets else "",
        is_share=bool(pod.gpus) and is_share(pod),
    )


def _scheduling(pod: Pod) -> dict[str, Any]:
    if not pod.has_gpu:
        return {}
    from gpuspec.objects.scheduling import scheduling

    return scheduling(pod)
