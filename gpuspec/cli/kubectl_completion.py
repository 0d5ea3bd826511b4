"""`kubectl_complete-gpuspec`: what kubectl asks when `kubectl gpuspec …` is completed.

Sources: kubernetes/kubectl, `pkg/cmd/plugin/plugin_completion.go`; spf13/cobra, `completions.go`.
"""

import os
import sys

from gpuspec.cli.codes import DONE
from gpuspec.cli.program import NAME
from gpuspec.cli.terminal import data

_FILES, _NO_FILES = 0, 4
"""Cobra's directives: whether the shell also completes files."""


def main() -> int:
    """Print each completion of the last argument with its description, and whether it may be a
    file.
    """
    import io
    import shlex
    from contextlib import redirect_stdout, suppress

    from gpuspec.cli.app import app

    *words, begun = sys.argv[1:] or [""]
    # The form of fish's completions is that of cobra's.
    os.environ |= {
        f"_{NAME.upper()}_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_ARGS": f"{shlex.join([NAME, *words])} {shlex.quote(begun) if begun else ''}",
    }
    with redirect_stdout(io.StringIO()) as completions, suppress(SystemExit):
        app(prog_name=NAME, standalone_mode=False)
    lines = [line for line in completions.getvalue().splitlines() if line]
    data("".join(f"{line}\n" for line in (*lines, f":{_NO_FILES if lines else _FILES}")))
    return DONE
