"""KRM functions, as Kustomize and kpt run them: a ResourceList in, a ResourceList out.

The kind of the function's config selects the task, never arguments, which Kustomize passes only
since 5.7: a spec of gpuspec is a generator, a `Lint` a transformer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.hosts.krm_results import about_findings, about_problems
from gpuspec.hosts.krm_wire import GROUP, Wire, mapping
from gpuspec.report.lint.ways import Ways, shown_from

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec import LintResult, Problem, Profile, Workload
    from gpuspec.hosts.krm_config import Severity

PROFILE = f"{GROUP}/profile"
"""The annotation of a spec that names the profile to render it for."""
STAMP = "gpuspec.dev/linted"
"""The annotation with the version of gpuspec that linted the object, if requested."""
NAME = "resources"
"""The file name in findings: the items, in their order."""
_OURS = "gpuspec.dev/"
WAYS = Ways(None, "`severity: info`")
"""The findings are in generated objects, which cannot be fixed."""
# What programs that run functions note on a config; no part of a spec.
_NOTES = ("config.kubernetes.io", "config.k8s.io", GROUP)


class FunctionResult(NamedTuple):
    """The result of a function."""

    out: str
    """The ResourceList for standard output."""
    said: str
    """The results as text, for standard error; hosts drop the results."""
    code: int
    """0; 1 for a failed check; 2 for a wrong config."""


def answer(data: bytes) -> FunctionResult:
    """Do the task of a ResourceList. Raises `InputError` for any other input."""
    from gpuspec import InputError, Refusal
    from gpuspec.report.problems import problems_text, refusals_text

    wire = Wire.read(data)
    try:
        version = str(wire.config.get("apiVersion"))
        return _generated(wire) if version.startswith(_OURS) else _linted(wire)
    except InputError as error:
        out = wire.text(results=about_problems(error.problems))
        return FunctionResult(out, problems_text(error.problems), 2)
    except Refusal as refusal:
        out = wire.text(results=about_problems(_reasons(refusal)))
        return FunctionResult(out, refusals_text([refusal]), 1)


def _linted(wire: Wire) -> FunctionResult:
    """Lint the items without a change, except for the annotation if it is requested."""
    from gpuspec import __version__, fails, lint_text, read_text
    from gpuspec.hosts.krm_config import lint_config

    lint = lint_config(wire.config)
    stream = wire.stream()
    result = lint_text(
        stream,
        NAME,
        profile=_profile(lint.profile, "spec.profile"),
        select=lint.select,
        ignore=lint.ignore,
        severity=lint.severity or "info",
    )
    failed = fails(result, lint.fail_on)
    changes: dict[tuple[str | int, ...], str] = {}
    if lint.annotate and not failed:
        changes["metadata", "annotations", STAMP] = __version__
    results = about_findings(result.findings, read_text(stream, NAME))
    least = shown_from(lint.severity, lint.fail_on, lint.select)
    return FunctionResult(
        wire.text(changes, results=results), _said(result, least), 1 if failed else 0
    )


def _generated(wire: Wire) -> FunctionResult:
    """Render the spec in the config, and add its objects to the items."""
    # Not `from gpuspec import render`, which reads like the room of that name.
    import gpuspec
    from gpuspec import lint_renderings
    from gpuspec.report.problems import notes_text

    workload, profile_name = _spec(wire)
    profile = _profile(profile_name, f"annotation {PROFILE}")
    if profile is not None and not workload.is_for(profile):
        return FunctionResult(
            wire.text(), f"{workload.name} is for other clusters, not {profile.name}\n", 0
        )
    rendering = gpuspec.render(workload, profile)
    result = lint_renderings([rendering])
    if result.findings:
        return FunctionResult(wire.text(results=about_findings(result.findings)), _said(result), 1)
    notes = [(rendering.name, note) for note in rendering.notes if note.loud]
    return FunctionResult(wire.text(added=rendering.objects), notes_text(notes) if notes else "", 0)


def _spec(wire: Wire) -> tuple[Workload, str | None]:
    """Return the workload in the config, and the profile that it names."""
    from gpuspec import load_documents, read_text

    (document,) = read_text(wire.config_text(), wire.config_name)
    metadata = mapping(mapping(document.value).get("metadata"))
    annotations = mapping(metadata.get("annotations"))
    annotation = annotations.get(PROFILE)
    for key in [*annotations]:
        if key.partition("/")[0].endswith(_NOTES):
            del annotations[key]
    if not annotations:
        metadata.pop("annotations", None)
    return load_documents([document])[0], None if annotation is None else str(annotation)


def _profile(profile_name: str | None, place: str) -> Profile | None:
    """Return the profile of a name or a file. Raises `InputError` for several."""
    from gpuspec import InputError, Problem, load_profiles

    if profile_name is None:
        return None
    profiles = load_profiles(profile_name)
    if len(profiles) > 1:
        names = ", ".join(profile.name for profile in profiles)
        raise InputError(
            [Problem(f"name one file: {place} has {len(profiles)} profiles ({names})")]
        )
    return profiles[0]


def _said(result: LintResult, least: Severity = "warning") -> str:
    from gpuspec.report.lint.notes import notes_text
    from gpuspec.report.lint.text import text_report

    return text_report(result, ways=WAYS, least=least) + notes_text(result.notes)


def _reasons(refusal: Any) -> Iterable[Problem]:
    from gpuspec import Problem

    head = f"{refusal.workload} cannot run on {refusal.profile}"
    for reason in refusal.reasons:
        yield Problem(f"{head}: {reason.text}", reason.place, reason.hint)
