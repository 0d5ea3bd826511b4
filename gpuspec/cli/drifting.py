"""What `gpuspec fleet drift` does, once its arguments are known."""

from gpuspec.cli import codes
from gpuspec.cli.compose import STDIN
from gpuspec.cli.fitting import deliver, profile_of
from gpuspec.cli.progress import progress
from gpuspec.cli.terminal import say


def drift_of(
    paths: list[str], cluster: list[str] | None, live: str, format: str, output: str | None
) -> None:
    """Hold a cluster against what is said of it. Raises `InputError`; `Stop` with 1 where it differs.

    `Stop` with 3 where nothing of what is said could be looked for.
    """
    import gpuspec
    from gpuspec.report import drift as reports

    profile, tell = profile_of(paths, cluster, live), progress("looking for drift")
    found = gpuspec.fleet_drift(*paths, live=live, profile=profile, tell=tell)
    if found.is_nothing:
        from gpuspec.report.drift.prose import unseen

        say(f"error: nothing of profile {found.profile} can be looked for in {_called(live)}")
        for line in unseen(found) or ["it has no pools, and asks for no object: name another"]:
            say(f"  {line}")
        raise codes.Stop(codes.NOTHING)
    deliver(reports, "drift", found, format, output)
    if found.drifts:
        raise codes.Stop(codes.REFUSED)


def _called(live: str) -> str:
    return "standard input" if live == STDIN else live
