"""Which object an object is, and in which order objects are applied."""

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from gpuspec.kinds.table import kind_of, rank_of

Object = TypeVar("Object", bound=dict[str, object])


class Identity(msgspec.Struct, frozen=True, order=True):
    """What makes an object this one in a cluster. The version of its API does not."""

    group: str
    """The API group; empty for the core one."""
    kind: str
    namespace: str
    """Empty for what is cluster-wide, and where the object leaves it to who applies it."""
    name: str

    def __str__(self) -> str:
        """Return ``Deployment serving/chat``; groups that are not Kubernetes' own follow the
        kind."""
        built_in = "." not in self.group or self.group.endswith(".k8s.io")
        kind = self.kind if built_in else f"{self.kind}.{self.group}"
        return f"{kind} {self.namespace}/{self.name}" if self.namespace else f"{kind} {self.name}"


class ObjectIdentity(msgspec.Struct, frozen=True, rename="camel"):
    """An object as it names itself: it may be no right one, and its version is kept."""

    api_version: str
    kind: str
    namespace: str
    """Empty where the object names none."""
    name: str

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {where}{self.name}"


_SPELLED = ("HTTP", "LLM", "MPI", "XG")
"""Beginnings that are spelled out, from a vowel on."""


def an(kind: str) -> str:
    """Put the article before a kind: `a Job`, `an InferenceService`, `an MPIJob`."""
    return f"an {kind}" if kind.startswith((*"AEIO", *_SPELLED)) else f"a {kind}"


def identity(obj: dict[str, object]) -> Identity:
    """Return the identity of an object; of a name that is to be generated, its prefix.

    Raises:
        ValueError: no apiVersion, kind or name, or one that is not a string.
    """
    kind = _text(obj, "kind")
    group = _text(obj, "apiVersion").rpartition("/")[0]
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        raise ValueError("the object has no metadata")
    known = kind_of(group, kind)
    namespace = metadata.get("namespace") or ""
    if known is not None and not known.namespaced:
        namespace = ""
    if not isinstance(namespace, str):
        raise ValueError("metadata.namespace is not a string")
    name = _text(metadata, "name" if "name" in metadata else "generateName")
    return Identity(group, kind, namespace, name)


def apply_order(objects: Iterable[Object]) -> list[Object]:
    """Return objects in the order to apply them: by kind as the table of kinds has it, unknown
    kinds last.

    Within a kind the given order stays.
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
