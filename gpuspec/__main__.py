"""The command line's entry point. `--version` is answered before anything is imported."""

import gc
import os
import sys


def run() -> None:
    """Run the command line and exit with its code."""
    try:
        if sys.argv[1:] in (["--version"], ["-V"]) and _version():
            return
        # The process is short and makes next to no cycles: collecting costs a tenth of rendering
        # hundreds of specs, and frees nothing.
        gc.disable()
        from gpuspec.cli import main

        code = main()
    except KeyboardInterrupt:
        code = 130
    _leave(code)


def run_krm() -> None:
    """Run the KRM function and exit with its code."""
    try:
        gc.disable()
        from gpuspec.cli.krm import main

        code = main()
    except KeyboardInterrupt:
        code = 130
    _leave(code)


def _leave(code: int) -> None:
    """End the process without taking the interpreter apart.

    What is written is flushed, nothing waits for an exit handler, and the kernel frees memory
    faster: an eighth of the time that one spec takes.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # closed, or already said
            continue
    os._exit(code)


def _version() -> bool:
    """Print the version; False when that fails, which the whole program then words."""
    from gpuspec.version import __version__

    try:
        sys.stdout.write(f"gpuspec {__version__}\n")
        sys.stdout.flush()
    except (OSError, AttributeError):  # a full disk, a closed stream
        return False
    return True


if __name__ == "__main__":
    run()
