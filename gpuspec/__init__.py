"""gpuspec: typed GPU workload specs become Kubernetes objects that start.

The library's whole surface, one function for each thing a command does. Rooms are imported by the
function that needs them, so that importing the package costs nothing.
"""

from __future__ import annotations

import sys

from gpuspec.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from typing import Any, Literal

    from gpuspec.cluster.check import ProfileFinding
    from gpuspec.cluster.discover import Discovery
    from gpuspec.cluster.platform import Platform
    from gpuspec.lint import Finding, LintResult, Rule, Severity
    from gpuspec.lint.inputs import Inputs
    from gpuspec.lint.mending import Mended
    from gpuspec.lint.specs import Made
    from gpuspec.lint.totals import Table
    from gpuspec.manifests import InputError, Place, Problem
    from gpuspec.plan import Decision, Note, Refusal
    from gpuspec.render import InternalError, Rendering, Written
    from gpuspec.render.compare import Differences
    from gpuspec.spec import Profile, Workload

__all__ = [
    "Decision",
    "Differences",
    "Discovery",
    "Finding",
    "InputError",
    "InternalError",
    "LintResult",
    "Mended",
    "Note",
    "Place",
    "Platform",
    "Problem",
    "Profile",
    "ProfileFinding",
    "Refusal",
    "Rendering",
    "Rule",
    "Table",
    "Workload",
    "Written",
    "__version__",
    "baseline_file",
    "check_profile",
    "compare_folders",
    "discover",
    "dump",
    "explain",
    "fails",
    "lint",
    "lint_renderings",
    "load",
    "load_profiles",
    "mend",
    "platform",
    "profile_names",
    "render",
    "rule",
    "rules",
    "schema",
    "starter",
    "table",
    "write_baseline",
    "write_folder",
    "write_folders",
]

_NAME = ("metadata", "name")
_TYPES = {
    "Decision": "plan",
    "Differences": "render.compare",
    "Discovery": "cluster.discover",
    "Finding": "lint",
    "InputError": "manifests",
    "InternalError": "render",
    "LintResult": "lint",
    "Mended": "lint.mending",
    "Note": "plan",
    "Place": "manifests",
    "Platform": "cluster.platform",
    "Problem": "manifests",
    "Profile": "spec",
    "ProfileFinding": "cluster.check",
    "Refusal": "plan",
    "Rendering": "render",
    "Rule": "lint",
    "Table": "lint.totals",
    "Workload": "spec",
    "Written": "render",
}


class _Facade(type(sys)):  # type: ignore[misc]
    """The package, whose functions `render` and `lint` stay so when rooms of those names are imported.

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
    import os

    from gpuspec.cluster import GENERIC, preset
    from gpuspec.manifests import InputError, Problem
    from gpuspec.spec import load_profiles as read_profiles
    from gpuspec.spec.words import did_you_mean

    found: dict[str, Profile] = {}
    problems: list[Problem] = []
    built_in = profile_names()
    hint = f"give a file, a folder or a built-in name: {', '.join(built_in)}"
    for path in paths or (GENERIC,):
        if path not in built_in and path != "-" and not os.path.exists(path):  # noqa: PTH110
            text = f"{path}: no such file, folder or built-in profile"
            problems.append(Problem(text, hint=did_you_mean(path, built_in) or hint))
            continue
        try:
            profiles = [preset(path)] if path in built_in else read_profiles([path])
        except InputError as error:
            problems += error.problems
            continue
        if not profiles:
            where = "<stdin>" if path == "-" else path
            problems.append(Problem(f"{where}: no ClusterProfile here", hint=hint))
        for profile in profiles:
            if profile.name in found:
                text = f"two profiles are called `{profile.name}`"
                here, before = (one.place(_NAME) for one in (profile, found[profile.name]))
                other = f"the other is {before or 'the built-in one'}: give each its own name"
                own = "it is given twice" if here == before else other
                problems.append(Problem(text, here, own))
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
    from gpuspec.manifests.files import content

    return profile_of(content(path), "<stdin>" if path == "-" else path, profile_name=name)


def check_profile(profile: Profile) -> tuple[ProfileFinding, ...]:
    """What contradicts itself in a profile, and what its pools cannot carry, in the text's order.

    An `error` cannot be true or cannot work; a `note` is worth knowing. What the rules of the spec
    refuse was said when the profile was loaded.
    """
    from gpuspec.cluster.check import check_profile as check

    return check(profile)


def platform(profile: Profile) -> Platform:
    """The platform's own objects that agree with a profile, and what no object can say.

    Namespaces, quotas, priorities, queues, device configuration; nothing where the profile asks for
    none. Raises `InternalError` when what we made ourselves is not valid.
    """
    from gpuspec.cluster.platform import Platform, platform_objects
    from gpuspec.manifests import format_path, identity
    from gpuspec.render import InternalError
    from gpuspec.validation import validate

    objects, notes = platform_objects(profile)
    wrong = [
        f"{identity(made)}: {format_path(found.path)}: {found.message}"
        for made in objects
        for found in validate(made, profile.spec.kubernetes)
    ]
    if wrong:
        raise InternalError("; ".join(wrong))
    return Platform(objects, notes)


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


def lint(
    *paths: str,
    profile: Profile | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: Severity = "info",
    baseline: str | None = None,
) -> LintResult:
    """What is wrong with Kubernetes manifests and specs: files, folders, `-` for standard input.

    The configuration above the first path applies: its profile unless one is given here, its
    selection unless rules are selected here, by code, beginning of a code, or name; its baseline
    unless one is named here (the empty text means none). Findings softer than `severity` are left
    out. Raises `InputError` for a path that is not there, a configuration
    or a profile that is wrong, and a word that names no rule.
    """
    from gpuspec.lint.inputs import gather

    return _linter(paths, profile, select, ignore, severity, baseline)(gather(paths))


def mend(
    *paths: str,
    profile: Profile | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: Severity = "info",
    baseline: str | None = None,
    unsafe: bool = False,
    write: bool = True,
) -> Mended:
    """Lint as `lint` does, make the fixes that are safe (`unsafe`: all), and lint again.

    With `write` the files that changed are written. Raises as `lint` does, and `InputError` for
    files that cannot be written.
    """
    from gpuspec.lint.inputs import gather
    from gpuspec.lint.mending import mend as mended
    from gpuspec.lint.mending import write as write_all

    look = _linter(paths, profile, select, ignore, severity, baseline)
    made = mended(gather(paths), look, unsafe=unsafe)
    if write:
        write_all(made)
    return made


def write_baseline(result: LintResult, file: str) -> int:
    """Make all findings of a run known: later runs with this baseline say what is new.

    Returns how many there are. Raises `InputError` for a file that cannot be written.
    """
    from pathlib import Path

    from gpuspec.lint.baseline import written
    from gpuspec.manifests import InputError, Problem

    path = Path(file)
    try:
        path.write_text(written(result.findings, str(path.absolute().parent)), encoding="utf-8")
    except OSError as error:
        raise InputError([Problem(f"{file}: {error.strerror}")]) from None
    return len(result.findings)


def baseline_file(*paths: str) -> str | None:
    """The baseline that the configuration of some paths names, as seen from here."""
    from gpuspec.lint.config_find import find

    return find(paths[0] if paths else ".", __version__).baseline


def _linter(
    paths: tuple[str, ...],
    profile: Profile | None,
    select: Iterable[str],
    ignore: Iterable[str],
    severity: Severity,
    baseline: str | None,
) -> Callable[[Inputs], LintResult]:
    """The linter as it is configured and asked for."""
    from functools import partial

    from gpuspec.lint.config_find import find
    from gpuspec.lint.policy import Policy, baseline_of
    from gpuspec.lint.run import run
    from gpuspec.lint.selection import chosen

    configuration = find(paths[0] if paths else ".", __version__)
    known = baseline_of(configuration, baseline)
    policy = Policy(configuration, chosen(select), chosen(ignore), severity, known)
    if profile is None and configuration.config.profile is not None:
        profile = _configured(configuration.config.profile, configuration.folder)
    compile = partial(_made, profile=profile)
    return partial(run, policy=policy, compile=compile, profile=profile)


def rules() -> tuple[Rule, ...]:
    """The linter's rules, by code."""
    from gpuspec.lint.registry import rules as all_rules

    return all_rules()


def rule(name: str) -> tuple[Rule, str]:
    """A rule by its code or name, and its page. Raises `InputError` with the one that was meant."""
    from gpuspec.lint.pages import page
    from gpuspec.lint.registry import rule as known
    from gpuspec.lint.selection import one

    code = one(name)
    return known(code), page(code)


def table(*paths: str, profile: Profile | None = None) -> Table:
    """What workloads ask of a cluster: devices, CPU, memory, replicas. Specs count as rendered.

    Files that the linter passes over are not counted. Raises `InputError` for a path that is not
    there, and for what cannot be read or rendered: a sum without it would be wrong.
    """
    from gpuspec.lint.config_find import find
    from gpuspec.lint.custom import Custom
    from gpuspec.lint.feeds import TextFeed
    from gpuspec.lint.inputs import gather
    from gpuspec.lint.specs import Specs, Together
    from gpuspec.lint.totals import table as table_of
    from gpuspec.manifests import InputError, Problem

    inputs = gather(paths)
    config = find(paths[0] if paths else ".", __version__).config
    feed, specs = TextFeed(inputs.sources, Custom(config.pod_paths)), Specs()
    for document in feed.ours:
        specs.read(document, lambda one: _made(one, profile))
    made = table_of(Together(feed, specs.units))
    problems = [Problem(one.message, one.place, one.hint) for one in (*inputs.unread, *feed.unread)]
    problems += (*specs.wrong, *(one for _, reasons in specs.refused for one in reasons))
    if problems:
        raise InputError(problems)
    return made


def lint_renderings(renderings: Iterable[Rendering], near: str = ".") -> LintResult:
    """The errors in objects that are rendered already, at the lines of the spec that caused them.

    All are on one profile. The configuration above `near` applies, but for its profile. Rules that
    nothing in the specs could break are left out. Raises `InputError` for a configuration that is
    wrong.
    """
    from gpuspec.lint.config_find import nearby
    from gpuspec.lint.gate import rules

    made = list(renderings)
    wanted: set[str] | None = set()
    for one in made:
        if wanted is None or one.plan.overrides or not one.as_shipped:
            wanted = None
        else:
            pools = [chosen.pool for chosen in one.case.pools]
            wanted |= rules(one.case.workload, one.case.profile, pools)
    if wanted == set() and not nearby(near):
        from gpuspec.lint import LintResult

        return LintResult()
    return _checked(made, near, wanted)


def _checked(made: list[Rendering], near: str, wanted: set[str] | None) -> LintResult:
    """The errors in renderings, by these rules; None for all."""
    from gpuspec.cluster import GENERIC
    from gpuspec.lint.config_find import find
    from gpuspec.lint.policy import Policy
    from gpuspec.lint.run import check
    from gpuspec.lint.specs import Made

    profiles = [one.case.profile for one in made if one.case.profile.name != GENERIC]
    pairs = [(one.case.workload, Made(one.rendered, one.case.profile)) for one in made]
    policy = Policy(find(near, __version__), severity="error")
    # What a configuration makes louder, or tells of models and images, the plan did not know.
    if policy.configuration.tells:
        wanted = None
    # The generic profile stands in for one that nobody gave: nothing is certain by it.
    return check(pairs, policy, profiles[0] if profiles else None, wanted)


def fails(result: LintResult, severity: Severity = "error") -> bool:
    """Whether any finding is of a severity or worse."""
    from gpuspec.lint.policy import at_least

    return any(at_least(one.severity, severity) for one in result.findings)


def _configured(name: str, folder: str) -> Profile:
    """The profile that a configuration names: built in, or a file seen from its folder."""
    from pathlib import Path

    from gpuspec.manifests import InputError, Problem

    path = name if name in profile_names() else str(Path(folder, name))
    found = load_profiles(path)
    if len(found) > 1:
        raise InputError([Problem(f"{path}: {len(found)} profiles, and one can be linted for")])
    return found[0]


def _made(workload: Workload, profile: Profile | None) -> Made:
    """A workload as the linter sees it: its objects, or why there are none."""
    from gpuspec.lint.specs import Made
    from gpuspec.manifests import InputError, Problem
    from gpuspec.plan import Refusal

    try:
        rendering = render(workload, profile)
    except InputError as error:
        return Made(problems=error.problems)
    except Refusal as refusal:
        reasons = [Problem(one.text, one.place, one.hint) for one in refusal.reasons]
        return Made(refused=tuple(reasons))
    return Made(rendering.rendered, rendering.case.profile)


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


def compare_folders(
    outputs: Iterable[tuple[Path, Iterable[dict[str, Any]], Iterable[str | Path]]],
    format: Literal["yaml", "json"] = "yaml",
) -> list[Differences]:
    """What `write_folders` would do to the folders of these outputs; nothing is written.

    Raises `InputError` for two objects of one identity and a record that cannot be read.
    """
    from gpuspec.render import Output, object_files
    from gpuspec.render.compare import compare_folders as compare_all

    return compare_all(
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
