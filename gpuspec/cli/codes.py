"""Exit codes, the same for every command."""

DONE = 0
REFUSED = 1
"""A failed check: a good spec that the profile cannot carry."""
WRONG = 2
"""Usage, a spec that is wrong or unreadable, an output that cannot be written."""
NOTHING = 3
"""Nothing to work on: no spec, no manifest. Nothing rendered or linted is never success."""
FAULT = 4
"""Our own fault."""
INTERRUPTED = 130


class Stop(Exception):
    """The end of a command that has said all it had to say, with an exit code."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(code)
