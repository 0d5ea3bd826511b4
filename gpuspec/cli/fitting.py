"""What `gpuspec fit` and `gpuspec fleet report` do, once their arguments are known."""

import sys
from typing import TYPE_CHECKING, Any

from gpuspec.cli import codes
from gpuspec.cli.compose import STDIN, missing, one_profile
from gpuspec.cli.terminal import color, data, is_terminal, redraw, say, width

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec import Profile
    from gpuspec.cli.options import Policy


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
    """Place the workloads and report. Raises `InputError`; `Stop` with 1 where one is not placed."""
    import gpuspec
    from gpuspec.report import fit as reports

    profile = profile_of([*paths, *(mix or ())], cluster, live)
    found = gpuspec.fit(
        *paths,
        profile=profile,
        live=live,
        mix=mix or (),
        policy=policy,
        seeds=seeds,
        tell=_progress(),
    )
    deliver(reports, "fit", found, format, output)
    if not found.fits:
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
    found = gpuspec.fleet_report(profile=profile, live=live, mix=mix or ())
    deliver(reports, "fleet", found, format, output)


def profile_of(paths: list[str], cluster: list[str] | None, live: str | None) -> "Profile | None":
    """The profile; raises `InputError` for what is not there, and two things from one stdin."""
    from gpuspec import InputError, Problem

    streams = [
        path for path in (*paths, *(cluster or ()), *([live] if live else ())) if path == STDIN
    ]
    if len(streams) > 1:
        both = "two things from standard input, which is read once"
        raise InputError([Problem(both, hint="name a file for one of them")])
    if streams and is_terminal(sys.stdin):
        say("reading from the terminal; end with Ctrl-D")
    if problems := missing([*paths, *([live] if live else ())]):
        raise InputError(problems)
    return one_profile(cluster)


def deliver(reports: Any, kind: str, found: Any, format: str, output: str | None) -> None:
    """Print a report in a format, or write it to a file."""
    if format == "text":
        columns = width(sys.stdout) if output is None else None
        paint = output is None and color(sys.stdout)
        text = getattr(reports, f"{kind}_text")(found, width=columns, color=paint)
    else:
        text = getattr(reports, f"{kind}_{format}")(found)
    if output is None:
        data(text)
        return
    from gpuspec import write_file

    write_file(output, text)


def _progress() -> "Callable[[int, int], None] | None":
    """A bar on stderr while it takes long; only on a terminal."""
    if not is_terminal(sys.stderr):
        return None
    from time import monotonic

    begun, shown = monotonic(), [False]

    def tell(done: int, total: int) -> None:
        if done == total:
            if shown[0]:
                redraw("")
        elif monotonic() - begun > 1:
            shown[0] = True
            filled = 40 * done // total
            redraw(f"placing [{'#' * filled}{'.' * (40 - filled)}] {done}/{total}")

    return tell
