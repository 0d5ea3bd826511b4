"""The targets, one file for each, and the choice of one for a workload.

A target is imported when it is chosen: each public file of this package is one target, under its
own name.
"""

import os
from collections.abc import Callable
from functools import cache
from importlib import import_module

from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import InputError, Path, Problem
from gpuspec.plan import Decision, Origin, Refusal, RefusalReason, Resolution
from gpuspec.plan.decision import derived, from_profile, from_spec
from gpuspec.plan.target import ChosenTarget, Intent, Target
from gpuspec.spec import BatchInferenceSpec, InferenceSpec
from gpuspec.spec.disaggregation import PREFILL, prefill_of
from gpuspec.spec.quoting import either, shown

OPTION = "--target"
DEFAULTS: dict[Intent, tuple[str, str]] = {
    "gang": ("job", "a plain Job: no operator is required"),
    "shards": ("job", "finite work is a Job"),
    "schedule": ("cronjob", "scheduled finite work is a CronJob"),
    "service": ("deployment", "continuous work is a Deployment"),
}
WORDS: dict[Intent, str] = {
    "gang": "pods that work together",
    "shards": "shards",
    "schedule": "scheduled shards",
    "service": "services",
}


def choose(resolution: Resolution, requested: str | None = None) -> ChosenTarget:
    """Return the target of a workload: the requested one, else the spec's, the profile's, or the
    built-in default.

    Raises `InputError` for an unknown target, `Refusal` for a target that does not support the
    workload.
    """
    intent = intent_of(resolution)
    decision = _named(resolution, intent, requested)
    if decision.value not in names():
        text = f"unknown target {shown(decision.value)}"
        place = resolution.place(decision.origin)
        if place is None:
            text = f"{OPTION}: {text}"
        hint = did_you_mean(decision.value, names()) or f"targets: {', '.join(names())}"
        raise InputError([Problem(text, place, hint)])
    target = target_of(decision.value)
    if intent not in target.intents:
        carries = either(WORDS[target_intent] for target_intent in target.intents)
        text = f"target {target.name} supports only {carries}; {_what(resolution, intent)}"
        others = [name for name in names() if intent in target_of(name).intents]
        hint = f"targets that support {WORDS[intent]}: {', '.join(others)}"
        reason = RefusalReason(text, resolution.place(decision.origin), hint)
        raise Refusal(resolution.name, resolution.profile.name, [reason])
    pods, field = _largest_group(resolution)
    if (intent == "gang" or pods > 1) and not _joins(target, intent):
        raise Refusal(
            resolution.name,
            resolution.profile.name,
            [_alone(resolution, intent, decision, pods, field)],
        )
    if (another := _started_by_another(resolution, intent, target, decision)) is not None:
        raise Refusal(resolution.name, resolution.profile.name, [another])
    if resolution.roles and target.beside is None:
        able = _able(intent, lambda candidate: candidate.beside is not None)
        text = f"target {target.name} supports only workers, but the spec has other roles too"
        place = resolution.place(decision.origin) or resolution.workload.place(("spec", "roles"))
        reason = RefusalReason(text, place, f"targets that support roles: {able}")
        raise Refusal(resolution.name, resolution.profile.name, [reason])
    if getattr(resolution.spec, "prefill", None) is not None and not target.disaggregates:
        able = _able(intent, lambda candidate: candidate.disaggregates)
        text = f"target {target.name} does not support `prefill`: all its pods do the same"
        place = resolution.place(decision.origin) or resolution.workload.place(("spec", "prefill"))
        reason = RefusalReason(text, place, f"targets that support `prefill`: {able}")
        raise Refusal(resolution.name, resolution.profile.name, [reason])
    if resolution.wrapped and not target.wrapped:
        able = _able(intent, lambda candidate: candidate.wrapped)
        text = f"an AppWrapper cannot read the status of target {target.name}"
        reason = RefusalReason(
            text,
            resolution.workload.place(("spec", "wrap")),
            f"targets that an AppWrapper can wrap: {able}",
        )
        raise Refusal(resolution.name, resolution.profile.name, [reason])
    return ChosenTarget(target, decision)


def _able(intent: Intent, passes: Callable[[Target], bool]) -> str:
    """Return the names of the targets that support an intent and pass a test."""
    targets = [target_of(name) for name in names()]
    return (
        ", ".join(target.name for target in targets if intent in target.intents and passes(target))
        or "none"
    )


def _what(resolution: Resolution, intent: Intent) -> str:
    """Return the workload's kind and intent, with the intent's name in a profile."""
    kind = resolution.workload.kind
    words = "a service" if intent == "service" else f"{WORDS[intent]} ({intent})"
    return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind} is {words}"


def _joins(target: Target, intent: Intent) -> bool:
    """Return whether pods of a target find each other; of a service, also whether one leads."""
    return target.ranks is not None and (intent == "gang" or len(target.roles) > 1)


def _largest_group(resolution: Resolution) -> tuple[int, Path]:
    """Return the number of pods in the largest group, and the field that sets it."""
    spec, path = resolution.spec, resolution.workers_path or ("spec",)
    if isinstance(spec, InferenceSpec) and spec.prefill is not None:
        nodes = prefill_of(spec).nodes
        if nodes > spec.nodes:
            return nodes, (*PREFILL, "nodes")
    return resolution.workers, path


def _alone(
    resolution: Resolution, intent: Intent, decision: Decision, pods: int, path: Path
) -> RefusalReason:
    """Return the refusal of a target that runs each pod by itself, for a workload of groups."""
    able = _able(intent, lambda target: _joins(target, intent))
    whole = (
        "the workers must find each other"
        if intent == "gang"
        else f"`nodes: {pods}` makes one replica of {pods} pods"
    )
    text = f"target {decision.value} runs each pod by itself, but {whole}"
    place = resolution.place(decision.origin) or resolution.workload.place(path)
    return RefusalReason(text, place, f"targets that support groups of pods: {able}")


def _started_by_another(
    resolution: Resolution, intent: Intent, target: Target, decision: Decision
) -> RefusalReason | None:
    """Return why a target does not start the workload's server; None where it does."""
    runtime = resolution.runtime
    if runtime.name in target.runtimes or not (target.runtimes or runtime.clustered):
        return None
    place = resolution.place(decision.origin) or resolution.workload.place(("spec", "runtime"))
    if target.runtimes:
        text = (
            f"target {target.name} starts only runtime {either(target.runtimes)}, not "
            f"{runtime.name}"
        )
        return RefusalReason(text, place, f"write runtime: {target.runtimes[0]}, or another target")
    able = _able(intent, lambda candidate: runtime.name in candidate.runtimes)
    text = f"runtime {runtime.name} needs a Ray cluster, which target {target.name} does not create"
    return RefusalReason(text, place, f"targets that create one: {able}")


def _named(resolution: Resolution, intent: Intent, requested: str | None) -> Decision:
    """Return the name of the target, and who gave it."""
    if requested is not None:
        return Decision(requested, "from the command line", Origin("option", row=OPTION))
    if resolution.spec.target is not None:
        return from_spec(("spec", "target"), resolution.spec.target, "as the spec says")
    profile_target: str | None = getattr(resolution.profile.spec.targets, intent)
    if profile_target is not None:
        why = f"the profile's target for {WORDS[intent]}"
        return from_profile(("spec", "targets", intent), profile_target, why)
    return derived("target", *DEFAULTS[intent])


def intent_of(resolution: Resolution) -> Intent:
    """Return how the pods of a workload depend on each other."""
    match resolution.spec:
        case InferenceSpec():
            return "service"
        case BatchInferenceSpec() as spec:
            return "shards" if spec.schedule is None else "schedule"
        case _:
            return "gang"


def target_of(name: str) -> Target:
    """Return a target by its name, which is its file's, with `-` for `_`."""
    target: Target = import_module(f"gpuspec.targets.{name.replace('-', '_')}").TARGET
    return target


@cache
def names() -> tuple[str, ...]:
    """Return the names of all targets."""
    files = (file_name.partition(".") for file_name in os.listdir(os.path.dirname(__file__)))
    target_names = (
        name.replace("_", "-") for name, _, end in files if end == "py" and name[0] != "_"
    )
    return tuple(sorted(target_names))
