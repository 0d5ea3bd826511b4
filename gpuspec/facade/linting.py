"""What is wrong with manifests and specs, and how it is mended."""

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
    """Return what is wrong with Kubernetes manifests and specs: files, folders, `-` for standard
    input.

    What Git ignores and what the configuration excludes is left out unless it is named. Without `fixes`
    no finding has one, which takes a third of the time. `tell` hears how much of how much is done, where
    there are many objects. Raises `Interrupted`, with what was found until then, for Ctrl-C while rules
    are at work, and `InputError` for a path that is not there, a configuration, a profile or a schema
    that is wrong, and a word that names no rule.
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
    """Lint as `lint` does, make the fixes that are safe (`unsafe`: all), and lint again.

    With `write` the files that changed are written; `tell` hears how many of how many are. Raises as
    `lint` does, and `InputError` for files that cannot be written.
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
    """Lint as `lint` does, put a comment that suppresses it at each finding, and lint again.

    What no comment can suppress (in JSON, in what helm renders, in a file that is not among `paths`) is
    found still. With `write` the files that changed are written; `tell` hears how many of how many are.
    Raises as `mend` does, and `InputError` for what is no reason.
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
    """Return the linter, and what it is to look into."""
    from gpuspec.facade.configuration import configuration_of
    from gpuspec.facade.reading import walked

    stdin = settings.get("stdin")
    configuration = configuration_of(paths, settings.get("config"), stdin)
    look = linter(configuration, settings, fixes=fixes, tell=tell)
    return look, walked(paths, configuration, settings.get("force_exclude", False), stdin)


def fails(result: LintResult, severity: Severity = "error") -> bool:
    """Return whether any finding is of a severity or worse."""
    from gpuspec.lint.policy import at_least

    return any(at_least(finding.severity, severity) for finding in result.findings)


def write_baseline(result: LintResult, file: str) -> int:
    """Make all findings of a run known: later runs with this baseline say what is new.

    Returns how many there are. Raises `InputError` for a file that cannot be written.
    """
    from pathlib import Path

    from gpuspec.lint.suppressions.baseline import written
    from gpuspec.manifests.writing import write_file

    write_file(file, written(result.findings, str(Path(file).absolute().parent)))
    return len(result.findings)


def baseline_file(*paths: str, config: str | None = None) -> str | None:
    """Return the baseline that the configuration of some paths names, as seen from here."""
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
    """Return every setting that `lint` follows, as a configuration in YAML; `given` are those of a
    command line.

    Raises `InputError` for a configuration that is wrong, and for words that mean no rule.
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
    """Return a rule by its code or name, and its page. Raises `InputError` with the one that was
    meant."""
    from gpuspec.lint.pages import page
    from gpuspec.lint.registry import rule as known
    from gpuspec.lint.rule_names import one

    code = one(name)
    return known(code), page(code)


def lint_renderings(renderings: Iterable[Rendering], near: str = ".") -> LintResult:
    """Return the errors in objects that are rendered already, at the lines of the spec that caused
    them.

    All are on one profile. The configuration above `near` applies, but for its profile. Rules that
    nothing in the specs could break are left out. Raises `InputError` for a configuration that is
    wrong.
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
    """Return the errors in renderings, by these rules; None for all."""
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
    """Return the linter as it is configured and asked for."""
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
