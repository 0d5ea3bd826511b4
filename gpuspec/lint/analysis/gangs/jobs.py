"""Job specs in objects of any kind, and signs that a tool applies an object repeatedly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.kinds import mappings_at
from gpuspec.lint.model import Put
from gpuspec.manifests.values import at, mapping, text, whole
from gpuspec.numbers import is_digits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object


class JobSpec(msgspec.Struct, frozen=True):
    """The spec of a Job that an object is, or creates."""

    value: dict[str, Any]
    path: Path
    """The path from the document's root."""
    in_jobset: bool
    """Whether a JobSet's webhook fills in `restartPolicy: OnFailure` and `completionMode:
    Indexed`."""

    @property
    def pod(self) -> dict[str, Any]:
        """The spec of its pods."""
        return mapping(at(self.value, ("template", "spec")))

    @property
    def restart(self) -> str:
        """The pods' `restartPolicy`; empty if absent."""
        restart_policy = text(self.pod.get("restartPolicy"))
        return restart_policy or ("OnFailure" if self.in_jobset else "")

    @property
    def mode(self) -> str:
        """The completion mode."""
        default = "Indexed" if self.in_jobset else "NonIndexed"
        return text(self.value.get("completionMode")) or default

    def indexing(self) -> tuple[Put, ...]:
        """Return the fields that give each pod an index, which needs a number of completions."""
        mode = Put((*self.path, "completionMode"), "Indexed")
        if self.in_jobset or self.value.get("completions") is not None:
            return (mode,)
        return mode, Put((*self.path, "completions"), whole(self.value.get("parallelism")) or 1)


def job_specs(obj: Object) -> Iterator[JobSpec]:
    """Yield the specs of the Jobs that an object is, or creates."""
    for path, value in mappings_at(obj.value, obj.traits.jobs):
        yield JobSpec(value, obj.path(*path), in_jobset="replicatedJobs" in path)


_HASH = 5
"""A word of both letters and digits, which suggests a name that changes with the content."""


def has_fresh_name(obj: Object) -> bool:
    """Return whether an object's name seems to change with its content: a date, a digest, a
    version."""
    if "generateName" in obj.metadata:
        return True
    last = obj.name.rpartition("-")[2]
    if last[:1] in ("v", "r") and is_digits(last[1:]):
        return True
    digits = sum(map(is_digits, obj.name))
    return digits >= 4 or (
        digits >= 2 and len(last) >= _HASH and last.isalnum() and not last.isalpha()
    )


def synced_by(obj: Object) -> str | None:
    """Return the GitOps tool whose labels or annotations an object has, or None."""
    for key in (*obj.annotations, *obj.labels):
        domain = key.partition("/")[0] if isinstance(key, str) else ""
        if domain == "argocd.argoproj.io":
            return "Argo CD"
        if domain.endswith(".toolkit.fluxcd.io"):
            return "Flux"
    return None


def hooks_of(obj: Object) -> list[tuple[str, str]]:
    """Return the hooks in an object's annotations: the annotation's key and value."""
    keys = ("argocd.argoproj.io/hook", "helm.sh/hook")
    return [(key, text(obj.annotations[key])) for key in keys if key in obj.annotations]
