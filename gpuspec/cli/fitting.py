"""What `gpuspec fit` and `gpuspec fleet report` do, once their arguments are known."""

import sys
from typing import TYPE_CHECKING, Any

from gpuspec.cli import codes
from gpuspec.cli.compose import STDIN, missing, one_profile, several_profiles
from gpuspec.cli.program import current_cluster
from gpuspec.cli.progress import progress
from gpuspec.cli.terminal import color, data, is_terminal, say, talk, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec import FitReport, Profile
    from gpuspec.cli.options import Policy

PLACEHOLDER = "{profile}"
KINDS = "nodes,pods,ns,pv,pvc,pc,runtimeclass,quota"
"""The kinds that affect where pods may run."""
CLAIMS = "resourceslices,deviceclasses,resourceclaims,resourceclaimtemplates"
"""The kinds of claimed devices, which a cluster may not serve."""
_PAGES = ("html", "svg")
"""Formats of which a file can hold only one report."""


def fit_paths(
    paths: list[str],
    cluster: list[str] | None,
    live: str | None,
    mix: list[str] | None,
    policy: "Policy | None",
    seeds: int,
    format: str,
    output: str | None,
) -> None:
    """Place the workloads and report. Raises `InputError`; `Stop` with 1 if one is not placed."""
    import gpuspec
    from gpuspec.report import fit as reports

    profiles = _profiles([*paths, *(mix or ())], cluster, live)
    _check_output(profiles, format, output)
    dump = live or (None if cluster else current_cluster(KINDS, CLAIMS))
    fit_reports: list[FitReport] = []
    for profile in profiles:
        tell = progress(f"placing on {profile.name}" if profile else "placing")
        try:
            fit_reports.append(
                gpuspec.fit(
                    *paths,
                    profile=profile,
                    live=dump,
                    mix=mix or (),
                    policy=policy,
                    seeds=seeds,
                    tell=tell,
                )
            )
        except gpuspec.InputError:
            # Not `finally`: an interrupted run says how far its bar came.
            tell(1, 1)
            raise
        tell(1, 1)
    if not any(fit_report.workloads for fit_report in fit_reports):
        names = ", ".join(profile.name for profile in profiles if profile)
        say(f"error: no workload is for {names}: all `clusters` name other profiles")
        raise codes.Stop(codes.NOTHING)
    _deliver_all(reports, fit_reports, format, output)
    if not all(fit_report.fits for fit_report in fit_reports):
        raise codes.Stop(codes.REFUSED)


def report_fleet(
    cluster: list[str] | None,
    live: str | None,
    mix: list[str] | None,
    format: str,
    output: str | None,
) -> None:
    """Report on a fleet. Raises `InputError`."""
    import gpuspec
    from gpuspec.report import fleet as reports

    profile = profile_of(mix or [], cluster, live)
    dump = live or (None if cluster else current_cluster(KINDS, CLAIMS))
    progress("looking at the fleet")
    report = gpuspec.fleet_report(profile=profile, live=dump, mix=mix or ())
    deliver(reports, "fleet", report, format, output)


def profile_of(paths: list[str], cluster: list[str] | None, live: str | None) -> "Profile | None":
    """Return the profile. Raises `InputError` for paths that do not exist, and for two inputs from
    standard input.
    """
    _check_paths(paths, cluster, live)
    return one_profile(cluster)


def _profiles(
    paths: list[str], cluster: list[str] | None, live: str | None
) -> "Sequence[Profile | None]":
    """Return the profiles that are named, or None; only one if the nodes are live. Raises
    `InputError`.
    """
    _check_paths(paths, cluster, live)
    return [one_profile(cluster)] if live is not None else several_profiles(cluster) or [None]


def _check_output(profiles: "Sequence[Profile | None]", format: str, output: str | None) -> None:
    """Raise `InputError` for several pages in one file."""
    if len(profiles) > 1 and format in _PAGES and PLACEHOLDER not in (output or ""):
        from gpuspec import InputError, Problem

        hint = f"write -o 'fit-{PLACEHOLDER}.{format}' for a file each, or name one profile with -c"
        text = (
            f"{len(profiles)} profiles in one report, but a page of --format {format} is about one"
        )
        raise InputError([Problem(text, hint=hint)])


def _check_paths(paths: list[str], cluster: list[str] | None, live: str | None) -> None:
    """Raise `InputError` for paths that do not exist, and for two inputs from standard input."""
    from gpuspec import InputError, Problem

    streams = [
        path for path in (*paths, *(cluster or ()), *([live] if live else ())) if path == STDIN
    ]
    if len(streams) > 1:
        message = "two inputs are standard input, which can be read only once"
        raise InputError([Problem(message, hint="name a file for one of them")])
    if streams and is_terminal(sys.stdin):
        say("reading from the terminal; end with Ctrl-D")
    if problems := missing([*paths, *([live] if live else ())]):
        raise InputError(problems)


def _deliver_all(
    reports: Any, fit_reports: "list[FitReport]", format: str, output: str | None
) -> None:
    """Deliver one report per cluster, each with the cluster's name: to a file each if the file's
    name has `{profile}`, else one after another. Several clusters get a closing table."""
    if output is not None and PLACEHOLDER in output:
        for fit_report in fit_reports:
            deliver(
                reports, "fit", fit_report, format, output.replace(PLACEHOLDER, fit_report.fleet)
            )
        if len(fit_reports) > 1:
            talk(reports.clusters_text(fit_reports, color=color(sys.stderr)))
    elif len(fit_reports) == 1:
        deliver(reports, "fit", fit_reports[0], format, output)
    elif format == "json":
        import json

        from gpuspec.escaping.formats import json_text

        texts = [_text(reports, "fit", fit_report, format, output) for fit_report in fit_reports]
        _put(json_text([json.loads(text) for text in texts]), output)
    else:
        deliver(reports, "fits", fit_reports, format, output)


def deliver(reports: Any, kind: str, report: Any, format: str, output: str | None) -> None:
    """Print a report in a format, or write it to a file."""
    _put(_text(reports, kind, report, format, output), output)


def _text(reports: Any, kind: str, report: Any, format: str, output: str | None) -> str:
    if format == "text":
        columns = width(sys.stdout) if output is None else None
        paint = output is None and color(sys.stdout)
        return str(getattr(reports, f"{kind}_text")(report, width=columns, color=paint))
    return str(getattr(reports, f"{kind}_{format}")(report))


def _put(text: str, output: str | None) -> None:
    if output is None:
        data(text)
        return
    from pathlib import Path

    from gpuspec import InputError, Problem, write_file

    folder = Path(output).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError([Problem(f"{folder}: {error.strerror}")]) from None
    write_file(output, text)
