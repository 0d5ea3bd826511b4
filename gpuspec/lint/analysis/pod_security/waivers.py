"""Which waiver lets a pod off what the levels refuse: reasons in writing, as annotations of the pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests.values import text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.lint.analysis.pod_security.model import LevelViolation
    from gpuspec.objects.objects import Pod

PREFIX = "gpuspec.dev/waiver-"
REST = "privileged"
"""The waiver of all that has none of its own."""
# By the field that is refused: of several in a path the first counts.
_BY_FIELD = {
    "runAsNonRoot": "root",
    "runAsUser": "root",
    "volumes": "host-path",
    "capabilities": "capabilities",
    "hostNetwork": "host-network",
    "hostPort": "host-network",
}


def waiver_of(violation: LevelViolation) -> str:
    """Return the waiver that a violation needs, as the annotation is called behind the prefix."""
    steps = (step for step in violation.path if isinstance(step, str))
    return next((_BY_FIELD[step] for step in steps if step in _BY_FIELD), REST)


def unwaived(violations: Iterable[LevelViolation], pod: Pod) -> list[LevelViolation]:
    """Return those for which no annotation of the pod gives a reason."""
    return [violation for violation in violations if not has_reason(pod, waiver_of(violation))]


def has_reason(pod: Pod, waiver: str) -> bool:
    """Return whether an annotation of the pod gives the reason for a waiver."""
    return bool(text(pod.annotations.get(PREFIX + waiver)).strip())
