"""The parameters of an Argo CD Application, from the environment, with every value checked."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpuspec import Problem

LINT = ("fail", "annotate", "note")
"""What errors of the linter do: fail the run, become annotations of the objects, or only appear in
the log.
"""
KNOWN = (
    "parameters are `profile`, `specs`, `lint`, and fields of workloads such as chat:replicas.max"
)
_PREFIX = "ARGOCD_ENV_GPUSPEC_"
_LONGEST = 80


class ArgoParameters(msgspec.Struct):
    """The values of the parameters."""

    profile: str | None = None
    specs: list[str] = []
    settings: list[str] = []
    lint: str = "fail"


class Parameter(msgspec.Struct):
    """One of `ARGOCD_APP_PARAMETERS`; exactly one of its three forms is set."""

    name: str
    string: str | None = None
    array: list[str] | None = None
    map: dict[str, str] | None = None


def read_parameters(environ: Mapping[str, str], root: str) -> ArgoParameters:
    """Return the request in the parameters; paths are relative to here and must stay below `root`.

    Raises `InputError` with all faults.
    """
    from gpuspec import InputError, Problem

    argo_parameters = ArgoParameters()
    problems: list[Problem] = []
    parameters: dict[str, Parameter] = {}
    for parameter in _all(environ):
        if parameter.name in parameters:
            problems.append(Problem(f"parameter {_shown(parameter.name)} is set twice"))
        parameters[parameter.name] = parameter
    for name, parameter in parameters.items():
        problems += [
            Problem(text, hint=hint) for text, hint in _take(parameter, name, argo_parameters, root)
        ]
    if problems:
        raise InputError(problems)
    return argo_parameters


def _all(environ: Mapping[str, str]) -> list[Parameter]:
    """Return the Application's parameters, with values from its `env` for those that are not set."""
    from gpuspec import InputError, Problem

    text = environ.get("ARGOCD_APP_PARAMETERS", "").strip() or "null"
    try:
        parameters = msgspec.json.decode(
            text.encode(errors="surrogateescape"), type=list[Parameter] | None
        )
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = "a list of {name, string | array | map}, every value a string"
        raise InputError([Problem(f"ARGOCD_APP_PARAMETERS: {error}", hint=hint)]) from None
    names_set = {parameter.name for parameter in parameters or ()}
    variables = sorted(name for name in environ if name.startswith(_PREFIX))
    names = {name: name.removeprefix(_PREFIX).lower() for name in variables}
    if wrong := [name for name, short in names.items() if short not in ("profile", "lint")]:
        hint = "`env` can only have GPUSPEC_PROFILE and GPUSPEC_LINT; set all others as parameters"
        texts = [f"unknown variable {_shown(name.removeprefix('ARGOCD_ENV_'))}" for name in wrong]
        raise InputError([Problem(message, hint=hint) for message in texts])
    env = [
        Parameter(short, environ[name]) for name, short in names.items() if short not in names_set
    ]
    return [*(parameters or ()), *env]


def _take(
    parameter: Parameter, name: str, argo_parameters: ArgoParameters, root: str
) -> Iterator[tuple[str, str | None]]:
    """Set a parameter; returns its fault, and what to write instead."""
    form = "array" if name == "specs" else "string"
    value: Any = parameter.array if form == "array" else parameter.string
    others = [
        f for f in ("string", "array", "map") if f != form and getattr(parameter, f) is not None
    ]
    if name not in ("profile", "specs", "lint") and ":" not in name:
        yield f"unknown parameter {_shown(name)}", KNOWN
    elif value is None or others:
        yield f"parameter {_shown(name)} must have the form `{form}`", None
    elif ":" in name:
        yield from _setting(name, value, argo_parameters)
    elif name == "lint":
        argo_parameters.lint = value
        if value not in LINT:
            yield f"parameter `lint`: unknown value {_shown(value)}", f"one of: {', '.join(LINT)}"
    elif name == "profile":
        argo_parameters.profile = value
        yield from _path(name, value, root)
    else:
        argo_parameters.specs = value
        if not value:
            yield "parameter `specs` is empty", "omit it for the Application's folder"
        for item in value:
            yield from _path(name, item, root)


def _setting(
    name: str, value: str, argo_parameters: ArgoParameters
) -> Iterator[tuple[str, str | None]]:
    workload, _, path = name.partition(":")
    # `=` ends the path of a setting, unless in quotes: the name of a parameter must not say more.
    if not re.fullmatch(r"[a-z0-9-]+", workload) or "=" in path or path.count('"') % 2:
        yield f"parameter {_shown(name)} is not a field of a workload", "such as chat:replicas.max"
    argo_parameters.settings.append(f"{name}={value}")


def _path(name: str, value: str, root: str) -> Iterator[tuple[str, str | None]]:
    """Yield the faults of a file or folder; a profile may be a built-in one."""
    from gpuspec import profile_names

    if name == "profile" and value in profile_names():
        return
    hint = "a path within the repository, relative to the Application's"
    try:
        real = os.path.realpath(value)
    except ValueError:  # what no path can hold
        yield f"parameter `{name}`: {_shown(value)} is not a path", hint
        return
    if value in ("", "-"):
        yield f"parameter `{name}`: {_shown(value)} does not exist", hint
    elif os.path.commonpath([real, root]) != root:
        sent = "Argo CD sends the repository, or only the paths of `manifest-generate-paths`"
        yield f"parameter `{name}`: {_shown(value)} leads out of the repository", sent


def _shown(text: str) -> str:
    return f"`{text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}`"
