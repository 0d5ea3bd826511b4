"""The targets, one file for each, and which of them carries a workload.

A target is imported when it is chosen: each file beside this one is one, under its own name.
"""

import os
from collections.abc import Callable
from functools import cache
from importlib import import_module

from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import InputError, Path, Problem
from gpuspec.plan import Case, Leaf, Origin, Refusal, Refused
from gpuspec.plan.leaf import derived, from_profile, from_spec
from gpuspec.plan.target import Choice, Intent, Target
from gpuspec.spec import BatchInferenceSpec, InferenceSpec
from gpuspec.spec.disaggregation import PREFILL, prefill_of
from gpuspec.spec.words import either, shown

OPTION = "--target"
DEFAULTS: dict[Intent, tuple[str, str]] = {
    "gang": ("job", "a plain Job: no operator is required"),
    "shards": ("job", "finite work is a Job"),
    "schedule": ("cronjob", "finite work by a schedule is a CronJob"),
    "service": ("deployment", "continuous work is a Deployment"),
}
WORDS: dict[Intent, str] = {
    "gang": "pods that work together",
    "shards": "shards",
    "schedule": "shards by a schedule",
    "service": "services",
}


def choose(case: Case, asked: str | None = None) -> Choice:
    """The target of a workload: as asked, else the spec's, the profile's, or the one that is built in.

    Raises `InputError` for one that is not known, `Refusal` for one that is for other workloads.
    """
    intent = intent_of(case)
    leaf = _named(case, intent, asked)
    if leaf.value not in names():
        text = f"there is no target {shown(leaf.value)}"
        place = case.place(leaf.origin)
        if place is None:
            text = f"{OPTION}: {text}"
        hint = did_you_mean(leaf.value, names()) or f"targets: {', '.join(names())}"
        raise InputError([Problem(text, place, hint)])
    target = target_of(leaf.value)
    if intent not in target.intents:
        carries = either(WORDS[one] for one in target.intents)
        text = f"target {target.name} carries {carries}; {_what(case, intent)}"
        others = [name for name in names() if intent in target_of(name).intents]
        hint = f"targets that carry {WORDS[intent]}: {', '.join(others)}"
        reason = Refused(text, case.place(leaf.origin), hint)
        raise Refusal(case.name, case.profile.name, [reason])
    pods, field = _largest_group(case)
    if (intent == "gang" or pods > 1) and not _joins(target, intent):
        raise Refusal(case.name, case.profile.name, [_alone(case, intent, leaf, pods, field)])
    if (another := _started_by_another(case, intent, target, leaf)) is not None:
        raise Refusal(case.name, case.profile.name, [another])
    if case.roles and target.beside is None:
        able = _able(intent, lambda one: one.beside is not None)
        text = f"target {target.name} carries workers alone, and the spec has roles beside them"
        place = case.place(leaf.origin) or case.workload.place(("spec", "roles"))
        reason = Refused(text, place, f"targets that carry roles: {able}")
        raise Refusal(case.name, case.profile.name, [reason])
    if getattr(case.spec, "prefill", None) is not None and not target.disaggregates:
        able = _able(intent, lambda one: one.disaggregates)
        text = f"target {target.name} carries pods that all do the same, and the spec has `prefill`"
        place = case.place(leaf.origin) or case.workload.place(("spec", "prefill"))
        reason = Refused(text, place, f"targets that carry both: {able}")
        raise Refusal(case.name, case.profile.name, [reason])
    if case.wrapped and not target.wrapped:
        able = _able(intent, lambda one: one.wrapped)
        text = f"an AppWrapper does not see how a run of target {target.name} goes"
        reason = Refused(
            text, case.workload.place(("spec", "wrap")), f"targets that it wraps: {able}"
        )
        raise Refusal(case.name, case.profile.name, [reason])
    return Choice(target, leaf)


def _able(intent: Intent, what: Callable[[Target], bool]) -> str:
    """The names of the targets that carry an intent and can do something."""
    targets = [target_of(name) for name in names()]
    return ", ".join(one.name for one in targets if intent in one.intents and what(one)) or "none"


def _what(case: Case, intent: Intent) -> str:
    """What a workload is, in words and by the profile's name for it."""
    kind = case.workload.kind
    words = "a service" if intent == "service" else f"{WORDS[intent]} ({intent})"
    return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind} is {words}"


def _joins(target: Target, intent: Intent) -> bool:
    """Whether pods of a target find each other; of a service, also whether one is told to lead."""
    return target.ranks is not None and (intent == "gang" or len(target.roles) > 1)


def _largest_group(case: Case) -> tuple[int, Path]:
    """The most pods that must be one, and the field that says so."""
    spec, path = case.spec, case.workers_path or ("spec",)
    if isinstance(spec, InferenceSpec) and spec.prefill is not None:
        own = prefill_of(spec).nodes
        if own > spec.nodes:
            return own, (*PREFILL, "nodes")
    return case.workers, path


def _alone(case: Case, intent: Intent, leaf: Leaf, pods: int, path: Path) -> Refused:
    """Why a target that runs each pod by itself cannot carry several that must be one."""
    able = _able(intent, lambda one: _joins(one, intent))
    whole = (
        "workers find each other"
        if intent == "gang"
        else f"`nodes: {pods}` makes {pods} pods one replica"
    )
    text = f"target {leaf.value} runs each pod by itself, and {whole}"
    place = case.place(leaf.origin) or case.workload.place(path)
    return Refused(text, place, f"targets that carry groups of pods: {able}")


def _started_by_another(case: Case, intent: Intent, target: Target, leaf: Leaf) -> Refused | None:
    """Why a target does not start the workload's server; None where it does."""
    runtime = case.runtime
    if runtime.name in target.runtimes or not (target.runtimes or runtime.clustered):
        return None
    place = case.place(leaf.origin) or case.workload.place(("spec", "runtime"))
    if target.runtimes:
        text = (
            f"target {target.name} starts runtime {either(target.runtimes)}, and no {runtime.name}"
        )
        return Refused(text, place, f"write runtime: {target.runtimes[0]}, or another target")
    able = _able(intent, lambda one: runtime.name in one.runtimes)
    text = f"runtime {runtime.name} runs in a cluster, which target {target.name} does not make"
    return Refused(text, place, f"targets that make one: {able}")


def _named(case: Case, intent: Intent, asked: str | None) -> Leaf:
    """The name of the target, and who gave it."""
    if asked is not None:
        return Leaf(asked, "as the command line says", Origin("option", row=OPTION))
    if case.spec.target is not None:
        return from_spec(("spec", "target"), case.spec.target, "as the spec says")
    named: str | None = getattr(case.profile.spec.targets, intent)
    if named is not None:
        why = f"what the profile has for {WORDS[intent]}"
        return from_profile(("spec", "targets", intent), named, why)
    return derived("target", *DEFAULTS[intent])


def intent_of(case: Case) -> Intent:
    """What the pods of a workload are to each other."""
    match case.spec:
        case InferenceSpec():
            return "service"
        case BatchInferenceSpec() as spec:
            return "shards" if spec.schedule is None else "schedule"
        case _:
            return "gang"


def target_of(name: str) -> Target:
    """A target by its name, which is its file's, with `-` for `_`."""
    found: Target = import_module(f"gpuspec.targets.{name.replace('-', '_')}").TARGET
    return found


@cache
def names() -> tuple[str, ...]:
    """The names of all targets."""
    files = (one.partition(".") for one in os.listdir(os.path.dirname(__file__)))  # noqa: PTH120, PTH208
    found = (name.replace("_", "-") for name, _, end in files if end == "py" and name[0] != "_")
    return tuple(sorted(found))
