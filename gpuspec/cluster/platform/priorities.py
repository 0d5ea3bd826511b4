"""PriorityClasses: placeholders below all others, experiments below production."""

from typing import Any

from gpuspec.spec import Profile
from gpuspec.spec.profile import Priorities
from gpuspec.spec.rules.priorities import DEFAULT_VALUES, priority_value

# What each class is for, as `kubectl get priorityclass` shows it.
_ROLES = {
    "inference": "model servers",
    "training": "training and fine-tuning",
    "batch_inference": "batch inference",
    "placeholder": "slots kept warm for model servers, preempted first",
}
_PREEMPTS = "may preempt pods of lower priority"
_WAITS = "waits for free resources, and preempts no pod"


def priority_objects(profile: Profile) -> list[dict[str, Any]]:
    """Return a PriorityClass for each one in the profile with a value, by name.

    Only the class of model servers preempts: an experiment that evicts another, or a server, frees
    GPUs in the wrong order.
    """
    priorities = profile.spec.priorities
    serving = priorities.inference
    classes: list[dict[str, Any]] = []
    for name, description in sorted(_said(profile).items()):
        value = priority_value(priorities, name)
        if value is None:
            continue
        classes.append(
            {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": {"name": name},
                "value": value,
                "preemptionPolicy": "PreemptLowerPriority" if name == serving else "Never",
                "description": description,
            }
        )
    return classes


def priority_notes(profile: Profile) -> tuple[str, ...]:
    """Return the profile's PriorityClasses that are not created, with the reason."""
    priorities = profile.spec.priorities
    valueless = [
        name for name in sorted(_said(profile)) if priority_value(priorities, name) is None
    ]
    return tuple(
        f"PriorityClass {name} is not made: priorities.values has no value for it"
        for name in valueless
    )


def _said(profile: Profile) -> dict[str, str]:
    """Return every class by name, with its description."""
    priorities = profile.spec.priorities
    parts: dict[str, list[str]] = {}
    for role in DEFAULT_VALUES:
        if name := getattr(priorities, role):
            parts.setdefault(name, []).append(_ROLES[role])
    for said, name in priorities.names.items():
        if name not in parts:
            parts[name] = [f"the priority that specs call {said}"]
    return {name: "; ".join([*said, *_manner(priorities, name)]) for name, said in parts.items()}


def _manner(priorities: Priorities, name: str) -> list[str]:
    """Return how pods of a class with a role get their nodes."""
    if name == priorities.inference:
        return [_PREEMPTS]
    return [_WAITS] if name in (priorities.training, priorities.batch_inference) else []
