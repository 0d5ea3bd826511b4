"""Parse kubectl's output into nodes and pods."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec import hardware
from gpuspec.manifests import InputError, Place, Problem, Quantity, read
from gpuspec.manifests.limits import MAX_BYTES, MAX_DUMP, mib
from gpuspec.manifests.sources import too_large
from gpuspec.numbers import INT32, of_digits, read_whole
from gpuspec.spec.pools import MOST_GPUS
from gpuspec.spec.sharing import MOST_REPLICAS

if TYPE_CHECKING:
    from collections.abc import Iterable

_FEWER = (
    "leave out finished pods: kubectl get pods -A -o json "
    "--field-selector=status.phase!=Succeeded,status.phase!=Failed"
)
HINT = "give the output of `kubectl get nodes -o json`, or of `kubectl get nodes,pods -A -o json`"
Json = dict[str, Any]
BESIDE = {
    "ClusterQueue",
    "Cohort",
    "DeviceClass",
    "DeviceTaintRule",
    "LocalQueue",
    "Namespace",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "PriorityClass",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ResourceFlavor",
    "ResourceQuota",
    "ResourceSlice",
    "RuntimeClass",
    "Workload",
    "WorkloadPriorityClass",
}

MOST_DEVICES = MOST_GPUS * MOST_REPLICAS
"""The most GPUs and shares of a node: each is processed by itself."""
_MINOR = re.compile(r"v1\.([0-9]{2})\b")


class LiveNode(msgspec.Struct, frozen=True):
    """The relevant parts of a `v1` Node. Taints are key, value and effect, in their order."""

    name: str
    labels: dict[str, str]
    taints: tuple[tuple[str, str, str], ...]
    allocatable: Json
    capacity: Json
    provider_id: str
    kubelet: str
    architecture: str
    ready: bool
    cordoned: bool

    def amount(self, resource: str, *, capacity: bool = False) -> int | None:
        """Return allocatable (or capacity) of a resource in whole units, bytes for memory and disk.

        None if the node does not have it. Raises `InputError` for an invalid quantity.
        """
        quantity = self._quantity(resource, capacity)
        return None if quantity is None else quantity.int_value

    def milli(self, resource: str) -> int | None:
        """Return allocatable in thousandths. Raises like `amount`."""
        quantity = self._quantity(resource, False)
        return None if quantity is None else quantity.milli_value

    @property
    def minor(self) -> int | None:
        """The minor version of its kubelet, 37 for `v1.37.1-eks`; None if it is unknown."""
        match = _MINOR.match(self.kubelet)
        return of_digits(match[1]) if match else None

    def number(self, label: str) -> int:
        """Return the number of devices in a label; 0 if the value is not such a number."""
        return read_whole(self.labels.get(label), MOST_DEVICES) or 0

    def _quantity(self, resource: str, capacity: bool) -> Quantity | None:
        text = (self.capacity if capacity else self.allocatable).get(resource)
        if text is None:
            return None
        try:
            quantity = _parsed(text)
            if ("/" in resource or resource == "pods") and quantity > MOST_DEVICES:
                _bounded(resource, quantity)
            return quantity
        except (TypeError, ValueError) as error:
            where = "capacity" if capacity else "allocatable"
            problem = Problem(f'node {self.name}: status.{where}["{resource}"]: {error}')
            raise InputError([problem]) from None


class Inventory(msgspec.Struct, frozen=True):
    """The content of the input: nodes and pods by name, nodes with DRA devices, the number of
    objects of other kinds.

    `pods` is None if the input had no pods at all. `beside` are the objects of kinds that decide
    where pods can run (`BESIDE`), which are counted too.
    """

    nodes: tuple[LiveNode, ...]
    pods: tuple[Json, ...] | None
    dra_nodes: frozenset[str]
    others: Counter[str]
    beside: tuple[Json, ...] = ()
    services: tuple[Json, ...] = ()
    """APIServices, and Knative's ConfigMaps, which describe services of the cluster."""


def _bounded(resource: str, quantity: Quantity) -> None:
    """Raise `ValueError` if a node has more items than it can have of items that are processed one
    by one."""
    if resource == "pods" and quantity > INT32:
        raise ValueError(f"{quantity.int_value} is more than Kubernetes can hold: at most {INT32}")
    if hardware.is_gpu_resource(resource):
        raise ValueError(
            f"{quantity.int_value} devices are more than any node has: at most {MOST_DEVICES}"
        )


@cache
def _parsed(text: str | int | float) -> Quantity:
    quantity = Quantity.parse(text)
    if quantity.value < 0:
        raise ValueError(f"{text!r} is negative")
    return quantity


def read_inventory(text: str | bytes, name: str) -> Inventory:
    """Return the nodes and pods of a List, a NodeList or several documents, JSON or YAML.

    Raises `InputError` if the input cannot be read, has no node, or has two nodes of one name.
    """
    return inventory_of(opened(documents(text, name)), name)


def inventory_of(kinds_and_items: Iterable[tuple[str, Json]], name: str) -> Inventory:
    """Return the same for parsed objects. Raises `InputError` like `read_inventory`."""
    nodes: dict[str, Json] = {}
    pods: list[Json] = []
    dra: set[str] = set()
    others: Counter[str] = Counter()
    beside: list[Json] = []
    services: list[Json] = []
    other_pods = 0
    drivers = {driver.driver for driver in hardware.claim_drivers().values()}
    for kind, item in kinds_and_items:
        if kind == "Node":
            _add_node(nodes, item, name)
        elif kind == "Pod":
            pods.append(item)
        elif kind == "APIService" or (kind == "ConfigMap" and _is_of_knative(item)):
            services.append(item)
        elif kind:
            if kind == "ResourceSlice" and field(item, "spec", "driver") in drivers:
                dra.add(str(field(item, "spec", "nodeName")))
            else:
                others[kind] += 1
            if kind in BESIDE:
                beside.append({"kind": kind, **item})
        else:
            other_pods += 1
    if not nodes:
        raise InputError([_no_nodes(name, others + Counter(Pod=len(pods)), other_pods)])
    live_nodes = tuple(_node(nodes[key]) for key in sorted(nodes))
    return Inventory(
        live_nodes, tuple(pods) or None, frozenset(dra), others, tuple(beside), tuple(services)
    )


def _is_of_knative(item: Json) -> bool:
    return bool(field(item, "metadata", "namespace") == "knative-serving")


def field(value: object, *keys: str) -> Any:
    """Return what stands at a path of mappings; None where it does not exist."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def mapping(value: object, *keys: str) -> Json:
    """Return the mapping at a path; empty if there is none."""
    inner = field(value, *keys)
    return inner if isinstance(inner, dict) else {}


def listed(value: object, *keys: str) -> list[Json]:
    """Return the mappings in the list at a path; empty if there is none."""
    inner = field(value, *keys)
    return [item for item in inner if isinstance(item, dict)] if isinstance(inner, list) else []


def opened(values: Iterable[object]) -> list[tuple[str, Json]]:
    """Return kind and value of every object, with lists expanded; an empty kind for a value that is
    no object."""
    kinds_and_items: list[tuple[str, Json]] = []
    for value in values:
        kind = field(value, "kind")
        if is_list(value):
            # The API's own lists (`kubectl get --raw`) leave the kind off their items.
            inner = str(kind).removesuffix("List")
            kinds_and_items += [
                (str(item.get("kind") or inner), item) for item in listed(value, "items")
            ]
        else:
            kinds_and_items.append((kind if isinstance(kind, str) else "", mapping(value)))
    return kinds_and_items


def is_list(value: object) -> bool:
    """Return whether a document is a list of objects: a List, or a list of one kind."""
    kind = field(value, "kind")
    return isinstance(kind, str) and kind.endswith("List") and "items" in mapping(value)


def documents(text: str | bytes, name: str) -> list[object]:
    """Return the documents. JSON is parsed by a fast parser, since a large cluster has hundreds of
    MB of it."""
    if len(text) > MAX_DUMP:
        raise InputError([too_large(name, MAX_DUMP, _FEWER)])
    is_json = text[:64].lstrip()[:1] in ("{", b"{")
    if is_json:
        try:
            return [json.loads(text)]
        except RecursionError:
            pass
        except ValueError as error:
            # The reader takes several objects too, and says where what is wrong is.
            if len(text) > MAX_BYTES:
                raise InputError([_no_json(name, error)]) from None
    if len(text) > MAX_BYTES:
        hint = f"as JSON up to {mib(MAX_DUMP)} are read: kubectl get nodes,pods -A -o json"
        raise InputError([too_large(name, hint=hint)])
    return [document.value for document in read(text, name)]


def _no_json(name: str, error: ValueError) -> Problem:
    """Return the error for a text that is too large to be anything but one JSON object."""
    if not isinstance(error, json.JSONDecodeError):
        return Problem("not UTF-8", Place(name, 1, 1), HINT)
    return Problem(
        f"not one JSON object: {error.msg}", Place(name, error.lineno, error.colno), HINT
    )


def _add_node(nodes: dict[str, Json], item: Json, source: str) -> None:
    name = field(item, "metadata", "name")
    if not isinstance(name, str) or not name:
        raise InputError([Problem(f"{source}: a Node without metadata.name", hint=HINT)])
    if nodes.setdefault(name, item) != item:
        problem = Problem(
            f"{source}: two different nodes are called {name}", hint="give one cluster at a time"
        )
        raise InputError([problem])


def _node(item: Json) -> LiveNode:
    info = mapping(item, "status", "nodeInfo")
    labels = {
        key: value
        for key, value in mapping(item, "metadata", "labels").items()
        if value.__class__ is str
    }
    taints = listed(item, "spec", "taints")
    allocatable = mapping(item, "status", "allocatable")
    conditions = listed(item, "status", "conditions")
    return LiveNode(
        name=str(field(item, "metadata", "name")),
        labels=labels,
        taints=tuple(_taint(taint) for taint in taints),
        allocatable=allocatable,
        capacity=mapping(item, "status", "capacity") or allocatable,
        provider_id=str(field(item, "spec", "providerID") or ""),
        kubelet=str(info.get("kubeletVersion") or ""),
        architecture=labels.get("kubernetes.io/arch") or str(info.get("architecture") or "amd64"),
        ready=all(c.get("status") == "True" for c in conditions if c.get("type") == "Ready"),
        cordoned=field(item, "spec", "unschedulable") is True,
    )


def _taint(taint: Json) -> tuple[str, str, str]:
    return (
        str(taint.get("key") or ""),
        str(taint.get("value") or ""),
        str(taint.get("effect") or ""),
    )


def _no_nodes(name: str, kinds: Counter[str], other_pods: int) -> Problem:
    place = Place(name, 1, 1)
    if kinds.total():
        kinds_text = ", ".join(f"{kinds[kind]} {kind}" for kind in sorted(kinds) if kinds[kind])
        return Problem(f"no Node here, only {kinds_text}", place, HINT)
    if other_pods:
        return Problem("these are not Kubernetes objects", place, HINT)
    return Problem("no Node here: the input is empty", place, HINT)
