"""Custom kinds, which no table has: the configuration or a search finds their pods, and notes name
the kinds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.hardware import is_gpu_resource
from gpuspec.kinds import PodPath, kind_of, mappings_at, pod_paths, pods_anywhere
from gpuspec.manifests.values import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


Kind = tuple[str, str]
_OF_POLICIES = ("kyverno.io", "gatekeeper.sh", "policies.kubewarden.io")
"""The groups of policies: they have patterns for pods, and changes of them, but no pods."""
_SHOWN = 12
"""How many kinds a note names."""


class UnknownObjects(msgspec.Struct, frozen=True):
    """Objects of one kind that is only partly known: no table has it, or it states its devices in
    fields of its own.
    """

    count: int
    pods: bool
    """Whether pods were found in them; otherwise only devices were."""


class Custom:
    """The pods of custom kinds, and the kinds that neither tables nor the configuration have."""

    def __init__(self, paths: Mapping[str, tuple[str, ...]] | None = None) -> None:
        """Take `paths` by group and kind, `example.com/Kind`: patterns for the values that hold
        `containers`.
        """
        self._paths = {_kind(name): patterns for name, patterns in (paths or {}).items()}
        self.unknown: dict[Kind, UnknownObjects] = {}

    def pods(self, value: dict[str, Any]) -> tuple[PodPath, ...]:
        """Return the paths of an object's pods, as the configuration states them."""
        if not self._paths:
            return ()
        group = str(value.get("apiVersion", "")).rpartition("/")[0]
        patterns = self._paths.get((group, str(value.get("kind"))), ())
        return tuple(
            # A pod's own labels lie beside its spec, if they lie anywhere.
            PodPath(path, (*path[:-1], "metadata") if path[-1:] == ("spec",) else None)
            for path, _ in mappings_at(value, patterns)
        )

    def found(self, value: dict[str, Any]) -> tuple[PodPath, ...]:
        """Return the paths of the pods in an object of a kind that no table and no configuration
        has.
        """
        kind = str(value.get("apiVersion", "")).rpartition("/")[0], str(value.get("kind"))
        record = kind_of(*kind)
        if kind in self._paths or not _is_applied(value) or kind[0].endswith(_OF_POLICIES):
            return ()
        if record is not None:
            is_read = record.beside is not None and bool(pod_paths(value) or record.flat)
            if record.own_devices and not is_read and not _asks_for_devices(value):
                self.take({kind: UnknownObjects(1, pods=False)})
            return ()
        paths = tuple(pods_anywhere(value))
        if paths or _asks_for_devices(value):
            self.take({kind: UnknownObjects(1, pods=bool(paths))})
        return paths

    def take(self, unknown: Mapping[Kind, UnknownObjects]) -> None:
        """Add the kinds of another collection."""
        for kind, unknown_objects in unknown.items():
            before = self.unknown.get(kind, UnknownObjects(0, pods=False))
            self.unknown[kind] = UnknownObjects(
                before.count + unknown_objects.count, before.pods or unknown_objects.pods
            )

    def notes(self) -> list[str]:
        """Return the notes on the unknown kinds, once for all of them."""
        with_pods = _listed(
            (kind, unknown_objects)
            for kind, unknown_objects in self.unknown.items()
            if unknown_objects.pods
        )
        rest = [
            (kind, unknown_objects)
            for kind, unknown_objects in self.unknown.items()
            if not unknown_objects.pods
        ]
        bare = _listed(entry for entry in rest if kind_of(*entry[0]) is None)
        with_own_devices = _listed(entry for entry in rest if kind_of(*entry[0]) is not None)
        notes = []
        if with_pods:
            notes.append(
                f"unknown kinds: {with_pods}; their pods are linted where they are found, but their "
                "number is unknown: set `pod-paths`"
            )
        if bare:
            notes.append(
                f"not linted, because their kinds are unknown: {bare}; they request devices, "
                "which no sum includes"
            )
        if with_own_devices:
            notes.append(
                f"not counted, because their kinds state devices in fields of their own: {with_own_devices}"
            )
        return notes


def _listed(entries: Iterable[tuple[Kind, UnknownObjects]]) -> str:
    most = sorted(entries, key=lambda entry: (-entry[1].count, entry[0]))
    texts = [
        f"{unknown_objects.count} {name} ({group or 'v1'})"
        for (group, name), unknown_objects in most[:_SHOWN]
    ]
    if len(most) > _SHOWN:
        texts.append(
            f"{sum(unknown_objects.count for _, unknown_objects in most[_SHOWN:])} of other kinds"
        )
    return ", ".join(texts)


def _kind(name: str) -> Kind:
    group, _, kind = name.rpartition("/")
    return group, kind


def _is_applied(value: dict[str, Any]) -> bool:
    """Return whether an object is for an API server: configuration files have no name."""
    metadata = mapping(value.get("metadata"))
    return bool(text(metadata.get("name")) or text(metadata.get("generateName")))


def _asks_for_devices(value: object) -> bool:
    """Return whether limits or requests anywhere in a value name an accelerator."""
    return any(
        is_gpu_resource(name)
        for field in ("limits", "requests")
        for amounts in _under(value, field)
        for name in amounts
        if isinstance(name, str) and "/" in name
    )


def _under(value: object, field: str) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        child = waiting.pop()
        if isinstance(child, dict):
            if isinstance(child.get(field), dict):
                yield child[field]
            waiting += child.values()
        elif isinstance(child, list):
            waiting += child
