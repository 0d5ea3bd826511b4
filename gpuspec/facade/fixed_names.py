"""Runs of a fixed name in a folder that is synced: a changed one could not be applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gpuspec.manifests import Problem
    from gpuspec.render import Rendering


def check_fixed(
    folder: Path, renderings: Iterable[Rendering], format: Literal["yaml", "json"] = "yaml"
) -> None:
    """Raise `InputError` for each run of a fixed name of which the folder holds another template.

    A sync would be refused at that object, since nothing changes a Job. Other runs have a name that
    changes with their template, or one that their author changes.
    """
    from gpuspec.manifests import InputError

    problems = [
        problem
        for one in renderings
        if getattr(one.case.spec, "fixed_name", False)
        for problem in _of(folder, one, format)
    ]
    if problems:
        raise InputError(problems)


def _of(folder: Path, one: Rendering, format: Literal["yaml", "json"]) -> Iterable[Problem]:
    from gpuspec.diff.fields import differences
    from gpuspec.diff.immutable import is_refused, kept_field
    from gpuspec.manifests import InputError, Problem, read
    from gpuspec.render import object_files

    target = one.plan.target.value
    objects = [made.value for made in one.rendered if made.template == f"{target}.yaml.j2"]
    for name in object_files(objects, format):
        path = folder / name
        try:
            ((document,), (made,)) = read(path.read_bytes(), str(path)), objects
        except (OSError, InputError, ValueError):
            # What is no file of ours is said where the folder is written.
            continue
        old = document.value
        if not isinstance(old, dict):
            continue
        what = (str(made["apiVersion"]).rpartition("/")[0], str(made["kind"]))
        kept = {
            kept_field(what, raw): None
            for raw in differences(old, made)
            if is_refused(what, raw, old, made)
        }
        if kept:
            fields = " and ".join(f"`{field}`" for field in kept)
            yield Problem(
                f"{path} holds another {made['kind']} of this name: {fields} cannot be changed",
                one.case.workload.place(("spec", "fixedName")),
                f"delete {made['kind']} {one.plan.name.value} and the file, or write `run` instead of "
                "`fixedName`",
            )
