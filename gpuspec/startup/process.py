"""The process of a command: as little as possible before it, and nothing after it.

`--version` is answered before any import, plain arguments take the fast path, garbage collection is
off, and the interpreter is not finalised at the end.
"""

import gc
import os
import sys


def run() -> None:
    """Run the command line and exit with its code."""
    try:
        if sys.argv[1:] in (["--version"], ["-V"]) and _version():
            return
        # The process is short and makes next to no cycles: collecting costs time and frees nothing.
        gc.disable()
        code = main()
    except KeyboardInterrupt as stop:
        code = _interrupted(stop)
    _leave(code)


def main() -> int:
    """Run the command line, on the fast path if its arguments are plain, and return its exit code."""
    from gpuspec.startup.quick import quick

    task = quick(sys.argv[1:])
    if task is None:
        from gpuspec.cli.app import main as with_typer

        return with_typer()
    from gpuspec.cli.codes import DONE
    from gpuspec.cli.failures import failed
    from gpuspec.startup.light import import_libraries

    try:
        import_libraries()
        task()
    except (Exception, KeyboardInterrupt) as error:
        return failed(error)
    return DONE


def run_krm() -> None:
    """Run the KRM function and exit with its code."""
    try:
        gc.disable()
        from gpuspec.cli.krm import main as krm
        from gpuspec.startup.light import import_libraries

        import_libraries()
        code = krm()
    except KeyboardInterrupt as stop:
        code = _interrupted(stop)
    _leave(code)


def complete_for_kubectl() -> None:
    """Complete a line of `kubectl gpuspec` and exit."""
    from gpuspec.cli.kubectl_completion import main as completed

    _leave(completed())


def _interrupted(stop: KeyboardInterrupt) -> int:
    """Report that Ctrl-C came before the command had begun."""
    from gpuspec.cli.failures import failed

    return failed(stop)


def _leave(code: int) -> None:
    """End the process without finalising the interpreter.

    Output is flushed, no exit handler is needed, and the kernel frees the memory faster.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # closed, or already said
            continue
    os._exit(code)


def _version() -> bool:
    """Print the version; return False if that fails, so that the whole program reports the error."""
    from gpuspec.version import __version__

    try:
        sys.stdout.write(f"gpuspec {__version__}\n")
        sys.stdout.flush()
    except (OSError, AttributeError):  # a full disk, a closed stream
        return False
    return True
