"""The Pod Security level that a pod's namespace enforces, if it is known."""

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


class EnforcedLevel(msgspec.Struct, frozen=True):
    """A level, and its source."""

    level: Level
    minor: int
    """The policy's version, 1.N."""
    evidence: str
    namespace: Object | None = None
    """The Namespace of the set with the level."""

    @property
    def advice(self) -> str:
        """The ways out, with the source of the level."""
        return f"change the pod, or run it in another namespace: {self.evidence}"

    @property
    def refuses_baseline(self) -> bool:
        """Whether violations of `baseline` are rejected."""
        return self.level != "privileged"


def enforced(pod: Pod, context: Context) -> EnforcedLevel | None:
    """Return the level in the Namespace of the set, or else in the profile; None if neither has it.

    A pod without a namespace is assumed to be for `default`.
    """
    return enforced_in(pod.object.namespace or "default", context)


def enforced_in(name: str, context: Context) -> EnforcedLevel | None:
    """Return the level of a namespace: that of its object in the set, or else the profile's; None
    if neither has it."""
    for obj in context.collection.once(_namespaces).get(name, ()):
        level = obj.labels.get(LABEL)
        for pod_security_level in LEVELS:
            if level == pod_security_level:
                evidence = f"Namespace `{name}` has the label `{LABEL}: {pod_security_level}`"
                version = obj.labels.get(f"{LABEL}-version")
                return EnforcedLevel(
                    pod_security_level, _version(version, minor_of(context)), evidence, obj
                )
    if context.cluster is not None:
        for namespace in context.cluster.namespaces:
            if namespace.name == name:
                evidence = f"the profile sets this level for namespace `{name}`"
                return EnforcedLevel(namespace.pod_security, minor_of(context), evidence)
    return None


def _namespaces(collection: Collection) -> dict[str, list[Object]]:
    """Return the Namespaces of a set by their names, cached since every pod needs them."""
    objects_by_namespace: dict[str, list[Object]] = {}
    for obj in collection.of("", "Namespace"):
        objects_by_namespace.setdefault(obj.name, []).append(obj)
    return objects_by_namespace


def refuses_baseline(pod: Pod, context: Context) -> bool:
    """Return whether the namespace rejects violations of `baseline`; another rule then reports
    it."""
    level = enforced(pod, context)
    return level is not None and level.refuses_baseline


def minor_of(context: Context) -> int:
    """Return the N of the API server's version 1.N."""
    return _version(f"v{context.kubernetes}", 0)


def _version(value: object, default: int) -> int:
    _, _, minor = text(value).partition("v1.")
    number = read_whole(minor)
    return default if number is None else number
