"""Rules for queues of a scheduler, Volcano or KAI: unsupported fields and names."""

from collections.abc import Iterator

from gpuspec.manifests import Path
from gpuspec.spec.profile import ClusterProfileSpec
from gpuspec.spec.queue_systems import KAI, KUEUE, SCHEDULERS, TITLES, VOLCANO, queue_systems
from gpuspec.spec.queues import Queue
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation

__all__ = ["SCHEDULERS", "problems"]
_QUEUES: Path = ("spec", "queues")
_COHORTS: Path = ("spec", "cohorts")
_INSTALLED: Path = ("spec", "installed")
# Volcano makes them itself: the root of its tree, and the queue of what names none.
_OWN = ("root", "default")


def problems(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for queues of Volcano or KAI; none for Kueue alone."""
    systems = [queue_system for queue_system in queue_systems(spec) if queue_system in SCHEDULERS]
    for system in systems:
        if KUEUE not in spec.installed:
            yield from _wordless(spec, system)
        yield from _names(spec, system)


def _wordless(spec: ClusterProfileSpec, system: str) -> Iterator[SpecViolation]:
    """Yield fields that only Kueue supports."""
    for index, queue in enumerate(spec.queues):
        path: Path = (*_QUEUES, index)
        for field, is_set in _fields(queue, system):
            if is_set:
                message = f"`{field}` is a Kueue field, but the queue belongs to {TITLES[system]}"
                needs = (_INSTALLED, ("spec", "scheduler"))
                yield SpecViolation(message, (*path, field), "delete it", key=True, needs=needs)
        for at, part in enumerate(queue.pools):
            if system == KAI and part.lend is not None:
                message = "KAI lends all idle resources: there is no limit"
                where = (*path, "pools", at, "lend")
                yield SpecViolation(message, where, "delete it", key=True, needs=(_INSTALLED,))


def _fields(queue: Queue, system: str) -> tuple[tuple[str, bool], ...]:
    return (
        ("clusterQueue", queue.cluster_queue is not None),
        ("admissionChecks", bool(queue.admission_checks)),
        ("preemption", queue.preemption != "lower-priority"),
        ("order", queue.order != "best-effort" and system == KAI),
    )


def _names(spec: ClusterProfileSpec, system: str) -> Iterator[SpecViolation]:
    """Check that names of queues and cohorts are unique, because a scheduler's queues are
    cluster-wide, and a cohort is a parent queue."""
    title, queue_names = TITLES[system], set[str]()
    cohorts = {cohort.name for cohort in spec.cohorts} | {q.cohort for q in spec.queues if q.cohort}
    for index, queue in enumerate(spec.queues):
        path: Path = (*_QUEUES, index, "name")
        if queue.name in queue_names:
            message = (
                f"queues of {title} have no namespace, and there is a second {shown(queue.name)}"
            )
            yield SpecViolation(
                message, path, "give each its own name", needs=(_QUEUES, _INSTALLED)
            )
        elif queue.name in cohorts:
            message = f"a cohort is also a queue of {title}, and {shown(queue.name)} is both"
            yield SpecViolation(message, path, "use two different names", needs=(_QUEUES, _COHORTS))
        elif system == VOLCANO and queue.name in _OWN and not queue.existing:
            message = f"Volcano already has a queue {queue.name}"
            hint = "choose another name, or set existing: true"
            yield SpecViolation(message, path, hint, needs=(_INSTALLED,))
        queue_names.add(queue.name)
