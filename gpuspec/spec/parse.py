"""From a YAML document to a typed model, or all its problems at once."""

from collections.abc import Iterator
from typing import Any

import msgspec

from gpuspec.manifests import InputError, Path, Problem, format_path
from gpuspec.spec.common import API_VERSION
from gpuspec.spec.profile import ClusterProfile
from gpuspec.spec.rules import profile_problems, workload_problems
from gpuspec.spec.text import Text
from gpuspec.spec.types import decode
from gpuspec.spec.workload import PROFILE_KIND, WORKLOAD_KINDS, Profile, Workload

ALL_KINDS = (*sorted(WORKLOAD_KINDS), PROFILE_KIND)


def is_ours(value: object) -> bool:
    """Whether a document claims to be gpuspec's, rightly or with a wrong version."""
    if not isinstance(value, dict):
        return False
    group = str(value.get("apiVersion", "")).split("/")[0]
    return group in ("gpuspec.dev", "gpuspec")


def parse_workload(document: Text) -> Workload:
    """The workload that a document states.

    Raises `InputError` with all problems, each at its line.
    """
    _check_head(document, tuple(WORKLOAD_KINDS), "a workload")
    kind = _kind(document)
    model = _convert(document, kind, WORKLOAD_KINDS[kind])
    workload = Workload(model, document)
    _raise_if(
        Problem(found.message, document.place(found.path), found.hint)
        for found in workload_problems(model)
    )
    return workload


def parse_profile(document: Text) -> Profile:
    """The cluster profile that a document states.

    Raises `InputError` with all problems, each at its line.
    """
    _check_head(document, (PROFILE_KIND,), "a cluster profile")
    model = _convert(document, PROFILE_KIND, ClusterProfile)
    _raise_if(
        Problem(found.message, document.place(found.path), found.hint)
        for found in profile_problems(model)
    )
    return Profile(model, document)


def _kind(document: Text) -> str:
    return str(document.value["kind"]) if isinstance(document.value, dict) else ""


def _check_head(document: Text, kinds: tuple[str, ...], what: str) -> None:
    value = document.value
    if not isinstance(value, dict):
        raise InputError(
            [
                Problem(
                    f"{what} is a mapping with apiVersion, kind, metadata and spec",
                    document.place(()),
                )
            ]
        )
    problems = []
    version, kind = value.get("apiVersion"), value.get("kind")
    if version != API_VERSION:
        said = f"`apiVersion` is {version!r}" if version else "`apiVersion` is missing"
        problems.append(
            Problem(said, document.place(("apiVersion",)), f"write apiVersion: {API_VERSION}")
        )
    if kind not in kinds:
        problems.append(_wrong_kind(document, kind, kinds, what))
    _raise_if(problems)


def _wrong_kind(document: Text, kind: object, kinds: tuple[str, ...], what: str) -> Problem:
    place = document.place(("kind",))
    choices = ", ".join(sorted(kinds))
    if kind is None:
        return Problem("`kind` is missing", place, f"{what} is one of: {choices}")
    if kind in ALL_KINDS:
        option = "-c/--cluster" if kind == PROFILE_KIND else "the command's arguments"
        return Problem(f"{kind} is not {what}", place, f"give it by {option}")
    from gpuspec.spec.errors import did_you_mean

    hint = did_you_mean(str(kind), kinds) or f"{what} is one of: {choices}"
    return Problem(f"unknown kind `{kind}`", place, hint)


def _convert(document: Text, kind: str, model: type[Any]) -> Any:
    problems = [
        Problem(f"`{format_path(path)}` has no value", document.place(path), "delete the key")
        for path in _nulls(document.value, ())
    ]
    try:
        converted = msgspec.convert(document.value, model, dec_hook=decode)
    except msgspec.ValidationError as error:
        from gpuspec.spec.errors import schema_problems

        problems += schema_problems(document, kind)
        if not problems:
            # The value has the right form but says nothing sensible; msgspec's own sentence.
            problems.append(Problem(str(error), document.place(())))
        converted = None
    _raise_if(problems)
    return converted


def _nulls(value: object, path: Path) -> Iterator[Path]:
    """Paths of explicit nulls. In an override's patch a null means deletion."""
    if isinstance(value, dict):
        for key, inner in value.items():
            here = (*path, key)
            if inner is None:
                yield here
            elif not (key == "patch" and path[:2] == ("spec", "overrides")):
                yield from _nulls(inner, here)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if inner is None:
                yield (*path, index)
            else:
                yield from _nulls(inner, (*path, index))


def _raise_if(problems: Iterator[Problem] | list[Problem]) -> None:
    found = list(problems)
    if found:
        found.sort(key=lambda p: (p.place.line, p.place.column) if p.place else (0, 0))
        raise InputError(found)
