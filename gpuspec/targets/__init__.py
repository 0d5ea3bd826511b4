"""The targets, one file for each, and which of them carries a workload.

A target is imported when it is chosen: each file beside this one is one, under its own name.
"""

import os
from importlib import import_module

from gpuspec.plan import Case, Leaf, Origin
from gpuspec.plan.target import Choice, Intent, Target
from gpuspec.spec import BatchInferenceSpec, InferenceSpec

DEFAULTS: dict[Intent, tuple[str, str]] = {
    "gang": ("job", "a plain Job: no operator is required"),
    "shards": ("job", "finite work is a Job"),
    "schedule": ("cronjob", "finite work by a schedule is a CronJob"),
    "service": ("deployment", "continuous work is a Deployment"),
}


def choose(case: Case) -> Choice:
    """The target of a workload."""
    name, why = DEFAULTS[intent_of(case)]
    return Choice(target_of(name), Leaf(name, why, Origin("derived", row="target")))


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


def names() -> tuple[str, ...]:
    """The names of all targets."""
    files = (entry.partition(".") for entry in os.listdir(os.path.dirname(__file__)))  # noqa: PTH120, PTH208
    return tuple(sorted(name for name, _, end in files if end == "py" and name[0] != "_"))
