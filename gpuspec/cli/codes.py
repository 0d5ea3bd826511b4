"""Exit codes, the same for every command."""

DONE = 0
REFUSED = 1
"""A failed check: for example a valid spec that cannot run on the profile."""
WRONG = 2
"""Wrong usage, a wrong or unreadable spec, or an output that cannot be written."""
NOTHING = 3
"""Nothing to work on: no spec, no manifest. A run that renders or lints nothing is no success."""
FAULT = 4
"""A fault of gpuspec."""
INTERRUPTED = 130


class Stop(Exception):
    """The end of a command that has printed all its messages, with an exit code."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(code)
