"""The labels, annotations and variables of an object that a project reads, or that are misspelt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gpuspec.keys import Key, keys_named
from gpuspec.keys.tables import families, family
from gpuspec.lint.analysis.devices.makers import maker
from gpuspec.manifests.values import at, mapping
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.lazy import kept
from gpuspec.objects.references import labels_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.keys import Field
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

METADATA: dict[str, Field] = {"labels": "label", "annotations": "annotation"}
"""Fields of metadata, with their contents."""
Where = Literal["object", "outside", "pod", "both"]
"""The owner of the metadata: the created object, its creator (a CronJob's own), the pods, or an
object that is a pod itself."""


class MetadataPlace(msgspec.Struct, frozen=True):
    """Metadata of an object."""

    where: Where
    path: Path
    """The path from the document's root."""
    metadata: dict[str, Any]
    keeps_null: bool = True
    """Whether the server stores null as an empty text; it drops null if a CRD defines the
    metadata."""

    def is_empty(self, value: object) -> bool:
        """Return whether a value there counts as an empty text."""
        return value == "" or (value is None and self.keeps_null)


class WrittenKey(msgspec.Struct, frozen=True):
    """A key as written."""

    name: str
    field: Field
    path: Path
    """The path of the key; for a variable that of its `name`."""
    value: str | None
    """None if it comes from elsewhere, or is not a text."""
    value_path: Path
    place: MetadataPlace | None
    """Its metadata; None for a variable."""
    container: PodContainer | None
    is_empty: bool = False
    """Whether it is an empty text in metadata."""
    object: int | None = None
    """For a variable from a ConfigMap of the set: the `number` of the ConfigMap, to which paths
    refer."""
    beside: frozenset[str] = frozenset()
    """The variables that the container certainly has next to such a one."""

    @property
    def is_key(self) -> bool:
        """Whether it is the key of an entry rather than a `name`."""
        return self.container is None or self.object is not None

    def has(self, *names: str) -> bool:
        """Return whether any of these keys is, or may be, at the same place."""
        if self.object is not None:
            return not self.beside.isdisjoint(names)
        if self.container is not None:
            return bool(
                self.container.value.get("envFrom")
            ) or not self.container.env.keys().isdisjoint(names)
        assert self.place is not None
        metadata_maps = (mapping(self.place.metadata.get(field)) for field in METADATA)
        return any(
            entries[name] is not None or self.place.keeps_null
            for entries in metadata_maps
            for name in names
            if name in entries
        )

    def known(self) -> tuple[Key, ...]:
        """Return the records of the key in this field; for a variable, those for the container's
        devices."""
        records = tuple(key for key in keys_named(self.name) if self.field in key.fields)
        if self.container is None or not self.container.devices:
            return records
        whose = maker(self.container)
        return tuple(record for record in records if record.maker in (None, whose))

    def is_read(self, key: Key, obj: Object) -> bool:
        """Return whether the key has a meaning at its place, in an object of this kind."""
        if self.place is None or key.level == "node":
            return counts_on(key, obj)
        return counts_on(key, obj) and reaches(self.place, key)


def places(obj: Object) -> list[MetadataPlace]:
    """Return the metadata of an object, and of the objects that it creates."""
    pods = [pod for pod in obj.pods if pod.metadata_path is not None]
    if any(pod.metadata is obj.metadata for pod in pods):
        return [MetadataPlace("both", obj.path("metadata"), obj.metadata)]
    inside = labels_at(obj)[:-1]
    metadata_place = MetadataPlace("object", obj.path(*inside), mapping(at(obj.value, inside)))
    metadata_places = [metadata_place]
    if inside != ("metadata",):
        metadata_places.append(MetadataPlace("outside", obj.path("metadata"), obj.metadata))
    metadata_places += [
        MetadataPlace("pod", pod.metadata_path, pod.metadata, "." not in obj.group)
        for pod in pods
        if pod.metadata_path is not None
    ]
    return metadata_places


@kept
def written_keys(obj: Object) -> tuple[WrittenKey, ...]:
    """Return the keys with known families in labels, annotations and environments."""
    all_written: list[WrittenKey] = []
    for place in places(obj):
        for plural, field in METADATA.items():
            entries = place.metadata.get(plural)
            if entries and isinstance(entries, dict):
                all_written += _in_metadata(place, plural, field, entries)
    for pod in obj.pods:
        for container in pod.every:
            all_written += _in_environment(container)
    return tuple(all_written)


def counts_on(key: Key, obj: Object) -> bool:
    """Return whether a key has a meaning for objects of this kind."""
    if not key.groups or obj.group in key.groups:
        return True
    if f"{obj.group or 'core'}/{obj.kind}" in key.groups:
        return True
    return "queued" in key.groups and obj.traits.queueing is not None


def reaches(place: MetadataPlace, key: Key) -> bool:
    """Return whether the level of a place is one where a key is read."""
    return place.where == "both" or key.level in ("any", place.where)


def _in_metadata(
    place: MetadataPlace, plural: str, field: Field, entries: dict[str, Any]
) -> Iterator[WrittenKey]:
    for name, value in entries.items():
        # Most keys are no one's but the team's.
        if isinstance(name, str) and ("/" in name or name in families()):
            path = (*place.path, plural, name)
            yield WrittenKey(
                name, field, path, written_text(value), path, place, None, place.is_empty(value)
            )


def _in_environment(container: PodContainer) -> Iterator[WrittenKey]:
    for name, (_, entry) in container.env.items():
        if family(name) in families():
            path = container.env_path(name)
            value = written_text(entry.get("value"))
            yield WrittenKey(name, "env", (*path, "name"), value, (*path, "value"), None, container)


def written_text(value: object) -> str | None:
    """Return a literal value; None if a template or another variable fills it."""
    if not isinstance(value, str) or not value or "$" in value or "{{" in value:
        return None
    return value
