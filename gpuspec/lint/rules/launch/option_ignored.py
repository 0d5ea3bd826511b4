"""An option, or a feature, that a program ignores because of another option."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.command_lines import lines_and_variables
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.options import rows_met

RULE = Rule(
    "GPU967",
    "option-ignored",
    "warning",
    "A program ignores an option, or a feature, because of another option",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield command lines of programs whose options are known, in every container."""
    for line in lines_and_variables(pod, context):
        rows = line.program.ignored
        if not rows:
            continue
        for row, option, statement in rows_met(rows, line.program, line.releases, line.settings):
            if option.at >= line.begins:
                yield RawFinding(
                    line.path_of(option),
                    line.in_own_names(statement),
                    note=row.note,
                    severity="info" if row.level == "info" else None,
                    confidence="likely" if line.releases.doubtful else "certain",
                )
