"""Violations as text, and their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.lint.analysis.pod_security.model import LevelViolation
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Pod


def sentence(violations: list[LevelViolation], pod: Pod) -> str:
    """Return violations in one sentence: each once, with its containers if not all have it."""
    containers_of: dict[str, list[str | None]] = {}
    for violation in violations:
        containers_of.setdefault(violation.said, []).append(violation.container)
    parts: list[str] = []
    for statement, names in containers_of.items():
        where = [f"`{name}`" for name in dict.fromkeys(names) if name]
        everywhere = len(where) == len(pod.every)
        parts.append(statement if everywhere or not where else f"{statement} in {', '.join(where)}")
    return "; ".join(parts)


def first_written(violations: list[LevelViolation], otherwise: Path) -> Path:
    """Return the place of a finding: that of a written field, or else that of a required one."""
    return next((violation.path for violation in violations if violation.written), otherwise)
