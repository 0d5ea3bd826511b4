"""What a change of a field does to what runs, by kind.

Sources: the controllers' documentation of Kubernetes 1.37, LeaderWorkerSet 0.10, KServe 0.20,
Knative Serving, KubeRay 1.7, Argo Rollouts, the training operator 1.9 and the NIM operator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.diff.defaults import is_default
from gpuspec.diff.immutable import is_refused
from gpuspec.diff.steps import Pattern, begins

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.diff.fields import Raw
    from gpuspec.diff.model import Effect

Kind = tuple[str, str]


class Rolls(msgspec.Struct, frozen=True):
    """What a kind does when its pods are to be others."""

    effect: Effect
    text: str
    also: tuple[Pattern, ...] = ()
    """Fields outside of its pods that do the same."""
    but: tuple[Pattern, ...] = ()
    """Fields inside that do not."""


_RESTARTS = "restarts the pods"
_STAY = "pods that run stay as they are"
_NEXT = "holds from the next run"
_RAY = "makes a new Ray cluster and moves over to it: both hold their GPUs until then"
_SPEC: Pattern = ("spec",)
_KSERVE = (
    *("minReplicas", "maxReplicas", "scaleTarget", "scaleMetric", "scaleMetricType"),
    *("canaryTrafficPercent", "autoScaling"),
)

TABLE: dict[Kind, Rolls] = {
    ("", "Pod"): Rolls(
        "restart",
        "restarts the containers whose image is another",
        but=(("spec", "tolerations"), ("spec", "activeDeadlineSeconds")),
    ),
    ("apps", "Deployment"): Rolls("restart", _RESTARTS),
    ("apps", "StatefulSet"): Rolls("restart", _RESTARTS),
    ("apps", "DaemonSet"): Rolls("restart", _RESTARTS),
    ("argoproj.io", "Rollout"): Rolls("restart", _RESTARTS),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): Rolls(
        "restart", "restarts the pods, group by group", also=(("spec", "leaderWorkerTemplate"),)
    ),
    ("serving.kserve.io", "InferenceService"): Rolls(
        "restart", _RESTARTS, but=tuple(("spec", "*", name) for name in _KSERVE)
    ),
    ("serving.kserve.io", "LLMInferenceService"): Rolls("restart", _RESTARTS),
    ("serving.knative.dev", "Service"): Rolls("restart", "starts a new revision's pods"),
    ("serving.knative.dev", "Configuration"): Rolls("restart", "starts a new revision's pods"),
    ("apps.nvidia.com", "NIMService"): Rolls(
        "restart",
        _RESTARTS,
        also=(_SPEC,),
        but=tuple(("spec", name) for name in ("replicas", "scale", "expose", "metrics")),
    ),
    ("ray.io", "RayService"): Rolls(
        "restart",
        _RAY,
        also=(("spec", "rayClusterConfig"),),
        but=tuple(
            ("spec", "rayClusterConfig", "workerGroupSpecs", "*", name)
            for name in ("replicas", "minReplicas", "maxReplicas")
        ),
    ),
    ("batch", "CronJob"): Rolls("next run", _NEXT, also=(("spec", "jobTemplate"),)),
    ("batch.volcano.sh", "CronJob"): Rolls("next run", _NEXT, also=(("spec", "jobTemplate"),)),
    ("ray.io", "RayCronJob"): Rolls("next run", _NEXT, also=(("spec", "jobTemplate"),)),
    ("argoproj.io", "CronWorkflow"): Rolls("next run", _NEXT, also=(("spec", "workflowSpec"),)),
    ("keda.sh", "ScaledJob"): Rolls(
        "restart", "ends the Jobs that run, unless `rollout.strategy` is `gradual`"
    ),
}
"""By group and kind; other kinds leave the pods that run as they are."""
_OTHERS = Rolls("new pods", _STAY)
_ON_DELETE = {("apps", "StatefulSet"), ("apps", "DaemonSet")}


def rolls(kind: Kind, new: dict[str, Any]) -> Rolls:
    """What an object does when its pods are to be others."""
    found = TABLE.get(kind, _OTHERS)
    strategy = _at(new, "spec", "updateStrategy", "type")
    if kind in _ON_DELETE and strategy == "OnDelete":
        return Rolls("new pods", "pods stay as they are until somebody deletes them (`OnDelete`)")
    if kind == ("apps", "Deployment") and _at(new, "spec", "strategy", "type") == "Recreate":
        return Rolls("restart", "restarts the pods, all at once (`Recreate`)")
    return found


def effect_of(
    kind: Kind,
    raw: Raw,
    old: dict[str, Any],
    new: dict[str, Any],
    pods: Iterable[tuple[Pattern, ...]],
) -> Effect:
    """What the change of a field comes to; `pods`: what of the object is in its pods."""
    inside = any(begins(raw.steps, pattern) for one in pods for pattern in one)
    if inside and is_default(raw):
        return "in place"
    if is_refused(kind, raw, old, new):
        return "refused"
    if raw.steps[:1] in (("metadata",), ("status",)):
        return "in place"
    known = rolls(kind, new)
    if any(begins(raw.steps, one) for one in known.but):
        return "in place"
    if inside or any(begins(raw.steps, one) for one in known.also):
        return known.effect
    return "in place"


def _at(value: Any, *steps: str) -> Any:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value
