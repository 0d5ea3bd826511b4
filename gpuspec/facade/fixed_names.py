"""Runs with a fixed name in a synced folder: a changed one could not be applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gpuspec.manifests import Problem
    from gpuspec.render import Rendering


def check_fixed(
    folder: Path, renderings: Iterable[Rendering], format: Literal["yaml", "json"] = "yaml"
) -> None:
    """Raise `InputError` for each run with a fixed name whose template differs from that in the
    folder.

    A sync would fail at that object, because the template of a Job cannot change. The names of
    other runs change with their template, or are changed by their author.
    """
    from gpuspec.manifests import InputError

    problems = [
        problem
        for rendering in renderings
        if getattr(rendering.resolution.spec, "fixed_name", False)
        and (problem := _of(folder, rendering, format))
    ]
    if problems:
        raise InputError(problems)


def _of(folder: Path, rendering: Rendering, format: Literal["yaml", "json"]) -> Problem | None:
    from gpuspec.diff.fields import differences
    from gpuspec.diff.immutable import is_refused, kept_field
    from gpuspec.manifests import Problem
    from gpuspec.render import object_files

    template = f"{rendering.plan.target.value}.yaml.j2"
    (rendered_object,) = (obj.value for obj in rendering.rendered if obj.template == template)
    (name,) = object_files([rendered_object], format)
    old = _object(folder / name)
    if old is None:
        return None
    group_kind = (
        str(rendered_object["apiVersion"]).rpartition("/")[0],
        str(rendered_object["kind"]),
    )
    immutable_fields = {
        kept_field(group_kind, raw): None
        for raw in differences(old, rendered_object)
        if is_refused(group_kind, raw, old, rendered_object)
    }
    if not immutable_fields:
        return None
    fields = " and ".join(f"`{field}`" for field in immutable_fields)
    return Problem(
        f"{folder / name} holds another {rendered_object['kind']} of this name: {fields} cannot be changed",
        rendering.resolution.workload.place(("spec", "fixedName")),
        f"delete {rendered_object['kind']} {rendering.plan.name.value} and the file, or write `run` instead of "
        "`fixedName`",
    )


def _object(path: Path) -> dict[str, Any] | None:
    """Return the object in a file. A file that gpuspec did not write is reported when the folder is
    written."""
    from gpuspec.manifests import InputError, read
    from gpuspec.render.contents import StrangeError, regular

    try:
        documents = read(regular(str(path)), str(path))
    except (OSError, StrangeError, InputError):
        return None
    value = documents[0].value if len(documents) == 1 else None
    return value if isinstance(value, dict) else None
