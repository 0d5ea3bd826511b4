"""What is written for the time of a run goes when the run is ended from outside, too."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_ENDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class _Ended(BaseException):
    """A signal has come: nothing but clean-up is done on the way out."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(number)


@contextmanager
def scratch() -> Iterator[None]:
    """Let whoever wrote scratch files here remove them before a signal ends the process.

    It ends by that signal all the same, as whoever sent it expects.
    """
    # What is ignored (by nohup) or interrupts already stays so.
    before = {one: signal.getsignal(one) for one in _ENDS}
    ours = [one for one, how in before.items() if how not in (signal.SIG_IGN, None)]
    for one in ours:
        signal.signal(one, _end)
    try:
        yield
    except _Ended as ended:
        signal.signal(ended.number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
        raise
    finally:
        for one in ours:
            signal.signal(one, before[one])


def _end(number: int, _: object) -> None:
    """Unwind, and do not be disturbed."""
    for one in _ENDS:
        signal.signal(one, signal.SIG_IGN)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise _Ended(number)
