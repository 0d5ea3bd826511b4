"""What kubectl printed of a cluster: its objects by kind and name."""

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
    """The objects of one cluster, as far as somebody asked for them."""

    name: str
    inventory: Inventory | None
    """The nodes and pods; None where no node is in it."""
    objects: dict[Kind, dict[tuple[str, str], Json]]
    """By kind, then by namespace and name."""
    empty: frozenset[Kind]
    """Kinds of which a list of their own says that there is none."""

    def has(self, kind: Kind) -> bool:
        """Return whether the objects of a kind were asked for, as far as anything tells."""
        return kind in self.objects or kind in self.empty

    def find(self, kind: Kind, namespace: str, name: str) -> Json | None:
        """Return one object; without a namespace the only one of that name, else that of
        `default`."""
        known = self.objects.get(kind, {})
        if namespace or ("", name) in known:
            return known.get((namespace, name))
        some = [one for (_, called), one in known.items() if called == name]
        return some[0] if len(some) == 1 else known.get(("default", name))

    def of(self, kind: Kind) -> Iterable[Json]:
        """Return all objects of a kind."""
        return self.objects.get(kind, {}).values()


def read_dump(text: str | bytes, name: str) -> Dump:
    """Return the objects of what kubectl printed, JSON or YAML. Raises `InputError` for what is
    none of it."""
    values = documents(text, name)
    found = opened(values)
    objects: dict[Kind, dict[tuple[str, str], Json]] = {}
    for kind, item in _whole(values):
        space = _text(item, "metadata", "namespace") if _namespaced(kind) else ""
        objects.setdefault(kind, {})[space, _text(item, "metadata", "name")] = item
    empty = {_kind(value, of_list=True) for value in values if is_list(value)} - {("", "")}
    if not objects and not empty:
        problem = Problem("no Kubernetes object here", Place(name, 1, 1), HINT)
        raise InputError([problem])
    has_nodes = any(kind == "Node" for kind, _ in found)
    inventory = inventory_of(found, name) if has_nodes else None
    return Dump(name, inventory, objects, frozenset(empty - objects.keys()))


def controller(value: Json) -> Json | None:
    """Return the reference to what controls an object, else to its first owner; None where it has
    none."""
    owners = listed(value, "metadata", "ownerReferences")
    first = sorted(owners, key=lambda owner: owner.get("controller") is not True)
    return first[0] if first else None


def kind_of_value(value: Json) -> Kind:
    """Group and kind of an object."""
    return _kind(value)


def _whole(values: Iterable[object]) -> Iterator[tuple[Kind, Json]]:
    """Yield every object that says what it is, those of lists of one kind too."""
    for value in values:
        if not isinstance(value, dict):
            continue
        if not is_list(value):
            yield from _item(value, {})
            continue
        group, kind = _kind(value, of_list=True)
        version = value.get("apiVersion")
        told = {"apiVersion": version, "kind": kind} if kind or group else {}
        items = value["items"]
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict):
                yield from _item(item, told)


def _item(value: Json, told: Json) -> Iterator[tuple[Kind, Json]]:
    whole = value if not told or value.get("kind") else {**told, **value}
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
    known = kind_of(*kind)
    return known is None or known.namespaced


def _text(value: object, *keys: str) -> str:
    found = field(value, *keys)
    return found if isinstance(found, str) else ""
