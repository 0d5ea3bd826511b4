"""What `gpuspec fleet drift` does, once its arguments are known."""

from gpuspec.cli import codes
from gpuspec.cli.compose import STDIN
from gpuspec.cli.fitting import deliver, profile_of
from gpuspec.cli.terminal import say


def drift_of(
    paths: list[str], cluster: list[str] | None, live: str, format: str, output: str | None
) -> None:
    """Hold a cluster against what is said of it. Raises `InputError`; `Stop` with 1 where it differs.

    `Stop` with 3 where nothing of what is said could be looked for.
    """
    import gpuspec
    from gpuspec.report import drift as reports

    found = gpuspec.fleet_drift(*paths, live=live, profile=profile_of(paths, cluster, live))
    if found.is_nothing:
        say(f"error: nothing of profile {found.profile} can be looked for in {_called(live)}")
        for one in found.unseen:
            say(f"  not in the dump: {one.kind}; ask for it by kubectl get {one.ask} -A -o json")
        raise codes.Stop(codes.NOTHING)
    deliver(reports, "drift", found, format, output)
    if found.drifts:
        raise codes.Stop(codes.REFUSED)


def _called(live: str) -> str:
    return "standard input" if live == STDIN else live
