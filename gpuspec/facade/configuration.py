"""The configuration that applies to a command's paths, and the profile that it names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gpuspec.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpuspec.settings.config import FoundConfig
    from gpuspec.settings.read import Rules
    from gpuspec.spec import Profile


def configuration_of(
    paths: Sequence[str], file: str | None = None, stdin: str | None = None
) -> FoundConfig:
    """Return the nearest configuration above the first path, or above the working directory.

    `file` names another one; `stdin` is the path that standard input stands for. Raises
    `InputError` with every problem.
    """
    from gpuspec.settings.find import find, named

    first = paths[0] if paths else "."
    if first == "-" and stdin is not None:
        first = stdin
    if file is not None:
        return named(file, first, __version__, _rules)
    return find(first, __version__, _rules)


def with_schemas(found_config: FoundConfig, locations: Iterable[str] = ()) -> FoundConfig:
    """Return a configuration with its schema locations as templates; `locations` replace them.

    Raises `InputError` for an invalid location.
    """
    from msgspec.structs import replace

    places = tuple(locations) or found_config.schemas
    if not places:
        return found_config
    from gpuspec.validation.located.places import template_of

    return replace(found_config, schemas=tuple(map(template_of, places)))


def configured(configuration: FoundConfig) -> Profile | None:
    """Return the profile that a configuration names: a built-in one, or a file relative to its
    folder.

    Raises `InputError` for an invalid profile, and for a file with several.
    """
    name = configuration.config.profile
    if name is None:
        return None
    from pathlib import Path

    from gpuspec.facade.profiles import load_profiles, profile_names
    from gpuspec.manifests import InputError, Problem

    path = name if name in profile_names() else str(Path(configuration.folder, name))
    profiles = load_profiles(path)
    if len(profiles) > 1:
        message = (
            f"{configuration.file}: `profile` names {name}, which has {len(profiles)} profiles"
        )
        hint = f"name the file of one there, or pass all of them: -c {os.path.relpath(path)}"
        raise InputError([Problem(message, hint=hint)])
    return profiles[0]


def _rules() -> Rules:
    # Where there is no configuration, nobody needs the table of rules for it.
    from gpuspec.lint import rule_names

    return rule_names
