"""What `gpuspec cluster check` does."""

import sys
from typing import Literal

from gpuspec.cli.codes import REFUSED, Stop
from gpuspec.cli.compose import STDIN
from gpuspec.cli.terminal import color, data, is_terminal, say, talk, width


def check_profiles(paths: list[str], format: Literal["text", "json"]) -> None:
    """Check profiles: print the findings to stdout and their number to stderr.

    Raises `InputError` for unreadable input, before anything is printed. Exits 1 if a finding is an
    error.
    """
    from gpuspec import check_profile, load_profiles
    from gpuspec.report.profile_check import profile_json, profile_summary, profile_text

    if STDIN in paths and is_terminal(sys.stdin):
        say("reading from the terminal; end with Ctrl-D")
    findings_by_profile = [
        (profile.name, check_profile(profile)) for profile in load_profiles(*paths)
    ]
    if format == "json":
        data(profile_json(findings_by_profile))
    else:
        paint, columns = color(sys.stdout), width(sys.stdout)
        texts = [
            profile_text(name, findings, width=columns, color=paint)
            for name, findings in findings_by_profile
        ]
        data("".join(texts))
    for name, findings in findings_by_profile:
        talk(profile_summary(name, findings))
    if any(
        finding.severity == "error" for _, findings in findings_by_profile for finding in findings
    ):
        raise Stop(REFUSED)
