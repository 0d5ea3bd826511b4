"""Rules for the PriorityClasses of a profile: their roles and the order of their values."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import Path
from gpuspec.spec.profile import Priorities
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation, camel

# The value of a class by what it is for, where the profile gives none. Far apart, so that other
# classes fit between; far below Kubernetes' own, of two billion. Cluster Autoscaler adds no node
# for a pod below -10 (--expendable-pods-priority-cutoff), so that placeholders are just not that.
DEFAULT_VALUES: Mapping[str, int] = MappingProxyType(
    {"inference": 100_000, "training": 10_000, "batch_inference": 10_000, "placeholder": -10}
)
_SYSTEM = "system-"
_PATH: Path = ("spec", "priorities")


def priority_value(priorities: Priorities, name: str) -> int | None:
    """Return the value of a PriorityClass by its name; None if it has neither a role nor a value."""
    if name in priorities.values:
        return priorities.values[name]
    roles = (role for role in DEFAULT_VALUES if getattr(priorities, role) == name)
    return max((DEFAULT_VALUES[role] for role in roles), default=None)


def problems(priorities: Priorities) -> Iterator[SpecViolation]:
    """Yield violations of the rules for the priorities."""
    names_by_path = dict(_named(priorities))
    for path, name in names_by_path.items():
        if name.startswith(_SYSTEM):
            hint = "Kubernetes reserves those names: choose another"
            yield SpecViolation(f"PriorityClass {shown(name)}", path, hint)
    for name in priorities.values:
        if name not in names_by_path.values():
            hint = (
                did_you_mean(name, names_by_path.values()) or "name it in a field beside `values`"
            )
            message = f"no priority is named {shown(name)}"
            yield SpecViolation(message, (*_PATH, "values", name), hint, key=True, needs=(_PATH,))
    yield from _order(priorities, names_by_path)


def _named(priorities: Priorities) -> Iterator[tuple[Path, str]]:
    for role in DEFAULT_VALUES:
        if name := getattr(priorities, role):
            yield (*_PATH, camel(role)), name
    for priority_key, name in priorities.names.items():
        yield (*_PATH, "names", priority_key), name


def _order(priorities: Priorities, names_by_path: Mapping[Path, str]) -> Iterator[SpecViolation]:
    """Check that placeholders are below all other priorities, and experiments below production."""
    least = priorities.placeholder
    shared = [
        path for path, name in names_by_path.items() if name == least and path[-1] != "placeholder"
    ]
    for path in shared:
        message = f"{least} is also the placeholders' class"
        yield SpecViolation(
            message, path, "placeholders must have a lower priority", needs=(_PATH,)
        )
    floor = None if least is None or shared else priority_value(priorities, least)
    if least is not None and floor is not None and floor >= 0:
        message = f"the placeholders' {least} of {floor} is not negative"
        hint = "pods without a class have 0, and must be able to preempt placeholders"
        yield SpecViolation(message, (*_PATH, "values", least), hint, needs=(_PATH,))
        return
    for path, name in names_by_path.items():
        value = priority_value(priorities, name)
        if path[-1] == "placeholder" or floor is None or value is None:
            continue
        if value <= floor:
            message = f"{name} of {value} is not above the placeholders' {least} of {floor}"
            yield SpecViolation(
                message, path, "placeholders must have a lower priority", needs=(_PATH,)
            )
    serving = priorities.inference
    top = None if serving is None else priority_value(priorities, serving)
    for role in ("training", "batch_inference"):
        name = getattr(priorities, role)
        value = None if name is None else priority_value(priorities, name)
        if name not in (None, serving) and value is not None and top is not None and value >= top:
            message = f"{name} of {value} is not below {serving} of {top}, the class of inference"
            hint = "an experiment could keep a server from its GPUs"
            yield SpecViolation(message, (*_PATH, camel(role)), hint, needs=(_PATH,))
