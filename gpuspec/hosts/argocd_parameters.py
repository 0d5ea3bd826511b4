"""The parameters of an Argo CD Application, out of the environment, and nothing taken on trust."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpuspec import Problem

LINT = ("fail", "annotate", "note")
"""What errors of the linter do: fail, become an annotation of the objects, or only a line in the log."""
KNOWN = (
    "parameters are `profile`, `specs`, `lint`, and fields of workloads such as chat:replicas.max"
)
_PREFIX = "ARGOCD_ENV_GPUSPEC_"
_LONGEST = 80


class ArgoParameters(msgspec.Struct):
    """What parameters say."""

    profile: str | None = None
    specs: list[str] = []
    settings: list[str] = []
    lint: str = "fail"


class Parameter(msgspec.Struct):
    """One of `ARGOCD_APP_PARAMETERS`; of the three forms, one is there."""

    name: str
    string: str | None = None
    array: list[str] | None = None
    map: dict[str, str] | None = None


def read_parameters(environ: Mapping[str, str], root: str) -> ArgoParameters:
    """Return what the parameters ask for; paths are seen from here and must stay below `root`.

    Raises `InputError` with all that is wrong.
    """
    from gpuspec import InputError, Problem

    argo_parameters = ArgoParameters()
    problems: list[Problem] = []
    parameters: dict[str, Parameter] = {}
    for parameter in _all(environ):
        if parameter.name in parameters:
            problems.append(Problem(f"parameter {_shown(parameter.name)} is given twice"))
        parameters[parameter.name] = parameter
    for name, parameter in parameters.items():
        problems += [
            Problem(text, hint=hint) for text, hint in _take(parameter, name, argo_parameters, root)
        ]
    if problems:
        raise InputError(problems)
    return argo_parameters


def _all(environ: Mapping[str, str]) -> list[Parameter]:
    """Return the Application's parameters, and what its `env` says of those that it does not
    set."""
    from gpuspec import InputError, Problem

    text = environ.get("ARGOCD_APP_PARAMETERS", "").strip() or "null"
    try:
        parameters = msgspec.json.decode(
            text.encode(errors="surrogateescape"), type=list[Parameter] | None
        )
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = "a list of {name, string | array | map}, every value a string"
        raise InputError([Problem(f"ARGOCD_APP_PARAMETERS: {error}", hint=hint)]) from None
    made = {parameter.name for parameter in parameters or ()}
    variables = sorted(name for name in environ if name.startswith(_PREFIX))
    names = {name: name.removeprefix(_PREFIX).lower() for name in variables}
    if wrong := [name for name, short in names.items() if short not in ("profile", "lint")]:
        hint = "`env` can say GPUSPEC_PROFILE and GPUSPEC_LINT; all else is a parameter"
        texts = [f"{_shown(name.removeprefix('ARGOCD_ENV_'))} means nothing here" for name in wrong]
        raise InputError([Problem(message, hint=hint) for message in texts])
    env = [Parameter(short, environ[name]) for name, short in names.items() if short not in made]
    return [*(parameters or ()), *env]


def _take(
    parameter: Parameter, name: str, argo_parameters: ArgoParameters, root: str
) -> Iterator[tuple[str, str | None]]:
    """Put a parameter where it belongs; what is wrong with it, and what to write instead."""
    form = "array" if name == "specs" else "string"
    value: Any = parameter.array if form == "array" else parameter.string
    others = [
        f for f in ("string", "array", "map") if f != form and getattr(parameter, f) is not None
    ]
    if name not in ("profile", "specs", "lint") and ":" not in name:
        yield f"no parameter {_shown(name)}", KNOWN
    elif value is None or others:
        yield f"parameter {_shown(name)} is given as `{form}`, and as nothing else", None
    elif ":" in name:
        yield from _setting(name, value, argo_parameters)
    elif name == "lint":
        argo_parameters.lint = value
        if value not in LINT:
            yield f"parameter `lint`: {_shown(value)} is not known", f"one of: {', '.join(LINT)}"
    elif name == "profile":
        argo_parameters.profile = value
        yield from _path(name, value, root)
    else:
        argo_parameters.specs = value
        if not value:
            yield "parameter `specs` names nothing", "leave it out for the Application's folder"
        for each in value:
            yield from _path(name, each, root)


def _setting(
    name: str, value: str, argo_parameters: ArgoParameters
) -> Iterator[tuple[str, str | None]]:
    workload, _, path = name.partition(":")
    # `=` ends the path of a setting, unless in quotes: the name of a parameter must not say more.
    if not re.fullmatch(r"[a-z0-9-]+", workload) or "=" in path or path.count('"') % 2:
        yield f"parameter {_shown(name)} is no field of a workload", "such as chat:replicas.max"
    argo_parameters.settings.append(f"{name}={value}")


def _path(name: str, value: str, root: str) -> Iterator[tuple[str, str | None]]:
    """Yield what is wrong with a file or folder; a profile may be a built-in one."""
    from gpuspec import profile_names

    if name == "profile" and value in profile_names():
        return
    hint = "a path within the repository, as seen from the Application's"
    try:
        real = os.path.realpath(value)
    except ValueError:  # what no path can hold
        yield f"parameter `{name}`: {_shown(value)} is no path", hint
        return
    if value in ("", "-"):
        yield f"parameter `{name}`: {_shown(value)} is no file or folder", hint
    elif os.path.commonpath([real, root]) != root:
        sent = "Argo CD sends the repository, or what `manifest-generate-paths` names of it"
        yield f"parameter `{name}`: {_shown(value)} leads out of the repository", sent


def _shown(text: str) -> str:
    return f"`{text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}`"
