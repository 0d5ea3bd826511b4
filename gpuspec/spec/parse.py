"""From a YAML document to a typed model, or all its problems at once."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec

from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import InputError, Path, Problem, format_path
from gpuspec.manifests.limits import MAX_PROBLEMS
from gpuspec.spec.extends import extended
from gpuspec.spec.metadata import API_VERSION
from gpuspec.spec.profile import ClusterProfile
from gpuspec.spec.quoting import either, shown
from gpuspec.spec.rules import SpecViolation, profile_problems, workload_problems
from gpuspec.spec.text import SpecText
from gpuspec.spec.types import decode
from gpuspec.spec.workload import PROFILE_KIND, WORKLOAD_KINDS, Profile, Workload

ALL_KINDS = (*sorted(WORKLOAD_KINDS), PROFILE_KIND)

Rules = Callable[[Any], Iterable[SpecViolation]]


def is_ours(value: object) -> bool:
    """Return whether a document appears to be gpuspec's: its API group resembles ours, or its kind
    is one of ours."""
    if not isinstance(value, dict):
        return False
    version = value.get("apiVersion")
    if version is None:
        return value.get("kind") in ALL_KINDS
    return isinstance(version, str) and version.startswith("gpuspec")


def parse_workload(document: SpecText) -> Workload:
    """Return the workload in a document.

    Raises `InputError` with all problems, each at its line.
    """
    kind = _kind(document, tuple(sorted(WORKLOAD_KINDS)), "a workload")
    return Workload(_model(document, kind, WORKLOAD_KINDS[kind], workload_problems), document)


def parse_profile(document: SpecText) -> Profile:
    """Return the cluster profile in a document.

    Raises `InputError` with all problems, each at its line.
    """
    _kind(document, (PROFILE_KIND,), "a cluster profile")
    whole = extended(document)
    model = _model(whole, PROFILE_KIND, ClusterProfile, profile_problems)
    return Profile(model, whole, document.value)


def _kind(document: SpecText, kinds: tuple[str, ...], noun: str) -> str:
    """Return the document's kind. Raises `InputError` unless it is one of `kinds`, in our API
    version."""
    value = document.value
    if not isinstance(value, dict):
        message = (
            f"{noun} is a mapping with apiVersion, kind, metadata and spec, not {shown(value)}"
        )
        raise InputError([Problem(message, document.place(()))])
    broken: list[SpecViolation] = []
    version, kind = value.get("apiVersion"), value.get("kind")
    if version != API_VERSION:
        message = f"`apiVersion` is {shown(version)}" if version else "`apiVersion` is missing"
        hint = f"write apiVersion: {API_VERSION}"
        if isinstance(version, str) and not is_ours(value) and kind not in ALL_KINDS:
            hint = f"pass manifests to `gpuspec lint`, `fit` or `diff`; or {hint}"
        broken.append(SpecViolation(message, ("apiVersion",), hint))
    if not isinstance(kind, str) or kind not in kinds:
        broken.append(_wrong_kind(kind, kinds, noun))
    _raise_if(document, broken)
    return str(kind)


def _wrong_kind(kind: object, kinds: tuple[str, ...], noun: str) -> SpecViolation:
    path = ("kind",)
    choices = f"write kind: {either(kinds)}"
    if kind is None:
        return SpecViolation("`kind` is missing", path, choices)
    if kind == PROFILE_KIND:
        return SpecViolation(f"{kind} is not {noun}", path, "pass it by -c/--cluster")
    if kind in ALL_KINDS:
        return SpecViolation(
            f"{kind} is not {noun}", path, "pass it to `gpuspec render`, as a spec"
        )
    message = f"`kind` is {shown(kind)}, which is not {noun}"
    return SpecViolation(message, path, did_you_mean(str(kind), kinds) or choices)


def _model(document: SpecText, kind: str, model: type[Any], rules: Rules) -> Any:
    """Return the typed model. Raises `InputError` with violations of the schema and of the rules."""
    value = document.value
    broken = [
        SpecViolation(f"`{format_path(path)}` has no value", path, "delete the key, or set a value")
        for path in islice(_nulls(value, ()), MAX_PROBLEMS + 1)
    ]
    try:
        converted = msgspec.convert(value, model, dec_hook=decode)
    except msgspec.ValidationError as error:
        from gpuspec.spec.errors import schema_problems
        from gpuspec.spec.salvage import sound_problems

        nulls = {violation.path for violation in broken}
        broken += [
            schema_problem
            for schema_problem in schema_problems(value, kind, MAX_PROBLEMS + 1)
            if schema_problem.path not in nulls
        ]
        if not broken:
            # Unreachable as long as the schema refuses all that the reader does; a test holds it.
            broken.append(SpecViolation(str(error), ()))
        _raise_if(document, [*broken, *sound_problems(value, kind, model, rules, broken)])
        raise
    if broken:
        from gpuspec.spec.salvage import sound_problems

        _raise_if(document, [*broken, *sound_problems(value, kind, model, rules, broken)])
    _raise_if(document, rules(converted))
    return converted


def _nulls(value: object, path: Path) -> Iterator[Path]:
    """Yield paths of explicit nulls, except those with a meaning."""
    if isinstance(value, dict):
        for key, inner in value.items():
            inner_path = (*path, key)
            if inner is None:
                yield inner_path
            elif not _means_null(inner_path):
                yield from _nulls(inner, inner_path)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if inner is None:
                yield (*path, index)
            else:
                yield from _nulls(inner, (*path, index))


def _means_null(path: Path) -> bool:
    """Return whether nulls below a path have a meaning: they delete in an override's patch, and Ray
    Serve reads its own."""
    patch = path[:2] == ("spec", "overrides") and path[-1] == "patch"
    return patch or path == ("spec", "serve")


def _raise_if(document: SpecText, broken: Iterable[SpecViolation]) -> None:
    violations = list(dict.fromkeys(islice(broken, MAX_PROBLEMS + 1)))
    problems = [
        Problem(
            violation.message, document.place(violation.path, key=violation.key), violation.hint
        )
        for violation in violations[:MAX_PROBLEMS]
    ]
    problems.sort(key=_position)
    if len(violations) > MAX_PROBLEMS:
        message = f"more problems follow; these are the first {MAX_PROBLEMS}"
        problems.append(Problem(message, document.place(())))
    if problems:
        raise InputError(problems)


def _position(problem: Problem) -> tuple[str, int, int]:
    place = problem.place
    return (place.file, place.line, place.column) if place else ("", 0, 0)
