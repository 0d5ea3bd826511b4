"""The targets, one file for each, and which of them carries a workload.

A target is imported when it is chosen: each file beside this one is one, under its own name.
"""

import os
from collections.abc import Callable
from functools import cache
from importlib import import_module

from gpuspec.manifests import InputError, Problem
from gpuspec.plan import Case, Leaf, Origin, Refusal, Refused
from gpuspec.plan.target import Choice, Intent, Target
from gpuspec.spec import BatchInferenceSpec, InferenceSpec
from gpuspec.spec.words import did_you_mean, either, shown

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
    "service": "a service",
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
        text = f"target {target.name} carries {carries}, and this is {WORDS[intent]}"
        others = [name for name in names() if intent in target_of(name).intents]
        hint = f"targets that carry {WORDS[intent]}: {', '.join(others)}"
        reason = Refused(text, case.place(leaf.origin), hint)
        raise Refusal(case.name, case.profile.name, [reason])
    if case.workers > 1 and target.ranks is None:
        text = (
            f"pods of target {target.name} do not find each other, and {case.workers} are to be one"
        )
        place = case.place(leaf.origin) or case.workload.place(case.workers_path or ("spec",))
        able = _able(intent, lambda one: one.ranks is not None)
        hint = f"targets that carry groups of pods: {able}"
        raise Refusal(case.name, case.profile.name, [Refused(text, place, hint)])
    if case.roles and target.beside is None:
        text = f"target {target.name} carries workers alone, and the spec has roles beside them"
        able = _able(intent, lambda one: one.beside is not None)
        hint = f"targets that carry roles: {able}"
        place = case.place(leaf.origin) or case.workload.place(("spec", "roles"))
        raise Refusal(case.name, case.profile.name, [Refused(text, place, hint)])
    return Choice(target, leaf)


def _able(intent: Intent, what: Callable[[Target], bool]) -> str:
    """The names of the targets that carry an intent and can do something."""
    targets = [target_of(name) for name in names()]
    return ", ".join(one.name for one in targets if intent in one.intents and what(one)) or "none"


def _named(case: Case, intent: Intent, asked: str | None) -> Leaf:
    """The name of the target, and who gave it."""
    if asked is not None:
        return Leaf(asked, "as the command line says", Origin("option", row=OPTION))
    if case.spec.target is not None:
        return Leaf(case.spec.target, "as the spec says", Origin("spec", ("spec", "target")))
    named: str | None = getattr(case.profile.spec.targets, intent)
    if named is not None:
        why = f"what the profile has for {WORDS[intent]}"
        return Leaf(named, why, Origin("profile", ("spec", "targets", intent)))
    name, why = DEFAULTS[intent]
    return Leaf(name, why, Origin("derived", row="target"))


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
    """A target by its name, which is its file's."""
    found: Target = import_module(f"gpuspec.targets.{name}").TARGET
    return found


@cache
def names() -> tuple[str, ...]:
    """The names of all targets."""
    files = (one.partition(".") for one in os.listdir(os.path.dirname(__file__)))  # noqa: PTH120, PTH208
    return tuple(sorted(name for name, _, end in files if end == "py" and name[0] != "_"))
