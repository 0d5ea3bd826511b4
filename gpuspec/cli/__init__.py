"""The command line: one file per command, parsing and printing only."""

import sys

__all__ = ["main"]


def main() -> int:
    """Run the program and return its exit code."""
    from gpuspec.cli.quick import quick

    task = quick(sys.argv[1:])
    if task is None:
        from gpuspec.cli.app import main as with_typer

        return with_typer()
    from gpuspec.cli.codes import DONE, INTERRUPTED
    from gpuspec.cli.failures import failed
    from gpuspec.cli.startup import import_libraries

    try:
        import_libraries()
        task()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        return failed(error)
    return DONE
