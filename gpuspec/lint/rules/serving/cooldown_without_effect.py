"""A cooldown that never comes, since it is for the way to zero alone."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at
from gpuspec.objects.objects import Object
from gpuspec.objects.scalers import scaler_of

RULE = Rule(
    "GPU813",
    "cooldown-without-effect",
    "info",
    "`cooldownPeriod` has no effect unless the minimum is zero",
)
DEFAULT = 300
"""Seconds: `cooldownPeriod` when unset, and the HPA's window for scaling down as well."""
_WINDOW = (
    "advanced",
    "horizontalPodAutoscalerConfig",
    "behavior",
    "scaleDown",
    "stabilizationWindowSeconds",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield ScaledObjects that keep a replica and set how long to wait before the last one ends,
    but not how long to wait before any other does."""
    scaler = scaler_of(obj)
    cooldown_period = obj.spec.get("cooldownPeriod")
    if scaler is None or cooldown_period in (None, DEFAULT) or not scaler.least:
        return
    if obj.spec.get("idleReplicaCount") is not None or at(obj.spec, _WINDOW) is not None:
        return
    yield RawFinding(
        obj.path("spec", "cooldownPeriod"),
        f"`cooldownPeriod` {cooldown_period} applies only to scaling to zero, and "
        f"`minReplicaCount` is {scaler.least}: the HPA removes warm replicas after "
        f"{DEFAULT} s by default",
        note="set "
        "`advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.stabilizationWindowSeconds` "
        "to the time that a replica should stay",
    )
