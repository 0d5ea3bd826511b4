"""The place of a kind's schema: templates of paths, with kubeconform's variables."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from gpuspec.manifests import InputError, Problem

if TYPE_CHECKING:
    from gpuspec.validation.bundle import Kind

DEFAULT = "default"
"""Stands for the bundled schemas, as it does for kubeconform."""
LAYOUT = "{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json"
"""The place of a schema in a folder that is named without a template."""

_VARIABLE = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}")
_GROUP = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+")
_VERSION = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?")
_LONGEST = 253


def is_plain(kind: Kind) -> bool:
    """Return whether a custom kind has valid names: others name no file."""
    group, _, version = kind[0].rpartition("/")
    return (
        max(len(group), len(version), len(kind[1])) <= _LONGEST
        and _GROUP.fullmatch(group) is not None
        and _VERSION.fullmatch(version) is not None
        and _NAME.fullmatch(kind[1]) is not None
    )


def is_plain_folder(location: str) -> bool:
    """Return whether a location is a folder with a place for each kind, not a template."""
    return "{{" not in location and "://" not in location and not location.endswith("json")


def place(template: str, kind: Kind, kubernetes: str) -> str:
    """Return a template's file for a kind for which `is_plain` is true."""
    variables = _variables(kind, kubernetes)
    return _VARIABLE.sub(lambda match: variables[match[1].removeprefix(".")], template)


def template_of(location: str) -> str:
    """Return the template of a location as the user writes it.

    Raises `InputError` for a URL, a template with unknown variables, and a folder that does not
    exist.
    """
    if location == DEFAULT:
        return DEFAULT
    if not location:
        raise InputError([Problem("a location of schemas cannot be empty")])
    if "://" in location:
        message = f"{location}: schemas are only read from files"
        hint = (
            "download them into a folder and name the folder, or run `gpuspec schema add CRD.yaml`"
        )
        raise InputError([Problem(message, hint=hint)])
    known_variables = [f".{name}" for name in _variables(("example.com/v1", "Kind"), "1")]
    for name in _VARIABLE.findall(location):
        if name not in known_variables:
            message = f"{location}: the template has no variable `{name}`"
            raise InputError([Problem(message, hint=f"write one of: {', '.join(known_variables)}")])
    is_template = location.endswith("json")
    fixed, braces, _ = location.partition("{{")
    _check_folder(location, os.path.dirname(fixed) if is_template or braces else location)
    return location if is_template else os.path.join(location, LAYOUT)


def _check_folder(location: str, folder: str) -> None:
    """Raise `InputError` if the folder that a location begins with does not exist."""
    if folder and not os.path.isdir(folder):
        message = "no such folder" if folder == location else f"the folder {folder} does not exist"
        hint = f"to make it: gpuspec schema add CRD.yaml -o {folder}"
        raise InputError([Problem(f"{location}: {message}", hint=hint)])


def _variables(kind: Kind, kubernetes: str) -> dict[str, str]:
    group, _, version = kind[0].rpartition("/")
    return {
        "Group": group,
        "ResourceKind": kind[1].lower(),
        "ResourceAPIVersion": version,
        "KindSuffix": f"-{group.partition('.')[0]}-{version}",
        "NormalizedKubernetesVersion": f"v{kubernetes}.0",
        "StrictSuffix": "-strict",
    }
