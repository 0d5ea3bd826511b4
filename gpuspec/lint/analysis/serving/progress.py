"""How long a controller waits for new pods before it gives up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.manifests.durations import format_duration, parse_duration
from gpuspec.manifests.values import at, mapping, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Pod

DEFAULT = 600
"""The default seconds: the API server's for a Deployment, and Knative's own."""
_KEY = "serving.knative.dev/progress-deadline"
_KNATIVE = "serving.knative.dev"
_KSERVE = "serving.kserve.io"
_MODE = "serving.kserve.io/deploymentMode"
_ON_KNATIVE = ("Serverless", "Knative")


class Deadline(msgspec.Struct, frozen=True):
    """The progress deadline of one object's pods."""

    seconds: int
    written: bool
    path: Path
    knative: bool
    """Whether Knative gives up a revision."""
    alone: bool = False
    """Whether its mapping does not exist yet."""

    def extended(self, seconds: int) -> tuple[Path, object]:
        """Return the path and value of a longer deadline."""
        value = format_duration(seconds) if self.knative else seconds
        return (self.path[:-1], {self.path[-1]: value}) if self.alone else (self.path, value)


def on_knative(pod: Pod) -> bool:
    """Return whether its pods belong to a Knative revision, as far as its object shows."""
    owner = pod.object
    if owner.group == _KNATIVE:
        return True
    return owner.group == _KSERVE and owner.annotations.get(_MODE) in _ON_KNATIVE


def deadline_of(pod: Pod) -> Deadline | None:
    """Return the progress deadline of a pod's rollout; None if there is none, or an invalid one."""
    owner = pod.object
    if owner.is_a("apps", "Deployment"):
        seconds = whole(owner.spec.get("progressDeadlineSeconds"), DEFAULT)
        is_written = owner.spec.get("progressDeadlineSeconds") is not None
        path = owner.path("spec", "progressDeadlineSeconds")
        return None if seconds is None else Deadline(seconds, is_written, path, knative=False)
    if not on_knative(pod):
        return None
    if owner.group == _KNATIVE and pod.metadata_path is not None:
        return _annotated(pod, ((*pod.metadata_path, "annotations"),))
    if owner.group == _KSERVE:
        return _annotated(pod, (pod.path("annotations"), owner.path("metadata", "annotations")))
    return None


def _annotated(pod: Pod, places: tuple[Path, ...]) -> Deadline | None:
    """Return the deadline from the first place with the annotation; without one, the first
    place."""
    owner = pod.object
    for path in places:
        annotation_value = mapping(at(owner.value, path[len(owner.base) :])).get(_KEY)
        if annotation_value is None:
            continue
        try:
            return Deadline(
                parse_duration(str(annotation_value)), True, (*path, _KEY), knative=True
            )
        except ValueError:
            return None
    alone = not mapping(at(owner.value, places[0][len(owner.base) :]))
    return Deadline(DEFAULT, False, (*places[0], _KEY), knative=True, alone=alone)
