"""Specs to objects: loading, rendering, explaining and writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gpuspec.facade.profiles import load_profiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import Any, Literal

    from gpuspec.objects.needed import RequiredObject
    from gpuspec.plan import Explanation, Note
    from gpuspec.render import Rendering
    from gpuspec.render.compare import Differences
    from gpuspec.render.folder import FolderOutput as FolderFiles
    from gpuspec.render.folder import Written
    from gpuspec.spec import Profile, Workload


_ABSENT = object()


def load(*paths: str, settings: Iterable[str] = (), option: str = "--set") -> list[Workload]:
    """Return the workloads of files, folders and `-` (standard input).

    `settings` are `NAME:path=value` texts, typed and checked like the spec; `option` is their name
    in problems. Raises `InputError` with every problem of every document.
    """
    from gpuspec.spec import load_workloads

    return load_workloads(paths, tuple(settings), option)


def render(
    workload: Workload,
    profile: Profile | None = None,
    templates: Path | None = None,
    target: str | None = None,
) -> Rendering:
    """Return the Kubernetes objects of one workload on one profile (`generic` unless given).

    `templates` is a folder that shadows the shipped templates file by file; `target` names the API
    to use, and overrides spec and profile. Raises `InputError` for an invalid spec, override,
    template or target name, and for an override that weakens Pod Security without a reason;
    `Refusal` if the workload cannot run on the profile.
    """
    from gpuspec.plan import examine
    from gpuspec.render import Templates, compile_case, shipped_templates
    from gpuspec.spec.containers import Waivers

    template_set = shipped_templates() if templates is None else Templates(templates)
    rendering = compile_case(examine(workload, profile or load_profiles()[0]), template_set, target)
    # Imported only where it can be needed: start-up counts.
    if not (
        rendering.plan.overrides or templates or rendering.resolution.spec.waivers != Waivers()
    ):
        return rendering
    from gpuspec.facade.waivers import with_reasons

    return with_reasons(rendering)


def explain(
    workload: Workload,
    profile: Profile | None = None,
    templates: Path | None = None,
    target: str | None = None,
) -> tuple[list[Explanation], tuple[Note, ...]]:
    """Return all decisions behind the objects, and their notes. Raises as `render` does."""
    rendering = render(workload, profile, templates, target)
    return rendering.explanations(), rendering.notes


def explain_field(
    workload: Workload,
    field: tuple[str | int, ...],
    profile: Profile | None = None,
    templates: Path | None = None,
    target: str | None = None,
) -> tuple[list[Explanation], tuple[Note, ...]]:
    """Return the decisions that change if a field is removed from the document, and a note.

    `field` is its path in the document. If the spec requires the field, the map that contains it is
    removed instead; if that is the spec itself, the result is empty. Raises as `render` does.
    """
    from gpuspec.manifests import InputError, format_path
    from gpuspec.plan import Note, Origin, Refusal
    from gpuspec.spec.without import without

    explanations, _ = explain(workload, profile, templates, target)
    for size in range(len(field), 1, -1):
        try:
            rest, _ = explain(without(workload, field[:size]), profile, templates, target)
        except (InputError, Refusal):
            continue
        values = {(decision.object, decision.path): decision.value for decision in rest}
        differing = [
            explanation
            for explanation in explanations
            if values.get((explanation.object, explanation.path), _ABSENT) != explanation.value
            and not explanation.is_provenance
        ]
        path, absent = format_path(field), format_path(field[:size])
        if not differing:
            text = f"every value is the same without `{absent}`"
        elif path == absent:
            text = f"these values depend on `{path}` and on other fields: they differ without it"
        else:
            text = f"`{path}` is required: these values depend on `{absent}`"
        return differing, (Note(text, Origin("spec", field)),)
    return [], ()


def dump(objects: Iterable[dict[str, Any]], format: Literal["yaml", "json"] = "yaml") -> str:
    """Return objects as a YAML stream, or as JSON (several as a `v1` List).

    Raises `InputError` for two objects with one identity.
    """
    from gpuspec.manifests import write
    from gpuspec.render import check_identities

    object_list = list(objects)
    check_identities(object_list)
    return write(object_list, format)


def needed(renderings: Iterable[Rendering]) -> list[RequiredObject]:
    """Return the objects that must exist on the cluster before these are applied: they refer to
    them without containing them."""
    from gpuspec.objects.needed import needed as needed_of

    return needed_of(item for rendering in renderings for item in rendering.objects)


class Folder(NamedTuple):
    """One folder of rendered objects, for `write_folders` and `compare_folders`."""

    folder: Path
    objects: Iterable[dict[str, Any]]
    inputs: Iterable[str | Path]
    """The identity of the run: paths of specs, and texts such as the profile's name."""
    workloads: Sequence[str] = ()
    """The workload of each object, in their order; empty if unknown."""
    refused: tuple[str, ...] = ()
    """Workloads that are not rendered this time; files that an earlier run wrote for them stay."""
    profile: str = ""
    """The profile for which everything is rendered, by which other commands distinguish clusters.
    """


if TYPE_CHECKING:
    Output = Folder | tuple[Path, Iterable[dict[str, Any]], Iterable[str | Path]]


def write_folder(
    folder: Path,
    objects: Iterable[dict[str, Any]],
    inputs: Iterable[str | Path],
    format: Literal["yaml", "json"] = "yaml",
) -> Written:
    """Write one folder; see `write_folders`."""
    return write_folders([(folder, objects, inputs)], format)[0]


def write_folders(
    outputs: Iterable[Output],
    format: Literal["yaml", "json"] = "yaml",
) -> list[Written]:
    """Write folders, one file per object; files of an earlier run with the same inputs are
    replaced.

    Each output is a folder, its objects, and the inputs that identify the run: paths of specs, and
    texts such as the profile's name. Nothing is changed unless all can be written, and files of a
    `Folder`'s refused workloads never change. Raises `InputError` for two objects with one
    identity, a folder that cannot be written, or a file in the way.
    """
    from gpuspec.render.folder import write_folders as write_all

    return write_all([_files(Folder(*output), format) for output in outputs])


def compare_folders(
    outputs: Iterable[Output],
    format: Literal["yaml", "json"] = "yaml",
) -> list[Differences]:
    """Return the changes that `write_folders` would make for these outputs; nothing is written.

    Raises `InputError` for two objects with one identity, and for an unreadable record.
    """
    from gpuspec.render.compare import compare_folders as compare_all

    return compare_all([_files(Folder(*output), format) for output in outputs])


def _files(folder: Folder, format: Literal["yaml", "json"]) -> FolderFiles:
    """Return the files for a folder's objects. Raises `InputError` as `object_files` does."""
    from gpuspec.render import object_files
    from gpuspec.render.folder import FolderOutput

    files = object_files(folder.objects, format)
    workloads = dict(zip(files, folder.workloads, strict=True)) if folder.workloads else {}
    return FolderOutput(
        folder.folder, files, folder.inputs, workloads, folder.refused, folder.profile
    )


def schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of a kind: `Inference`, `ClusterProfile` …, or the `Configuration`.

    Raises `KeyError`.
    """
    from gpuspec.spec.schema import json_schema

    if kind == "Configuration":
        from gpuspec.settings.schema import json_schema as settings_schema

        return settings_schema()
    return json_schema(kind)


def target_names() -> tuple[str, ...]:
    """Return the names of the APIs that `target` accepts."""
    from gpuspec.targets import names

    return tuple(names())
