"""What `gpuspec fleet drift` does, once its arguments are known."""

from typing import TYPE_CHECKING

from gpuspec.cli import codes
from gpuspec.cli.compose import STDIN
from gpuspec.cli.fitting import deliver, profile_of
from gpuspec.cli.program import current_cluster
from gpuspec.cli.progress import progress
from gpuspec.cli.terminal import say

if TYPE_CHECKING:
    from gpuspec.hosts.kubectl import KubectlDump

KINDS = "nodes,pods,ns,quota,deploy,job,svc"
"""The kinds that `render` makes and profiles ask for, and that every cluster has."""


def drift_of(
    paths: list[str], cluster: list[str] | None, live: str | None, format: str, output: str | None
) -> None:
    """Compare a cluster with specs and a profile. Raises `InputError`; `Stop` with 1 if it differs.

    Raises `Stop` with 3 if the dump has none of the kinds to compare.
    """
    import gpuspec
    from gpuspec.report import drift as reports

    profile = profile_of(paths, cluster, live)
    dump = live or current_cluster(KINDS)
    if dump is None:
        hint = "kubectl get nodes -o json | gpuspec fleet drift -c PROFILE --live -"
        text = "no cluster: --live names the output of kubectl get nodes,pods,… -A -o json"
        raise gpuspec.InputError([gpuspec.Problem(text, hint=hint)])
    tell = progress("looking for drift")
    drift = gpuspec.fleet_drift(*paths, live=dump, profile=profile, tell=tell)
    if drift.is_nothing:
        from gpuspec.report.drift.prose import unseen

        say(f"error: {_called(dump)} has no object to compare with profile {drift.profile}")
        for line in unseen(drift) or [
            "the profile has no pools and needs no object: name another profile"
        ]:
            say(f"  {line}")
        raise codes.Stop(codes.NOTHING)
    deliver(reports, "drift", drift, format, output)
    if drift.drifts:
        raise codes.Stop(codes.REFUSED)


def _called(live: "str | KubectlDump") -> str:
    if isinstance(live, str):
        return "standard input" if live == STDIN else live
    return f"context {live.name}"
