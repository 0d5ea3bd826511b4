"""The Pod Security Standards: pod fields that the levels `baseline` and `restricted` reject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.pod_security.baseline import baseline
from gpuspec.lint.analysis.pod_security.model import Level, LevelViolation
from gpuspec.lint.analysis.pod_security.restricted import context_of, restricted
from gpuspec.lint.analysis.pod_security.violation_text import first_written, sentence
from gpuspec.objects.scheduling import is_whole

if TYPE_CHECKING:
    from gpuspec.objects.objects import Pod

__all__ = [
    "Level",
    "LevelViolation",
    "context_of",
    "first_written",
    "is_plain",
    "sentence",
    "violations",
]


def violations(pod: Pod, minor: int) -> list[LevelViolation]:
    """Return the violations of both levels, `baseline` first. `minor`: the policy's version, 1.N.

    For a pod that another object completes, only written fields count: the others may come from
    there.
    """
    violations_by_minor: dict[int, list[LevelViolation]] = pod.__dict__.setdefault(
        "pod_security", {}
    )
    if minor not in violations_by_minor:
        # A rule for each level asks.
        all_violations = [*baseline(pod, minor), *restricted(pod, minor)]
        violations_by_minor[minor] = (
            all_violations
            if is_plain(pod)
            else [violation for violation in all_violations if violation.written]
        )
    return violations_by_minor[minor]


def is_plain(pod: Pod) -> bool:
    """Return whether no other object sets the pod's security contexts."""
    return is_whole(pod) and "containers" in pod.spec
