"""Reasons why a fix is unsafe: the effects of the fields that it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.model import Rename

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.lint.model import Change

_DECIDED = {
    "which nodes are eligible": (
        *("tolerations", "nodeSelector", "affinity", "nodeName", "runtimeClassName"),
        *("topologySpreadConstraints", "schedulerName"),
    ),
    "what the container requests": ("resources",),
    "how the container starts": ("command", "args", "env", "envFrom"),
    "when the kubelet restarts the container": ("livenessProbe", "startupProbe"),
    "when the pod receives traffic": ("readinessProbe", "publishNotReadyAddresses"),
    "how the container ends": ("lifecycle", "terminationGracePeriodSeconds"),
    "what is mounted": ("volumes", "volumeMounts", "volumeClaimTemplates"),
    "the privileges of the process": ("securityContext", "serviceAccountName"),
    "how pods are replaced": ("strategy", "updateStrategy", "podManagementPolicy"),
    "when a failed pod is replaced": (
        *("restartPolicy", "backoffLimit", "podFailurePolicy", "podReplacementPolicy"),
    ),
    "how many pods run": (
        *("replicas", "minReplicas", "maxReplicas", "parallelism", "completions"),
    ),
    "what controllers read of the object": ("annotations", "labels"),
}
_BY_FIELD = {field: decided for decided, fields in _DECIDED.items() for field in fields}


def unsafe_reason(changes: Iterable[Change]) -> str | None:
    """Return the effect of a fix's changes in the cluster; None if unknown."""
    reasons: dict[str, None] = {}
    for change in changes:
        steps = (*change.path, change.key) if isinstance(change, Rename) else change.path
        field_reasons = (
            _BY_FIELD[step] for step in steps if isinstance(step, str) and step in _BY_FIELD
        )
        if (decided := next(field_reasons, None)) is not None:
            reasons[decided] = None
    return f"changes {' and '.join(reasons)}" if reasons else None
