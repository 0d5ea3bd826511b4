"""Handling of failed pods: retries, and exit codes with other actions."""

from typing import Literal

from gpuspec.numbers import read_whole
from gpuspec.spec.forms import ExitCode, Natural
from gpuspec.spec.types import Annotated, Model, doc

NEVER_RAN = (126, 127)
"""Exit codes of shells for a command that cannot be run or is not found."""
FAIL_RUN, FAIL_SHARD = "fail-run", "fail-shard"
OnExit = dict[str, Literal["fail-run", "retry"]]
OnExitOfShard = dict[str, Literal["fail-run", "fail-shard", "retry"]]
ExitCodes = Annotated[
    tuple[ExitCode, ...],
    doc(
        "Exit codes that end the run at once, since a retry cannot help. 126 and 127 "
        "mean that the command could not be run. A list here replaces the default; "
        "`onExitCode` changes single codes.",
        [126, 127],
    ),
]


def codes_of(on: OnExit | OnExitOfShard, action: str) -> tuple[int, ...]:
    """Return the sorted exit codes with this action in a table."""
    codes = (read_whole(code) for code, on_code in on.items() if on_code == action)
    return tuple(sorted(code for code in codes if code is not None))


def ending(listed: tuple[int, ...], on: OnExit | OnExitOfShard) -> tuple[int, ...]:
    """Return the exit codes that end the run: those listed, unless the table has another action for
    them."""
    unmapped = [code for code in listed if str(code) not in on]
    return tuple(sorted({*unmapped, *codes_of(on, FAIL_RUN)}))


class Retries(Model):
    """The handling of a failed pod."""

    limit: Annotated[
        Natural,
        doc(
            "How often failed work is retried. A Job counts failed pods, so a Job with "
            "several workers, which fail together, gets `limit` × `workers`; a JobSet "
            "counts restarts of all workers; an MPIJob counts failed launchers, and a "
            "Volcano Job restarts of all pods for any reason. Elsewhere disruptions (a "
            "drain, a preemption) do not count.",
            3,
        ),
    ] = 3
    fail_on_exit_codes: ExitCodes = NEVER_RAN
    on_exit_code: Annotated[
        OnExit,
        doc(
            "Reaction to single exit codes, in addition to `failOnExitCodes`: `fail-run`: "
            "the run ends at once; `retry`: it is retried.",
            {"42": "fail-run", "127": "retry"},
        ),
    ] = {}

    @property
    def ending(self) -> tuple[int, ...]:
        """The exit codes that end the run at once."""
        return ending(self.fail_on_exit_codes, self.on_exit_code)
