"""Waivers of violations: written reasons in annotations of the pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests.values import text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.lint.analysis.pod_security.model import LevelViolation
    from gpuspec.objects.objects import Pod

PREFIX = "gpuspec.dev/waiver-"
REST = "privileged"
"""The waiver for violations without one of their own."""
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
    """Return the waiver of a violation: the annotation's name after the prefix."""
    steps = (step for step in violation.path if isinstance(step, str))
    return next((_BY_FIELD[step] for step in steps if step in _BY_FIELD), REST)


def unwaived(violations: Iterable[LevelViolation], pod: Pod) -> list[LevelViolation]:
    """Return violations without a reason in the pod's annotations."""
    return [violation for violation in violations if not has_reason(pod, waiver_of(violation))]


def has_reason(pod: Pod, waiver: str) -> bool:
    """Return whether an annotation of the pod has the reason for a waiver."""
    return bool(text(pod.annotations.get(PREFIX + waiver)).strip())
