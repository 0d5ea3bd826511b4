"""Bounds and triggers of an autoscaler that its API or its controller refuses."""

from collections.abc import Iterator
from typing import Any, TypeGuard

from gpuspec.kinds.keda import TRIGGERS
from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.analysis.serving.trigger_fields import trigger_faults
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.numbers import read_version
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU803",
    "autoscaler-refused",
    "error",
    "An autoscaler's bounds or triggers are rejected",
    fix="unsafe",
)
_NONE = "KEDA creates no autoscaler from the ScaledObject, not even for its other triggers"
_NO_JOB = "KEDA starts no Job from the ScaledJob, not even for its other triggers"
_OF_PODS_NEVER = frozenset(TRIGGERS) - {"cpu", "memory", "external", "external-push"}
ZERO_SINCE = (1, 37)
"""Kubernetes version from which an HPA may scale to zero without a feature gate that is set."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield zero, bounds that cross, and triggers that lack something."""
    if obj.group == "keda.sh":
        yield from _triggers(obj, context)
    if obj.kind == "ScaledObject":
        yield from _keda(obj)
    elif obj.kind != "ScaledJob":
        yield from _hpa(obj, context)


def _hpa(obj: Object, context: Context) -> Iterator[RawFinding]:
    least, most = obj.spec.get("minReplicas"), obj.spec.get("maxReplicas")
    path = obj.path("spec", "minReplicas")
    fix = set_field(path, 1)
    if _whole(least) and least == 0:
        kinds = {text(mapping(metric).get("type")) for metric in items(obj.spec.get("metrics"))}
        if not kinds & {"External", "Object"}:
            yield RawFinding(
                path,
                "`minReplicas` is 0, but no metric is of type `External` or `Object`: the API "
                "server rejects the autoscaler",
                note="use a KEDA ScaledObject, which scales to zero and wakes on its trigger",
                fix=fix,
            )
        elif context.profile is None or read_version(context.kubernetes) < ZERO_SINCE:
            yield RawFinding(
                path,
                "`minReplicas` is 0: the API server rejects the autoscaler before Kubernetes "
                "1.37, unless the feature gate `HPAScaleToZero` is set",
                severity="info" if context.profile is None else "warning",
                confidence="possible" if context.profile is None else "likely",
                fix=fix,
            )
    if _whole(least) and _whole(most) and least > most:
        yield _crossed(obj, "minReplicas", least, "maxReplicas", most)


def _keda(obj: Object) -> Iterator[RawFinding]:
    spec = obj.spec
    least, most = (
        default if spec.get(name) is None else spec[name]
        for name, default in (("minReplicaCount", 0), ("maxReplicaCount", 100))
    )
    if not (_whole(least) and _whole(most)):
        return
    if least > most:
        yield _crossed(obj, "minReplicaCount", least, "maxReplicaCount", most)
    idle = spec.get("idleReplicaCount")
    # Zero that is written counts as one, since an HPA has one at least.
    floor = 1 if spec.get("minReplicaCount") == 0 else least
    if _whole(idle) and idle >= floor:
        yield RawFinding(
            obj.path("spec", "idleReplicaCount"),
            f"`idleReplicaCount` {idle} is not below `minReplicaCount` {floor}: KEDA "
            "rejects the ScaledObject",
            note="set `idleReplicaCount: 0`",
        )
    triggers = [text(mapping(trigger).get("type")) for trigger in items(spec.get("triggers"))]
    if least == 0 and triggers and set(triggers) <= {"cpu", "memory"}:
        at = obj.path("spec", "minReplicaCount")
        yield RawFinding(
            at,
            "`minReplicaCount` is 0, but every trigger is CPU or memory, which is never used at "
            "zero: KEDA rejects the ScaledObject",
            fix=set_field(at, 1),
        )


def _triggers(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield triggers from which KEDA builds no scaler."""
    consequence = _NONE if obj.kind == "ScaledObject" else _NO_JOB
    for index, trigger in enumerate(map(mapping, items(obj.spec.get("triggers")))):
        kind = text(trigger.get("type"))
        for fault in trigger_faults(trigger, obj, context):
            yield RawFinding(
                obj.path("spec", "triggers", index, *fault.path),
                f"{fault.says}: {consequence}",
                note=fault.note,
                severity=None if fault.certain else "warning",
                confidence="certain" if fault.certain else "likely",
            )
        right_kind = None if kind in TRIGGERS else near(kind, TRIGGERS)
        if right_kind is not None:
            yield RawFinding(
                obj.path("spec", "triggers", index, "type"),
                f"KEDA has no trigger `{kind}`: {consequence}",
                note=f"write `{right_kind}`",
                severity="warning",
                confidence="likely",
            )
        if trigger.get("metricType") == "Utilization" and kind in _OF_PODS_NEVER:
            yield RawFinding(
                obj.path("spec", "triggers", index, "metricType"),
                f"`metricType: Utilization` is for `cpu` and `memory`, not for `{kind}`: {consequence}",
                note="write `metricType: AverageValue`, or remove the line",
            )


def _crossed(obj: Object, less: str, least: int, more: str, most: int) -> RawFinding:
    who = "KEDA" if obj.group == "keda.sh" else "the API server"
    return RawFinding(
        obj.path("spec", less),
        f"`{less}` {least} is above `{more}` {most}: {who} rejects the {obj.kind}",
        note=f"set `{less}` to at most {most}",
    )


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
