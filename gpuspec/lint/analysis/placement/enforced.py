"""The Pod Security level that a pod's namespace enforces, as far as anything says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec.manifests.values import text
from gpuspec.numbers import read_whole

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object, Pod

Level = Literal["privileged", "baseline", "restricted"]
LEVELS: tuple[Level, ...] = ("privileged", "baseline", "restricted")

LABEL = "pod-security.kubernetes.io/enforce"


class Enforced(msgspec.Struct, frozen=True):
    """A level, and how it is known."""

    level: Level
    minor: int
    """The policy's version, 1.N."""
    evidence: str
    namespace: Object | None = None
    """The Namespace of the set that says so."""

    @property
    def refuses_baseline(self) -> bool:
        """Whether what breaks `baseline` is refused."""
        return self.level != "privileged"


def enforced(pod: Pod, context: Context) -> Enforced | None:
    """Return what the Namespace beside it, else the profile, says; None where nothing does.

    A pod that names no namespace is taken to be for `default`.
    """
    return enforced_in(pod.object.namespace or "default", context)


def enforced_in(name: str, context: Context) -> Enforced | None:
    """Return what a namespace enforces: its object in the set says, else the profile; None where
    neither does."""
    for obj in context.collection.once(_namespaces).get(name, ()):
        level = obj.labels.get(LABEL)
        for known in LEVELS:
            if level == known:
                evidence = f"Namespace `{name}` has the label `{LABEL}: {known}`"
                version = obj.labels.get(f"{LABEL}-version")
                return Enforced(known, _version(version, minor_of(context)), evidence, obj)
    if context.cluster is not None:
        for namespace in context.cluster.namespaces:
            if namespace.name == name:
                evidence = f"the profile sets this level for namespace `{name}`"
                return Enforced(namespace.pod_security, minor_of(context), evidence)
    return None


def _namespaces(collection: Collection) -> dict[str, list[Object]]:
    """Return the Namespaces of a set by their names: each pod asks, some times over."""
    objects_by_namespace: dict[str, list[Object]] = {}
    for obj in collection.of("", "Namespace"):
        objects_by_namespace.setdefault(obj.name, []).append(obj)
    return objects_by_namespace


def refuses_baseline(pod: Pod, context: Context) -> bool:
    """Return whether what breaks `baseline` is refused in its namespace: another rule says so
    then."""
    level = enforced(pod, context)
    return level is not None and level.refuses_baseline


def minor_of(context: Context) -> int:
    """Return the N of the API server's version 1.N."""
    return _version(f"v{context.kubernetes}", 0)


def _version(written: object, default: int) -> int:
    _, _, minor = text(written).partition("v1.")
    number = read_whole(minor)
    return default if number is None else number
