"""The grace period of a pod, and its field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.lint.analysis.serving.progress import on_knative

if TYPE_CHECKING:
    from gpuspec.objects.objects import Pod

DEFAULT = 30
"""The default of `terminationGracePeriodSeconds`, in seconds."""
_REQUEST = 300
"""Knative's default time of a request, in seconds, which is its pods' grace period too."""
_OF_KSERVE = "serving.kserve.io"


class Grace(msgspec.Struct, frozen=True):
    """The field, its value, and its default."""

    field: str
    written: Any
    default: int

    @property
    def seconds(self) -> Any:
        """The effective seconds, written or by default."""
        return self.default if self.written is None else self.written


def grace_of(pod: Pod) -> Grace:
    """Return the grace period of a pod. Source: knative/serving v0.50.0,
    revision/resources/deploy.go."""
    if not on_knative(pod):
        field, default = "terminationGracePeriodSeconds", DEFAULT
    else:
        field = "timeout" if pod.object.group == _OF_KSERVE else "timeoutSeconds"
        default = _REQUEST
    return Grace(field, pod.spec.get(field), default)
