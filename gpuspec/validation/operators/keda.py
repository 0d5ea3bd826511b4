"""ScaledObjects and ScaledJobs of KEDA.

Source: github.com/kedacore/keda v2.21.0,
apis/keda/v1alpha1/{scaledobject_webhook,scaledobject_types,scaletriggers_types}.go. Rules of the
linter check bounds that cross, and a target that two objects scale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.numbers import read_decimal
from gpuspec.validation.apiserver.reading import inner, maps, refused
from gpuspec.validation.operators.keda_formulas import problems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_BY_USE = ("cpu", "memory")
_UNCACHED = (*_BY_USE, "cron")
_LONGEST = 63
_CONFIG = ("spec", "advanced", "horizontalPodAutoscalerConfig")
_MODIFIERS = ("spec", "advanced", "scalingModifiers")


def triggers(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that triggers have unique names, and are cached only if they can be."""
    names_seen = set()
    for index, trigger in maps(inner(value, "spec"), "triggers"):
        path, kind, name = ("spec", "triggers", index), trigger.get("type"), trigger.get("name")
        if trigger.get("useCachedMetrics") is True and kind in _UNCACHED:
            yield refused(
                (*path, "useCachedMetrics"), f"a trigger of type `{kind}` cannot be cached"
            )
        if name and name in names_seen:
            yield refused((*path, "name"), f"another trigger has the name `{name}` too")
        names_seen.add(name)


def names(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the names of the object and its autoscaler fit into labels."""
    name, stated_name = (
        inner(value, "metadata").get("name") or "",
        inner(value, *_CONFIG).get("name"),
    )
    path = (*_CONFIG, "name") if stated_name else ("metadata", "name")
    autoscaler_name = stated_name or f"keda-hpa-{name}"
    if max(len(name), len(autoscaler_name)) > _LONGEST:
        long = name if len(name) > _LONGEST else autoscaler_name
        at = ("metadata", "name") if long == name else path
        yield refused(
            at, f"`{long}` has {len(long)} characters, but a label can have only {_LONGEST}"
        )


def fallback(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a fallback is for triggers that can fail, or for a formula."""
    spec, path = inner(value, "spec"), ("spec", "fallback")
    fallback_fields, modifiers = spec.get("fallback"), inner(value, *_MODIFIERS)
    if fallback_fields is None:
        return
    kinds = [trigger.get("type") for _, trigger in maps(spec, "triggers")]
    if not any(modifiers.values()) and all(kind in _BY_USE for kind in kinds):
        yield refused(path, "it needs a trigger that is neither `cpu` nor `memory`")
    if fallback_fields.get("behavior") == "scalingModifiers" and not modifiers.get("formula"):
        yield refused(
            (*path, "behavior"), "`scalingModifiers` needs `advanced.scalingModifiers.formula`"
        )


def formula(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that a formula has a numeric target."""
    modifiers = inner(value, *_MODIFIERS)
    if not any(modifiers.values()):
        return
    for field in ("formula", "target"):
        if not modifiers.get(field):
            yield refused((*_MODIFIERS, field), "it is missing")
    yield from _meaningless(value, modifiers.get("formula") or "")
    if (target := modifiers.get("target")) and (read_decimal(target) or 0) <= 0:
        yield refused(
            (*_MODIFIERS, "target"), f'expected a number above 0, such as "5", not `{target}`'
        )


def _meaningless(value: Map, text: str) -> Iterator[SchemaViolation]:
    trigger_names = {
        trigger.get("name") or ""
        for _, trigger in maps(inner(value, "spec"), "triggers")
        if trigger.get("type") not in _BY_USE
    }
    for problem in problems(text, trigger_names - {""}):
        yield refused((*_MODIFIERS, "formula"), problem)


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "keda.v1alpha1.ScaledJob": (triggers,),
    "keda.v1alpha1.ScaledObject": (triggers, names, fallback, formula),
}
