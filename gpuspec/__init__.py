"""gpuspec: typed GPU workload specs become Kubernetes objects that start.

The library's whole surface, one function for each thing a command does. Rooms are imported by the
function that needs them, so that importing the package costs nothing.
"""

from __future__ import annotations

import sys

from gpuspec.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Any, Literal

    from gpuspec.cluster.discover import Discovery
    from gpuspec.manifests import InputError, Place, Problem
    from gpuspec.plan import Decision, Note, Refusal
    from gpuspec.render import InternalError, Rendering, Written
    from gpuspec.spec import Profile, Workload

__all__ = [
    "Decision",
    "Discovery",
    "InputError",
    "InternalError",
    "Note",
    "Place",
    "Problem",
    "Profile",
    "Refusal",
    "Rendering",
    "Workload",
    "Written",
    "__version__",
    "discover",
    "dump",
    "explain",
    "load",
    "load_profiles",
    "profile_names",
    "render",
    "schema",
    "starter",
    "write_folder",
    "write_folders",
]

_TYPES = {
    "Decision": "plan",
    "Discovery": "cluster.discover",
    "InputError": "manifests",
    "InternalError": "render",
    "Note": "plan",
    "Place": "manifests",
    "Problem": "manifests",
    "Profile": "spec",
    "Refusal": "plan",
    "Rendering": "render",
    "Workload": "spec",
    "Written": "render",
}


class _Facade(type(sys)):  # type: ignore[misc]
    """The package, whose function `render` stays one when the room of that name is imported.

    Python puts an imported submodule into its package's namespace; rooms are reached by
    `from gpuspec.render import …`, which does not go through it.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in __all__ and isinstance(value, type(sys))):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Facade


def __getattr__(name: str) -> Any:
    """Types of the rooms, imported when they are first asked for."""
    if name in _TYPES:
        from importlib import import_module

        return getattr(import_module(f"gpuspec.{_TYPES[name]}"), name)
    raise AttributeError(f"module 'gpuspec' has no attribute {name!r}")


def load(*paths: str, settings: Iterable[str] = ()) -> list[Workload]:
    """The workloads of files, folders and `-` (standard input).

    `settings` are `NAME:path=value` texts, typed and checked like the spec. Raises `InputError`
    with every problem of every document.
    """
    from gpuspec.spec import load_workloads

    return load_workloads(paths, tuple(settings))


def load_profiles(*paths: str) -> list[Profile]:
    """The cluster profiles of files and folders, or built in; without a path, `generic`.

    Raises `InputError` with every problem: a path that is not there or holds no profile, two
    profiles of one name.
    """
    from pathlib import Path

    from gpuspec.cluster import GENERIC, preset
    from gpuspec.manifests import InputError, Problem
    from gpuspec.spec import load_profiles as read_profiles

    found: dict[str, Profile] = {}
    problems: list[Problem] = []
    built_in = profile_names()
    hint = f"give a file, a folder or a built-in name: {', '.join(built_in)}"
    for path in paths or (GENERIC,):
        if path not in built_in and path != "-" and not Path(path).exists():
            problems.append(Problem(f"{path}: no such file, folder or built-in profile", hint=hint))
            continue
        try:
            profiles = [preset(path)] if path in built_in else read_profiles([path])
        except InputError as error:
            problems += error.problems
            continue
        if not profiles:
            problems.append(Problem(f"{path}: no ClusterProfile here", hint=hint))
        for profile in profiles:
            if profile.name in found:
                text = f"two profiles are called `{profile.name}`"
                problems.append(Problem(text, profile.place(("metadata", "name"))))
            found[profile.name] = profile
    if problems:
        raise InputError(problems)
    return list(found.values())


def discover(path: str, name: str = "cluster") -> Discovery:
    """The profile of live nodes, as commented YAML, and what could not be told from them.

    `path` holds what `kubectl get nodes -o json` printed (with pods too, if wanted); `-` is standard
    input. Raises `InputError` when it holds no GPU node.
    """
    from gpuspec.cluster.discover import discover as profile_of
    from gpuspec.spec.files import content

    return profile_of(content(path), "<stdin>" if path == "-" else path, profile_name=name)


def profile_names() -> tuple[str, ...]:
    """The names of the built-in profiles."""
    from gpuspec.cluster import preset_names

    return preset_names()


def render(
    workload: Workload, profile: Profile | None = None, templates: Path | None = None
) -> Rendering:
    """The Kubernetes objects of one workload on one profile (`generic` unless given).

    `templates` is a folder that shadows the shipped templates file by file. Raises `InputError`
    when the spec, an override or a template is wrong, `Refusal` when the profile cannot carry the
    workload.
    """
    from gpuspec.plan import examine
    from gpuspec.render import Templates, compile_case, shipped_templates

    made = shipped_templates() if templates is None else Templates(templates)
    return compile_case(examine(workload, profile or load_profiles()[0]), made)


def explain(
    workload: Workload, profile: Profile | None = None, templates: Path | None = None
) -> tuple[list[Decision], tuple[Note, ...]]:
    """Every decision behind the objects, and the notes beside them. Raises as `render` does."""
    rendering = render(workload, profile, templates)
    return rendering.decisions(), rendering.notes


def dump(objects: Iterable[dict[str, Any]], format: Literal["yaml", "json"] = "yaml") -> str:
    """Objects as a YAML stream, or as JSON (several as a `v1` List).

    Raises `InputError` for two objects of one identity.
    """
    from gpuspec.manifests import write
    from gpuspec.render import check_identities

    made = list(objects)
    check_identities(made)
    return write(made, format)


def write_folder(
    folder: Path,
    objects: Iterable[dict[str, Any]],
    inputs: Iterable[str | Path],
    format: Literal["yaml", "json"] = "yaml",
) -> Written:
    """Write one folder; see `write_folders`."""
    return write_folders([(folder, objects, inputs)], format)[0]


def write_folders(
    outputs: Iterable[tuple[Path, Iterable[dict[str, Any]], Iterable[str | Path]]],
    format: Literal["yaml", "json"] = "yaml",
) -> list[Written]:
    """Write folders, one file per object; what an earlier run of the same inputs wrote is replaced.

    Each output is a folder, its objects, and the inputs that name the run: paths of specs, and
    texts such as the profile's name. Nothing is changed anywhere unless all can be written. Raises
    `InputError` for two objects of one identity, a folder that cannot be written, or a file in the
    way.
    """
    from gpuspec.render import Output, object_files
    from gpuspec.render import write_folders as write_all

    return write_all(
        Output(folder, object_files(objects, format), inputs) for folder, objects, inputs in outputs
    )


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of one kind: `Inference`, `ClusterProfile` … Raises `KeyError`."""
    from gpuspec.spec import json_schema

    return json_schema(kind)


def starter(name: str) -> str:
    """The text that `gpuspec init` prints for a kind. Raises `KeyError` for an unknown one."""
    from gpuspec.spec import starter as text_of

    return text_of(name)
