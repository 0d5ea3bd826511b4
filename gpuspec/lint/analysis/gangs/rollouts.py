"""Deployments whose new pods form a gang of their own.

Source: Volcano 1.15, pkg/controllers/podgroup/pg_controller_handler.go: each ReplicaSet has a
PodGroup of its own, with the minimum in the Deployment's annotation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests.values import text
from gpuspec.numbers import read_whole
from gpuspec.objects.gangs import GROUP_ANNOTATIONS, MIN_MEMBER, scheduler_of

if TYPE_CHECKING:
    from gpuspec.lint.analysis.serving.rollout import Replacing
    from gpuspec.objects.objects import Object, Pod


def gang_of_new(obj: Object) -> int | None:
    """Return how many new pods of a Deployment start together or not at all; None if each starts by
    itself."""
    if not obj.is_a("apps", "Deployment") or not all(map(_is_grouped, obj.pods)):
        return None
    least = read_whole(text(obj.annotations.get(MIN_MEMBER)))
    return least if least is not None and least > 1 else None


def first_new(how: Replacing) -> int:
    """Return how many new pods a rollout creates before any of them is ready."""
    return how.replicas if how.at_once else min(how.surge + how.unavailable, how.replicas)


def _is_grouped(pod: Pod) -> bool:
    """Return whether Volcano creates the pod's group; a pod that names a group joins it, old and
    new pods alike."""
    names_group = any(key in pod.annotations for key in GROUP_ANNOTATIONS)
    return scheduler_of(pod) == "volcano" and not names_group
