"""Linting of manifests and specs, and their fixes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.facade.reading import made

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Unpack

    from gpuspec.facade.lint_settings import LintSettings
    from gpuspec.lint.mending import FixResult
    from gpuspec.lint.model import Rule
    from gpuspec.lint.result import LintResult
    from gpuspec.loading.inputs import Inputs
    from gpuspec.render import Rendering
    from gpuspec.settings.config import FoundConfig
    from gpuspec.settings.severity import Severity


def lint(
    *paths: str,
    fixes: bool = True,
    tell: Callable[[int, int], None] | None = None,
    **settings: Unpack[LintSettings],
) -> LintResult:
    """Lint Kubernetes manifests and specs: files, folders, `-` for standard input.

    Files that Git ignores or the configuration excludes are skipped unless they are named. Without
    `fixes`, findings have no fix, which saves a third of the time. `tell` is called with the
    progress if there are many objects. Raises `Interrupted`, with the findings so far, for Ctrl-C
    while rules run, and `InputError` for a missing path, an invalid configuration, profile or
    schema, and an unknown rule.
    """
    look, inputs = _prepared(paths, settings, fixes=fixes, tell=tell)
    return look(inputs)


def mend(
    *paths: str,
    unsafe: bool = False,
    write: bool = True,
    tell: Callable[[int, int], None] | None = None,
    **settings: Unpack[LintSettings],
) -> FixResult:
    """Lint as `lint` does, apply the safe fixes (`unsafe`: all), and lint again.

    With `write`, changed files are written; `tell` is called with the progress. Raises as `lint`
    does, and `InputError` for files that cannot be written.
    """
    from gpuspec.lint.mending import mend as mended
    from gpuspec.lint.mending import write as write_all

    look, inputs = _prepared(paths, settings)
    result = mended(inputs, look, unsafe=unsafe)
    if write:
        write_all(result, tell)
    return result


def suppress(
    *paths: str,
    reason: str,
    write: bool = True,
    tell: Callable[[int, int], None] | None = None,
    **settings: Unpack[LintSettings],
) -> FixResult:
    """Lint as `lint` does, add a suppression comment at each finding, and lint again.

    Findings that no comment can suppress (in JSON, in rendered charts, in files that are not in
    `paths`) remain. With `write`, changed files are written; `tell` is called with the progress.
    Raises as `mend` does, and `InputError` for an invalid reason.
    """
    from gpuspec.lint.mending import suppress as suppressed
    from gpuspec.lint.mending import write as write_all

    look, inputs = _prepared(paths, settings, fixes=False)
    result = suppressed(inputs, look, reason)
    if write:
        write_all(result, tell)
    return result


def _prepared(
    paths: Sequence[str],
    settings: LintSettings,
    *,
    fixes: bool = True,
    tell: Callable[[int, int], None] | None = None,
) -> tuple[Callable[[Inputs], LintResult], Inputs]:
    """Return the linter and its inputs."""
    from gpuspec.facade.configuration import configuration_of
    from gpuspec.facade.reading import walked

    stdin = settings.get("stdin")
    configuration = configuration_of(paths, settings.get("config"), stdin)
    look = linter(configuration, settings, fixes=fixes, tell=tell)
    return look, walked(paths, configuration, settings.get("force_exclude", False), stdin)


def fails(result: LintResult, severity: Severity = "error") -> bool:
    """Return whether any finding has at least a severity."""
    from gpuspec.lint.policy import at_least

    return any(at_least(finding.severity, severity) for finding in result.findings)


def write_baseline(result: LintResult, file: str) -> int:
    """Write the findings of a run to a baseline file, with which later runs report only new ones.

    Returns the number of findings. Raises `InputError` if the file cannot be written.
    """
    from pathlib import Path

    from gpuspec.lint.suppressions.baseline import written
    from gpuspec.manifests.writing import write_file

    write_file(file, written(result.findings, str(Path(file).absolute().parent)))
    return len(result.findings)


def baseline_file(*paths: str, config: str | None = None) -> str | None:
    """Return the baseline of the configuration above some paths, relative to the working directory."""
    from gpuspec.facade.configuration import configuration_of

    return configuration_of(paths, config).baseline


def lint_settings(
    *paths: str,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    config: str | None = None,
    stdin: str | None = None,
    given: Mapping[str, object] | None = None,
) -> str:
    """Return the effective settings of `lint` as a configuration in YAML; `given` are those of a
    command line.

    Raises `InputError` for an invalid configuration and an unknown rule.
    """
    import msgspec

    from gpuspec.escaping.characters import visible
    from gpuspec.facade.configuration import configuration_of
    from gpuspec.lint.rule_names import chosen
    from gpuspec.manifests import write

    found_config = configuration_of(paths, config, stdin)
    selection = found_config.selection(chosen(select), chosen(ignore))
    settings = msgspec.json.decode(msgspec.json.encode(found_config.config))
    settings |= {
        "select": list(selection.select),
        "ignore": list(selection.ignore),
        **(given or {}),
    }
    file = visible(str(found_config.file)) if found_config.file else None
    origin = f"{file} and the command line" if file else "the command line alone"
    return f"# settings of {origin}\n{write([settings])}"


def rules() -> tuple[Rule, ...]:
    """Return the linter's rules, by code."""
    from gpuspec.lint.registry import rules as all_rules

    return all_rules()


def rule(name: str) -> tuple[Rule, str]:
    """Return a rule by its code or name, with its page. Raises `InputError`, with a suggestion, for
    an unknown one."""
    from gpuspec.lint.pages import page
    from gpuspec.lint.registry import rule as known
    from gpuspec.lint.rule_names import one

    code = one(name)
    return known(code), page(code)


def lint_renderings(renderings: Iterable[Rendering], near: str = ".") -> LintResult:
    """Return the errors in rendered objects, at the lines of the spec that caused them.

    All renderings are for one profile. The configuration above `near` applies, except its profile.
    Rules that no field of the specs can break are skipped. Raises `InputError` for an invalid
    configuration.
    """
    from gpuspec.settings.find import nearby
    from gpuspec.startup.render_checks import rules

    rendering_list = list(renderings)
    rule_codes: set[str] | None = set()
    for rendering in rendering_list:
        if rule_codes is None or rendering.plan.overrides or not rendering.as_shipped:
            rule_codes = None
        else:
            pools = [chosen.pool for chosen in rendering.resolution.pools]
            rule_codes |= rules(rendering.resolution.workload, rendering.resolution.profile, pools)
    if rule_codes == set() and not nearby(near):
        from gpuspec.lint.result import LintResult

        return LintResult()
    return _checked(rendering_list, near, rule_codes)


def _checked(renderings: list[Rendering], near: str, rule_codes: set[str] | None) -> LintResult:
    """Return the errors that some rules find in renderings; None means all rules."""
    from gpuspec.cluster import GENERIC
    from gpuspec.facade.configuration import configuration_of, with_schemas
    from gpuspec.lint.policy import ReportingPolicy
    from gpuspec.lint.run import check
    from gpuspec.loading.specs import WorkloadResult

    profiles = [
        rendering.resolution.profile
        for rendering in renderings
        if rendering.resolution.profile.name != GENERIC
    ]
    pairs = [
        (
            rendering.resolution.workload,
            WorkloadResult(rendering.rendered, rendering.resolution.profile),
        )
        for rendering in renderings
    ]
    policy = ReportingPolicy(with_schemas(configuration_of((near,))), severity="error")
    # What a configuration makes louder, or tells of models and images, the plan did not know.
    if policy.configuration.tells:
        rule_codes = None
    # The generic profile stands in for one that nobody gave: nothing is certain by it.
    return check(pairs, policy, profiles[0] if profiles else None, rule_codes)


def linter(
    found_config: FoundConfig,
    settings: LintSettings,
    *,
    fixes: bool = True,
    tell: Callable[[int, int], None] | None = None,
) -> Callable[[Inputs], LintResult]:
    """Return a linter with a configuration and settings."""
    from collections.abc import Sequence
    from functools import partial

    from gpuspec.facade.configuration import configured, with_schemas
    from gpuspec.lint.policy import ReportingPolicy, baseline_of
    from gpuspec.lint.rule_names import chosen
    from gpuspec.lint.run import run

    configuration = with_schemas(found_config, settings.get("schemas", ()))
    policy = ReportingPolicy(
        configuration,
        chosen(settings.get("select", ())),
        chosen(settings.get("ignore", ())),
        settings.get("severity", "info"),
        baseline_of(configuration, settings.get("baseline")),
        fixes,
    )
    profile = settings.get("profile")
    named_profiles = (
        profile if isinstance(profile, Sequence) else () if profile is None else (profile,)
    )
    profiles = named_profiles or (configured(configuration),)
    compiled = [(each_profile, partial(made, profile=each_profile)) for each_profile in profiles]
    return partial(run, policy=policy, compiled=compiled, tell=tell)
