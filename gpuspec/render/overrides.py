"""The plan's overrides, applied to laid-out objects."""

from gpuspec.manifests import InputError, Path, Place, Problem
from gpuspec.plan import Leaf, Origin, OverridePlan, Plan
from gpuspec.render.layout import Rendered
from gpuspec.render.merge import MergeError, merge

# What makes an object that object; another one is another workload.
FIXED = ("apiVersion", "kind")


def apply_overrides(plan: Plan, objects: list[Rendered]) -> None:
    """Change the objects in place; what changed points at the override from now on.

    Raises `InputError` with all overrides that match nothing or cannot be merged.
    """
    problems: list[Problem] = []
    for override in plan.overrides:
        matches = [made for made in objects if _matches(override, made)]
        if len(matches) != 1:
            problems.append(_no_match(plan, override, objects, len(matches)))
            continue
        try:
            _apply(matches[0], override)
        except MergeError as error:
            place = _place(plan, (*override.path, "patch", *error.path))
            problems.append(Problem(f"override of {override.kind}: {error.message}", place))
    if problems:
        raise InputError(problems)


def _place(plan: Plan, path: Path) -> Place | None:
    return plan.case.place(Origin("override", path))


def _matches(override: OverridePlan, made: Rendered) -> bool:
    name = made.value.get("metadata", {}).get("name")
    return made.value.get("kind") == override.kind and override.name in (None, name)


def _no_match(plan: Plan, override: OverridePlan, objects: list[Rendered], found: int) -> Problem:
    named = f"{override.kind} {override.name}" if override.name else override.kind
    there = ", ".join(f"{o.value['kind']} {o.value['metadata']['name']}" for o in objects)
    place = _place(plan, (*override.path, "kind"))
    if found:
        message = f"override of {named} matches {found} objects"
        return Problem(message, place, f"give its name; there are: {there}")
    return Problem(f"override of {named} matches nothing", place, f"there are: {there}")


def _apply(made: Rendered, override: OverridePlan) -> None:
    for field in FIXED:
        if field in override.patch:
            raise MergeError(f"`{field}` cannot be overridden", (field,))
    merged, changed = merge(made.value, override.patch)
    made.value = merged
    for where, origin in changed:
        for known in [path for path in made.provenance if path[: len(where)] == where]:
            del made.provenance[known]
        source = Origin("override", (*override.path, "patch", *origin))
        made.provenance[where] = Leaf(None, "the spec's override", source)
