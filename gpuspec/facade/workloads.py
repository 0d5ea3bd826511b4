"""Specs to objects: what is rendered, explained, written."""

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

    `settings` are `NAME:path=value` texts, typed and checked like the spec; `option` is what problems
    call them. Raises `InputError` with every problem of every document.
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
    that carries it, whatever spec and profile say. Raises `InputError` when the spec, an override, a
    template or the target's name is wrong, or an override takes away from Pod Security without a
    reason, `Refusal` when the profile cannot carry the workload.
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
    """Return every decision behind the objects, and the notes beside them. Raises as `render`
    does."""
    rendering = render(workload, profile, templates, target)
    return rendering.explanations(), rendering.notes


def explain_field(
    workload: Workload,
    field: tuple[str | int, ...],
    profile: Profile | None = None,
    templates: Path | None = None,
    target: str | None = None,
) -> tuple[list[Explanation], tuple[Note, ...]]:
    """Return the decisions that differ once the document lacks a field, and a note that says so.

    `field` is its path in the document. The spec may require it: then those that differ without what
    holds it; none and no note where that is the spec itself. Raises as `render` does.
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

    Raises `InputError` for two objects of one identity.
    """
    from gpuspec.manifests import write
    from gpuspec.render import check_identities

    object_list = list(objects)
    check_identities(object_list)
    return write(object_list, format)


def needed(renderings: Iterable[Rendering]) -> list[RequiredObject]:
    """Return what must be on the cluster before these are: what they name and do not bring with
    them."""
    from gpuspec.objects.needed import needed as needed_of

    return needed_of(item for rendering in renderings for item in rendering.objects)


class Folder(NamedTuple):
    """One folder of rendered objects, for `write_folders` and `compare_folders`."""

    folder: Path
    objects: Iterable[dict[str, Any]]
    inputs: Iterable[str | Path]
    """What names the run: paths of specs, and texts such as the profile's name."""
    workloads: Sequence[str] = ()
    """The workload that each object is made for, in their order; none where that is not known."""
    refused: tuple[str, ...] = ()
    """Workloads that are not rendered this time: what an earlier run wrote for them stays."""
    profile: str = ""
    """The profile that all of it is rendered for: how other commands tell clusters apart."""


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
    """Write folders, one file per object; what an earlier run of the same inputs wrote is replaced.

    Each output is a folder, its objects, and the inputs that name the run: paths of specs, and
    texts such as the profile's name. Nothing is changed anywhere unless all can be written, and
    nothing at all of what a `Folder` says is refused. Raises `InputError` for two objects of one identity, a folder that cannot be written, or a file in the
    way.
    """
    from gpuspec.render.folder import write_folders as write_all

    return write_all([_files(Folder(*output), format) for output in outputs])


def compare_folders(
    outputs: Iterable[Output],
    format: Literal["yaml", "json"] = "yaml",
) -> list[Differences]:
    """Return what `write_folders` would do to the folders of these outputs; nothing is written.

    Raises `InputError` for two objects of one identity and a record that cannot be read.
    """
    from gpuspec.render.compare import compare_folders as compare_all

    return compare_all([_files(Folder(*output), format) for output in outputs])


def _files(folder: Folder, format: Literal["yaml", "json"]) -> FolderFiles:
    """Return a folder's objects as the files that they become. Raises `InputError` as
    `object_files` does."""
    from gpuspec.render import object_files
    from gpuspec.render.folder import FolderOutput

    files = object_files(folder.objects, format)
    workloads = dict(zip(files, folder.workloads, strict=True)) if folder.workloads else {}
    return FolderOutput(
        folder.folder, files, folder.inputs, workloads, folder.refused, folder.profile
    )


def schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of one kind: `Inference`, `ClusterProfile` …, or of the
    `Configuration`.

    Raises `KeyError`.
    """
    from gpuspec.spec.schema import json_schema

    if kind == "Configuration":
        from gpuspec.settings.schema import json_schema as settings_schema

        return settings_schema()
    return json_schema(kind)


def target_names() -> tuple[str, ...]:
    """Return the APIs that can carry workloads, as `target` names them."""
    from gpuspec.targets import names

    return tuple(names())
