"""The plan's overrides, applied to laid-out objects."""

from collections.abc import Mapping

from gpuspec.manifests import InputError, Path, Place, Problem, format_path
from gpuspec.plan import Decision, Origin, OverridePlan, Plan
from gpuspec.render.layout import RenderedObject
from gpuspec.render.merge import DIRECTIVE, MergeError, MergeResult, PatchError, merge

# What makes an object that object; another one is another workload.
FIXED = ("apiVersion", "kind", DIRECTIVE)
IDENTITY = {
    "name": "the workload's `metadata.name`, or `run` for a Job",
    "namespace": "the workload's `metadata.namespace`",
}


def apply_overrides(plan: Plan, objects: list[RenderedObject]) -> None:
    """Change the objects in place; the origin of changed values is the override.

    Raises `InputError` with all problems of all overrides, and for overrides that match no object.
    """
    problems: list[Problem] = []
    beside = {f"{obj.template}.yaml.j2" for obj in plan.objects if obj.beside}
    for override in plan.overrides:
        matches = [
            obj
            for obj in objects
            if any(_matches(override, rendered_object, beside) for rendered_object in both(obj))
        ]
        if len(matches) != 1:
            problems.append(_no_match(plan, override, objects, len(matches)))
            continue
        try:
            apply_override(matches[0], override)
        except MergeError as error:
            for wrong in error.wrong:
                place = _place(plan, (*override.path, "patch", *wrong.path))
                text = f"override of {override.kind}: {wrong.message}"
                problems.append(Problem(text, place, wrong.hint))
    if problems:
        raise InputError(problems)


def both(rendered_object: RenderedObject) -> tuple[RenderedObject, ...]:
    """Return an object and the one that it wraps."""
    inner = rendered_object.wrapped()
    return (rendered_object,) if inner is None else (rendered_object, inner)


def apply_override(rendered_object: RenderedObject, override: OverridePlan) -> None:
    """Change an object, or the one that it wraps, depending on the override's kind.

    Raises `MergeError`.
    """
    inner = rendered_object.wrapped()
    if inner is None:
        _apply(rendered_object, override)
    elif inner.kind == override.kind:
        _apply(inner, override)
        rendered_object.put(inner)
    else:
        _refuse_inside(rendered_object, inner, override)
        _apply(rendered_object, override)


def _refuse_inside(
    rendered_object: RenderedObject, inner: RenderedObject, override: OverridePlan
) -> None:
    """Raise `MergeError` for a patch that would replace the wrapped object."""
    value: object = override.patch
    steps = [step for step in rendered_object.inside if isinstance(step, str)]
    path: Path = ()
    for step in steps:
        if not isinstance(value, Mapping) or step not in value:
            break
        value, path = value[step], (*path, step)
        if isinstance(value, list) or value is None:
            hint = f"write an override with kind: {inner.kind} instead"
            raise MergeError(
                [PatchError(f"`{format_path(path)}` contains the {inner.kind}", path, hint)]
            )


def _apply(rendered_object: RenderedObject, override: OverridePlan) -> None:
    fixed = [
        PatchError(
            f"`{field}` cannot be overridden", (field,), "overrides change fields of one object"
        )
        for field in FIXED
        if field in override.patch
    ]
    metadata = override.patch.get("metadata")
    fixed += [
        # Other objects refer to this one by them: selectors, scale targets, accounts.
        PatchError(
            f"`metadata.{field}` cannot be overridden", ("metadata", field), f"set {instead}"
        )
        for field, instead in IDENTITY.items()
        if isinstance(metadata, Mapping) and field in metadata
    ]
    if fixed:
        raise MergeError(fixed)
    merged = merge(rendered_object.value, override.patch)
    rendered_object.value = merged.value
    rendered_object.provenance = _provenance(rendered_object, merged, override)


def _provenance(
    rendered_object: RenderedObject, merged: MergeResult, override: OverridePlan
) -> dict[Path, Decision]:
    """Return the decisions of the merged object by path; changed values get the override's."""

    def decision(reason: str, source: Path) -> Decision:
        return Decision(None, reason, Origin("override", (*override.path, "patch", *source)))

    moved = {
        merged.follow(path): known_decision
        for path, known_decision in rendered_object.provenance.items()
    }
    changed = {path for path, _ in merged.changed}
    decisions = {
        path: known_decision
        for path, known_decision in moved.items()
        if path is not None and not any(path[:end] in changed for end in range(len(path) + 1))
    }
    for path, source in merged.shortened:
        decisions[path] = decision("the spec's override deletes an item", source)
    for path, source in merged.changed:
        is_present = rendered_object.value_at(path) is not None
        reason = "the spec's override" if is_present else "the spec's override deletes it"
        decisions[path] = decision(reason, source)
    return decisions


def _place(plan: Plan, path: Path) -> Place | None:
    return plan.resolution.place(Origin("override", path))


def _matches(override: OverridePlan, rendered_object: RenderedObject, beside: set[str]) -> bool:
    if override.name is None and rendered_object.template in beside:
        return False
    return rendered_object.kind == override.kind and override.name in (None, rendered_object.name)


def _no_match(
    plan: Plan, override: OverridePlan, objects: list[RenderedObject], match_count: int
) -> Problem:
    override_title = f"{override.kind} {override.name}" if override.name else override.kind
    available = ", ".join(rendered_object.title for obj in objects for rendered_object in both(obj))
    place = _place(plan, (*override.path, "kind"))
    if match_count:
        message = f"override of {override_title} matches {match_count} objects"
        return Problem(message, place, f"set its name; available: {available}")
    return Problem(
        f"override of {override_title} matches nothing", place, f"available: {available}"
    )
