"""The command line's entry point. `--version` is answered before anything is imported."""

import sys


def run() -> None:
    """Run the command line and exit with its code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from gpuspec.version import __version__

        sys.stdout.write(f"gpuspec {__version__}\n")
        return
    from gpuspec.cli import main

    sys.exit(main())


if __name__ == "__main__":
    run()
