"""`gpuspec-krm`: the program that Kustomize and kpt run as a function."""

import sys

from gpuspec.cli.codes import DONE, WRONG
from gpuspec.cli.failures import failed
from gpuspec.cli.terminal import data, is_terminal, talk

USAGE = """Usage: gpuspec-krm < RESOURCELIST

A KRM function: Kustomize runs it with `kustomize build --enable-alpha-plugins --enable-exec`. Its
config selects what it does:

  a spec of gpuspec.dev/v1alpha1         renders it (a generator)
  a Lint of krm.gpuspec.dev/v1alpha1     lints the resources (a transformer)

It takes no arguments but --help and --version.
"""


def main() -> int:
    """Run the program and return its exit code."""
    try:
        return _run(sys.argv[1:])
    except (Exception, KeyboardInterrupt) as error:
        return failed(error)


def _run(arguments: list[str]) -> int:
    if arguments in (["--help"], ["-h"]):
        data(USAGE)
        return DONE
    if arguments in (["--version"], ["-V"]):
        from gpuspec import __version__

        data(f"gpuspec-krm {__version__}\n")
        return DONE
    if arguments or is_terminal(sys.stdin):
        talk(USAGE)
        return WRONG
    from gpuspec import standard_input
    from gpuspec.hosts.krm import answer

    out, message, code = answer(standard_input())
    talk(message)
    data(out)
    return code
