"""Jobs of other projects that Kueue queues: the checks of its webhooks on each.

Source: sigs.k8s.io/kueue v0.19.2, pkg/controller/jobs/*/*_webhook.go and
pkg/controller/jobframework/validation.go. The table of keys has the checks of single labels and
annotations, and a rule of its own has those of Ray's kinds. An object without a key of Kueue is not
checked, because its cluster may not have Kueue.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from gpuspec.manifests.names import dns_subdomain
from gpuspec.manifests.values import at, mapping, whole
from gpuspec.validation.apiserver.reading import refused
from gpuspec.validation.operators import kueue_topology as topology
from gpuspec.validation.operators.kueue_pods import KINDS, PodSet, pod_sets, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map
    from gpuspec.validation.bundle import Kind
    from gpuspec.validation.violation import SchemaViolation

    Check = Callable[["Job"], Iterator[SchemaViolation]]

_KEYS = "kueue.x-k8s.io/"
_QUEUE = f"{_KEYS}queue-name"
_MANAGED = f"{_KEYS}managed"
_ELASTIC = f"{_KEYS}elastic-job"
_GATES = f"{_KEYS}admission-gated-by"
_FEWER = f"{_KEYS}job-min-parallelism"
_ALIKE = f"{_KEYS}job-completions-equal-parallelism"
_GROUP = f"{_KEYS}pod-group-name"
_PREBUILT = f"{_KEYS}prebuilt-workload-name"
_PARENT: Path = ("spec", "template", "metadata", "annotations", f"{_KEYS}pod-suspending-parent")
_LABELS: Path = ("metadata", "labels")
_ANNOTATIONS: Path = ("metadata", "annotations")
_LONGEST_GATE = 63
_WITHIN = re.compile(r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+")
"""The part of a name after its domain."""
_MOST_GROUPS = 1_000_000
_TRUE = ("1", "t", "T", "true", "TRUE", "True")
_NAME = "expected a name of lower-case letters, digits, `-` and `.`"


class Job(msgspec.Struct, frozen=True):
    """An object that Kueue queues."""

    value: Map
    labels: dict[str, str]
    annotations: dict[str, str]
    sets: list[PodSet]

    @property
    def is_elastic(self) -> bool:
        """Whether it is elastic: Kueue resizes it while it runs."""
        return self.annotations.get(_ELASTIC) == "true"

    def named(self, key: str) -> Path | None:
        """Return the path of a name: an annotation that sets it, or else a label."""
        if self.annotations.get(key):
            return (*_ANNOTATIONS, key)
        return (*_LABELS, key) if key in self.labels else None

    def name(self, key: str) -> str:
        """Return the name that is set; empty if there is none."""
        return self.annotations.get(key) or self.labels.get(key, "")


def queued(kind: Kind, value: Map) -> Iterator[SchemaViolation]:
    """Yield Kueue's violations of an object of a kind that it queues; nothing without a key of
    Kueue.
    """
    if kind not in KINDS or (kind == _STATEFUL and at(value, _PARENT)):
        return
    labels, annotations = texts(value, _LABELS), texts(value, _ANNOTATIONS)
    job = Job(value, labels, annotations, pod_sets(kind, value))
    every = (labels, annotations, *(pod_set.asked for pod_set in job.sets))
    if not any(key.startswith(_KEYS) for refusals in every for key in refusals):
        return
    for check in _CHECKS.get(kind, _OF_JOBS):
        yield from check(job)
    if kind not in _ELASTICS and job.is_elastic:
        yield refused((*_ANNOTATIONS, _ELASTIC), f"a {kind[1]} cannot be elastic under Kueue")
    yield from topology.faults(kind, job.sets, job.is_elastic)


def _queue(job: Job) -> Iterator[SchemaViolation]:
    if dns_subdomain(job.labels.get(_QUEUE, "a")) is not None:
        yield refused((*_LABELS, _QUEUE), _NAME)


def _gates(job: Job) -> Iterator[SchemaViolation]:
    annotation, path, gates_seen = job.annotations.get(_GATES, ""), (*_ANNOTATIONS, _GATES), set()
    for gate in map(str.strip, annotation.split(",")) if annotation.strip() else ():
        if gate in gates_seen:
            yield refused(path, f"`{gate}` is in the list twice")
        elif not _is_of_domain(gate) or len(gate) > _LONGEST_GATE:
            yield refused(
                path,
                "expected names such as `example.com/name`, separated by commas, of at "
                f"most {_LONGEST_GATE} characters each",
            )
        gates_seen.add(gate)


def _is_of_domain(name: str) -> bool:
    domain, slash, rest = name.partition("/")
    return bool(slash) and dns_subdomain(domain) is None and _WITHIN.fullmatch(rest) is not None


def _prebuilt(job: Job) -> Iterator[SchemaViolation]:
    """Check the name of the prebuilt workload."""
    if (path := job.named(_PREBUILT)) and dns_subdomain(job.name(_PREBUILT)) is not None:
        yield refused(path, _NAME)


def _none_prebuilt(job: Job) -> Iterator[SchemaViolation]:
    if (path := job.named(_PREBUILT)) and job.name(_PREBUILT):
        yield refused(path, "a JAXJob cannot use a prebuilt workload")
    else:
        yield from _prebuilt(job)


def _fewer(job: Job) -> Iterator[SchemaViolation]:
    """Check that a Job that may start with fewer pods is not elastic."""
    if job.is_elastic and _FEWER in job.annotations:
        yield refused((*_ANNOTATIONS, _FEWER), f"it excludes `{_ELASTIC}`")


def _completions(job: Job) -> Iterator[SchemaViolation]:
    """Check that completions equal the number of pods if they follow it, and that the Job is
    indexed.
    """
    spec = mapping(job.value.get("spec"))
    if job.annotations.get(_ALIKE) not in _TRUE:
        return
    if spec.get("completionMode") != "Indexed":
        yield refused((*_ANNOTATIONS, _ALIKE), "it needs `completionMode: Indexed`")
    parallelism = whole(spec.get("parallelism"), 1)
    completions = whole(spec.get("completions"), 1)
    if None not in (parallelism, completions) and parallelism != completions:
        yield refused(
            ("spec", "completions"),
            f"expected `parallelism`, which is {parallelism}, not {completions}",
            f"the annotation `{_ALIKE}` requires it",
        )


def _pod(job: Job) -> Iterator[SchemaViolation]:
    """Check the label of a managed pod, and that its workload has its group's name."""
    if job.labels.get(_MANAGED, "true") != "true":
        yield refused((*_LABELS, _MANAGED), "expected `true`, or no label")
    group, path = job.name(_GROUP), job.named(_PREBUILT)
    if group and path and job.name(_PREBUILT) not in (group, ""):
        yield refused(path, f"expected the name of the pod's group, `{group}`")


def _groups(job: Job) -> Iterator[SchemaViolation]:
    groups = whole(at(job.value, ("spec", "replicas")), 1)
    if groups is not None and not 0 <= groups <= _MOST_GROUPS:
        yield refused(("spec", "replicas"), f"expected 0 to {_MOST_GROUPS} groups, not {groups}")


_STATEFUL: Kind = ("apps/v1", "StatefulSet")
_JOB: Kind = ("batch/v1", "Job")
_ELASTICS = {
    _JOB,
    ("ray.io/v1", "RayCluster"),
    ("ray.io/v1", "RayJob"),
    ("ray.io/v1", "RayService"),
}
_OF_JOBS: tuple[Check, ...] = (_gates, _prebuilt)
_OF_SERVERS: tuple[Check, ...] = (_queue, _gates)
_CHECKS: dict[Kind, tuple[Check, ...]] = {
    _JOB: (*_OF_JOBS, _fewer, _completions),
    ("kubeflow.org/v1", "JAXJob"): (_gates, _none_prebuilt),
    ("v1", "Pod"): (_queue, *_OF_JOBS, _pod),
    ("apps/v1", "Deployment"): _OF_SERVERS,
    _STATEFUL: _OF_SERVERS,
    ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"): (*_OF_SERVERS, _groups),
}
"""The checks of kinds in addition to those of all jobs. The table of keys has the checks of queue
names.
"""
