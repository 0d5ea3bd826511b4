"""A Kubernetes object and the pods in it, at any path."""

from __future__ import annotations

from os.path import dirname
from typing import TYPE_CHECKING, Any, Protocol

from msgspec.structs import replace

from gpuspec.kinds import (
    Flat,
    Kind,
    PodGroupKind,
    PodPath,
    guessed,
    inner_objects,
    mappings_at,
    pod_paths,
    traits_of,
)
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping, text, whole
from gpuspec.objects.containers import PodContainer, Stage
from gpuspec.objects.labelled import LabelledObject
from gpuspec.objects.lazy import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.kinds import Life

_LISTS: tuple[tuple[str, Stage], ...] = (
    ("initContainers", "init"),
    ("containers", "main"),
    ("ephemeralContainers", "ephemeral"),
)
_COMPUTE = "computeResources"
"""The field with the resources of a Tekton step, since its API version v1."""


class Fills(Protocol):
    """Knows which template placeholders are filled in before an object is applied."""

    def fills(self, sign: str) -> bool:
        """Return whether a placeholder is filled in before the object is applied."""


class Object(LabelledObject):
    """One object with its identity and its pods. Its value is plain data; do not change it."""

    def __init__(
        self,
        value: dict[str, Any],
        base: Path = (),
        number: int = 0,
        custom: tuple[PodPath, ...] = (),
        file: str = "",
        guessed: tuple[PodPath, ...] = (),
        wrapper: Object | None = None,
    ) -> None:
        """Store an object. `custom` are the pod paths from the configuration, `guessed` those found
        by a walk."""
        self.value = value
        self.file = file
        """Its file, as the user named it; empty for a rendered object."""
        self.has_signs = True
        """Whether its text contains template placeholders anywhere, even in comments."""
        self.filling: Fills | None = None
        """What fills in such placeholders before the object is applied."""
        self._custom = (*custom, *guessed)
        self._is_guessed = bool(guessed)
        self.base = base
        """Its path from the document's root; not empty for an item of a `List`."""
        self.number = number
        """Its place in the set, from 0."""
        version = value.get("apiVersion")
        self.api_version: str = version if isinstance(version, str) else ""
        self.group, _, self.version = self.api_version.rpartition("/")
        kind = value.get("kind")
        self.kind: str = kind if isinstance(kind, str) else ""
        self.metadata = mapping(value.get("metadata"))
        self.name = text(self.metadata.get("name")) or text(self.metadata.get("generateName"))
        self.namespace = text(self.metadata.get("namespace"))
        """Empty if the object does not set it."""
        self.wrapper = wrapper
        """The object that wraps it, or None."""
        if wrapper is not None and wrapper.traits.names_objects:
            self.name = self.name or wrapper.name
            self.namespace = self.namespace or wrapper.namespace

    def __repr__(self) -> str:
        return f"Object({self.kind} {self.namespace}/{self.name})"

    def is_a(self, group: str, *kinds: str) -> bool:
        """Return whether it has one of these kinds; `group` is empty for the core group."""
        return self.group == group and self.kind in kinds

    @lazy
    def copies(self) -> int | None:
        """How many copies of it its wrapper runs at once; None if unknown."""
        if self.wrapper is None:
            return 1
        count = self.wrapper.traits.copies
        return self.wrapper.copies if count is None else count(self.wrapper.value)

    @lazy
    def spec(self) -> dict[str, Any]:
        """Its `spec`; empty if it has none."""
        return mapping(self.value.get("spec"))

    @lazy
    def pods(self) -> tuple[Pod, ...]:
        """The pods that it describes, at any path."""
        if not self.has_pods:
            return ()
        return _pods_of(self)

    def release(self) -> None:
        """Drop its pods, which refer back to it, and the values computed from them, so that memory
        is freed at once."""
        for name in [
            attribute for attribute in self.__dict__ if attribute == "pods" or "." in attribute
        ]:
            del self.__dict__[name]

    @lazy
    def has_pods(self) -> bool:
        """Whether it contains pods; they are not read."""
        return bool(self.pod_paths or self.flat)

    @lazy
    def traits(self) -> Kind:
        """The traits of its kind; for an unknown kind, only that pods were found in it."""
        return (
            guessed(self.group, self.kind) if self._is_guessed else traits_of(self.group, self.kind)
        )

    @lazy
    def flat(self) -> tuple[tuple[Path, Flat], ...]:
        """The paths of pods that do not have the layout of a PodSpec, from the object's root."""
        return tuple(
            (path, flat_kind)
            for flat_kind in self.traits.flat
            for path, value in mappings_at(self.value, (flat_kind.path,))
            if not (flat_kind.unless and mappings_at(value, (flat_kind.unless,)))
        )

    @lazy
    def pod_paths(self) -> tuple[PodPath, ...]:
        """The paths of its pods, from the table of kinds, the configuration or a walk."""
        return (*pod_paths(self.value), *self._custom)

    def path(self, *steps: str | int) -> Path:
        """Return the path, from the document's root, of a field of the object."""
        return (*self.base, *steps)


def meet(first: Object, second: Object) -> bool:
    """Return whether two objects are certainly in one namespace or applied together: both name the
    same namespace, or name none and are in one folder, because people apply each folder by itself.
    """
    if first.namespace and second.namespace:
        return first.namespace == second.namespace
    return dirname(first.file) == dirname(second.file)


class Pod(LabelledObject):
    """A pod that an object describes: a template, or the Pod itself."""

    def __init__(self, owner: Object, spec: Path, metadata: Path | None) -> None:
        self.object = owner
        self.base = spec
        """The path, from the document's root, of the map with `containers`."""
        self.metadata_path = metadata
        """The path of the pod's metadata; None if the kind has no place for it."""
        inside = spec[len(owner.base) :]
        elsewhere = owner.traits.elsewhere
        self._written: dict[str, Any] = mapping(at(owner.value, inside))
        self._elsewhere = {} if elsewhere is None else elsewhere(owner.value, inside)
        self.spec: dict[str, Any] = self._written | {
            field: at(owner.value, path) for field, path in self._elsewhere.items()
        }
        """Its spec, including fields that the kind keeps elsewhere in the object."""
        metadata_value = None if metadata is None else at(owner.value, metadata[len(owner.base) :])
        self.metadata = mapping(metadata_value)

    def __repr__(self) -> str:
        return f"Pod({self.object.kind} {self.object.name} {self.role.name})"

    def path(self, *steps: str | int) -> Path:
        """Return the path, from the document's root, of a field of the pod's spec."""
        if steps and self._elsewhere and steps[0] in self._elsewhere:
            return self.object.path(*self._elsewhere[str(steps[0])], *steps[1:])
        return (*self.base, *steps)

    @lazy
    def every(self) -> tuple[PodContainer, ...]:
        """All its containers as ordered in the manifest, init containers first."""
        containers: list[PodContainer] = []
        others: tuple[tuple[str, Stage], ...] = tuple(
            (field, "main") for field in self.object.traits.lists
        )
        for field, stage in (*_LISTS, *others):
            for index, value in enumerate(items(self.spec.get(field))):
                if not isinstance(value, dict):
                    continue
                container_stage: Stage = stage
                if stage == "init" and value.get("restartPolicy") == "Always":
                    container_stage = "sidecar"
                resources = _COMPUTE if _COMPUTE in value else "resources"
                container = PodContainer(value, self.path(field, index), container_stage, resources)
                containers.append(container)
        return (*containers, *self._loose)

    @property
    def _loose(self) -> Iterator[PodContainer]:
        """Containers outside `containers`: KServe's `model`, Argo's `container`; the pod itself, if
        it has image and resources directly."""
        owner = self.object
        for path, flat in owner.flat:
            if self.base == owner.path(*path):
                container = self._with_fields_beside(self._written)
                yield PodContainer(container, self.base, "main", flat.resources)
        for name in owner.traits.loose:
            if isinstance(value := self.spec.get(name), dict):
                yield PodContainer(self._with_fields_beside(value), self.path(name), "main")

    def _with_fields_beside(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return a container including its fields that are outside the pod."""
        beside = self.object.traits.beside
        if beside is None:
            return value
        fields = beside(self.object.value, self.base[len(self.object.base) :])
        return mapping(_joined(value, {field: part for field, part in fields.items() if part}))

    @lazy
    def containers(self) -> tuple[PodContainer, ...]:
        """Its regular containers."""
        return tuple(container for container in self.every if container.stage == "main")

    @lazy
    def gpu_containers(self) -> tuple[PodContainer, ...]:
        """The containers that request accelerators."""
        return tuple(container for container in self.every if container.devices)

    @lazy
    def gpus(self) -> int:
        """The accelerators of one pod, as the scheduler counts them: init containers share theirs
        with the others."""
        running = sum(
            container.gpus for container in self.every if container.stage in ("main", "sidecar")
        )
        before = max(
            (container.gpus for container in self.every if container.stage == "init"), default=0
        )
        return max(running, before)

    @lazy
    def claims_at(self) -> str:
        """The name of the field with its device claims: `resourceClaims`, except in flat pods."""
        flat = (
            flat_kind.claims
            for path, flat_kind in self.object.flat
            if self.base == self.object.path(*path)
        )
        return next(flat, "resourceClaims")

    @lazy
    def claims(self) -> list[dict[str, Any]]:
        """Its `resourceClaims` (DRA)."""
        return [claim for claim in items(self.spec.get(self.claims_at)) if isinstance(claim, dict)]

    @lazy
    def has_gpu(self) -> bool:
        """Whether any container names accelerators, even if their number is invalid."""
        return bool(self.gpu_containers)

    @lazy
    def role(self) -> PodGroupKind:
        """The pod's role in its object, and its number of replicas."""
        owner = self.object
        inside = self.base[len(owner.base) :]
        if owner.traits.part is not None:
            group = owner.traits.part(owner.value, inside)
        else:
            is_service = owner.traits.life == "service"
            group = PodGroupKind(groups=whole(owner.spec.get("replicas"), 1) if is_service else 1)
        if owner.copies == 1:
            return group
        if group.groups is None or owner.copies is None:
            return replace(group, groups=None)
        return replace(group, groups=group.groups * owner.copies)

    @lazy
    def volumes(self) -> dict[str, tuple[int, dict[str, Any]]]:
        """The volumes by name, each with its index in `volumes`."""
        return {
            entry["name"]: (index, entry)
            for index, entry in enumerate(items(self.spec.get("volumes")))
            if isinstance(entry, dict) and isinstance(entry.get("name"), str)
        }

    @lazy
    def tolerations(self) -> list[dict[str, Any]]:
        """Its tolerations."""
        return [
            toleration
            for toleration in items(self.spec.get("tolerations"))
            if isinstance(toleration, dict)
        ]

    @lazy
    def node_selector(self) -> dict[str, Any]:
        """Its `nodeSelector`."""
        return mapping(self.spec.get("nodeSelector"))

    @lazy
    def security(self) -> dict[str, Any]:
        """Its pod-level `securityContext`."""
        return mapping(self.spec.get("securityContext"))

    @property
    def life(self) -> Life:
        """Whether it runs until it is stopped or until it completes."""
        return self.object.traits.life


def _joined(value: Any, outer: Any) -> Any:
    """Merge another value into a value; list items are merged by position."""
    if isinstance(value, dict) and isinstance(outer, dict):
        return {key: _joined(value.get(key), outer.get(key)) for key in {**value, **outer}}
    if isinstance(value, list) and isinstance(outer, list):
        names = {text(mapping(item).get("name")) for item in value} - {""}
        return [*value, *(item for item in outer if mapping(item).get("name") not in names)]
    return outer if value is None else value


def _pods_of(owner: Object) -> tuple[Pod, ...]:
    """Return the pods that an object describes."""
    if inner_objects(owner.value):
        # They are objects of their own.
        return ()
    pods = [
        Pod(
            owner,
            (*owner.base, *pod_path.spec),
            None if pod_path.metadata is None else (*owner.base, *pod_path.metadata),
        )
        for pod_path in owner.pod_paths
    ]
    return (*pods, *(Pod(owner, owner.path(*path), None) for path, _ in owner.flat))
