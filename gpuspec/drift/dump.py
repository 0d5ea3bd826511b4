"""The objects in kubectl's output, by kind and name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.cluster.discover.input import documents, field, inventory_of, is_list, listed, opened
from gpuspec.kinds import kind_of
from gpuspec.manifests import InputError, Place, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.cluster.discover.input import Inventory

Json = dict[str, Any]
Kind = tuple[str, str]
"""Group and kind."""
HINT = "give what `kubectl get nodes,pods,… -A -o json` printed"


class Dump(msgspec.Struct, frozen=True):
    """The objects of one cluster that a user listed."""

    name: str
    inventory: Inventory | None
    """The nodes and pods; None without a node."""
    objects: dict[Kind, dict[tuple[str, str], Json]]
    """Objects by kind, then by namespace and name."""
    empty: frozenset[Kind]
    """Kinds with an empty list in the output."""

    def has(self, kind: Kind) -> bool:
        """Return whether the user listed the objects of a kind, as far as the output shows."""
        return kind in self.objects or kind in self.empty

    def find(self, kind: Kind, namespace: str, name: str) -> Json | None:
        """Return one object. Without a namespace: the only object of that name, or else the one in
        `default`."""
        by_name = self.objects.get(kind, {})
        if namespace or ("", name) in by_name:
            return by_name.get((namespace, name))
        some = [live for (_, called), live in by_name.items() if called == name]
        return some[0] if len(some) == 1 else by_name.get(("default", name))

    def of(self, kind: Kind) -> Iterable[Json]:
        """Return all objects of a kind."""
        return self.objects.get(kind, {}).values()


def read_dump(text: str | bytes, name: str) -> Dump:
    """Return the objects in kubectl's JSON or YAML output.

    Raises:
        InputError: the text is no such output.
    """
    values = documents(text, name)
    opened_objects = opened(values)
    objects: dict[Kind, dict[tuple[str, str], Json]] = {}
    for kind, item in _whole(values):
        space = _text(item, "metadata", "namespace") if _namespaced(kind) else ""
        objects.setdefault(kind, {})[space, _text(item, "metadata", "name")] = item
    empty = {_kind(value, of_list=True) for value in values if is_list(value)} - {("", "")}
    if not objects and not empty:
        problem = Problem("no Kubernetes object here", Place(name, 1, 1), HINT)
        raise InputError([problem])
    has_nodes = any(kind == "Node" for kind, _ in opened_objects)
    inventory = inventory_of(opened_objects, name) if has_nodes else None
    return Dump(name, inventory, objects, frozenset(empty - objects.keys()))


def controller(value: Json) -> Json | None:
    """Return the owner reference of the controller, or else of the first owner; None without an
    owner."""
    owners = listed(value, "metadata", "ownerReferences")
    first = sorted(owners, key=lambda owner: owner.get("controller") is not True)
    return first[0] if first else None


def kind_of_value(value: Json) -> Kind:
    """Return group and kind of an object."""
    return _kind(value)


def _whole(values: Iterable[object]) -> Iterator[tuple[Kind, Json]]:
    """Yield every object with its apiVersion and kind; items of a typed list get those of the list."""
    for value in values:
        if not isinstance(value, dict):
            continue
        if not is_list(value):
            yield from _item(value, {})
            continue
        group, kind = _kind(value, of_list=True)
        version = value.get("apiVersion")
        type_of_items = {"apiVersion": version, "kind": kind} if kind or group else {}
        items = value["items"]
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict):
                yield from _item(item, type_of_items)


def _item(value: Json, type_of_items: Json) -> Iterator[tuple[Kind, Json]]:
    whole = value if not type_of_items or value.get("kind") else {**type_of_items, **value}
    kind = _kind(whole)
    if kind[1] and _text(whole, "metadata", "name"):
        yield kind, whole


def _kind(value: object, *, of_list: bool = False) -> Kind:
    kind = _text(value, "kind")
    if of_list:
        kind = kind.removesuffix("List")
    group = _text(value, "apiVersion").rpartition("/")[0]
    return (group, kind) if kind else ("", "")


def _namespaced(kind: Kind) -> bool:
    record = kind_of(*kind)
    return record is None or record.namespaced


def _text(value: object, *keys: str) -> str:
    content = field(value, *keys)
    return content if isinstance(content, str) else ""
