"""The command line's entry point. `--version` is answered before anything is imported."""

import gc
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
    sys.exit(code)


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
