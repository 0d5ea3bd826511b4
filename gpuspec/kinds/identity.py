"""The identity of an object, and the order in which objects are applied."""

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from gpuspec.kinds.table import kind_of, rank_of

Object = TypeVar("Object", bound=dict[str, object])


class Identity(msgspec.Struct, frozen=True, order=True):
    """The identity of an object in a cluster. The version of its API is no part of it."""

    group: str
    """The API group; empty for the core one."""
    kind: str
    namespace: str
    """Empty for a cluster-wide object, and for one that takes the namespace of the apply
    command."""
    name: str

    def __str__(self) -> str:
        """Return ``Deployment serving/chat``; a group outside of Kubernetes follows the kind."""
        built_in = "." not in self.group or self.group.endswith(".k8s.io")
        kind = self.kind if built_in else f"{self.kind}.{self.group}"
        return f"{kind} {self.namespace}/{self.name}" if self.namespace else f"{kind} {self.name}"


class ObjectIdentity(msgspec.Struct, frozen=True, rename="camel"):
    """The identity that an object states, which may be invalid, with the version of its API."""

    api_version: str
    kind: str
    namespace: str
    """Empty if the object states none."""
    name: str

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {where}{self.name}".rstrip()


_SPELLED = ("HTTP", "LLM", "MPI", "XG")
"""Prefixes of kinds that are read letter by letter, the first letter with a vowel sound."""


def an(kind: str) -> str:
    """Put the article before a kind: `a Job`, `an InferenceService`, `an MPIJob`."""
    return f"an {kind}" if kind.startswith((*"AEIO", *_SPELLED)) else f"a {kind}"


def identity(obj: dict[str, object]) -> Identity:
    """Return the identity of an object; of an object with `generateName`, with the prefix as name.

    Raises:
        ValueError: apiVersion, kind or name is missing or not a string.
    """
    kind = _text(obj, "kind")
    group = _text(obj, "apiVersion").rpartition("/")[0]
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        raise ValueError("the object has no metadata")
    record = kind_of(group, kind)
    namespace = metadata.get("namespace") or ""
    if record is not None and not record.namespaced:
        namespace = ""
    if not isinstance(namespace, str):
        raise ValueError("metadata.namespace is not a string")
    name = _text(metadata, "name" if "name" in metadata else "generateName")
    return Identity(group, kind, namespace, name)


def apply_order(objects: Iterable[Object]) -> list[Object]:
    """Return objects in the order to apply them: by kind in the order of the table, unknown kinds
    last.

    Objects of one kind keep their order.
    """
    return sorted(objects, key=_rank)


def _rank(obj: dict[str, object]) -> tuple[int, int, int]:
    group = str(obj.get("apiVersion", "")).rpartition("/")[0]
    return rank_of(group, str(obj.get("kind", "")))


def _text(holder: dict[str, object], field: str) -> str:
    value = holder.get(field)
    if not isinstance(value, str) or not value:
        raise ValueError(
            f"the object has no {field}" if value is None else (f"{field} is not a string")
        )
    return value
