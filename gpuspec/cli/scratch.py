"""Temporary files of a run, which are removed even if a signal ends it."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_AGAIN = getattr(signal, "SIGALRM", None)
_SOON = 0.01
"""Seconds until a dropped exception is raised again."""


class _Ended(BaseException):
    """A signal has arrived: only clean-up runs on the way out."""


@contextmanager
def scratch() -> Iterator[None]:
    """Remove temporary files before a signal ends the process.

    The process still ends by that signal, as its sender expects.
    """
    # What is ignored (by nohup) or interrupts already stays so.
    before = {signal_number: signal.getsignal(signal_number) for signal_number in _ENDS}
    ours = [
        signal_number for signal_number, how in before.items() if how not in (signal.SIG_IGN, None)
    ]
    unwinding = _Unwinding()
    for signal_number in ours:
        signal.signal(signal_number, unwinding.begin)
    try:
        with unwinding.not_dropped():
            yield
    except _Ended:
        pass
    finally:
        unwinding.is_over = True
        for signal_number in ours:
            signal.signal(signal_number, before[signal_number])
        # Where the signal came inside a library, another error may be what comes out.
        if unwinding.number == signal.SIGINT:
            raise KeyboardInterrupt
        if unwinding.number:
            signal.signal(unwinding.number, signal.SIG_DFL)
            os.kill(os.getpid(), unwinding.number)


class _Unwinding:
    """The way out after a signal."""

    def __init__(self) -> None:
        self.number = 0
        """The signal; 0 before one arrives."""
        self.is_over = False
        self._drops = False

    def begin(self, number: int, _: object) -> None:
        """Unwind the stack, and ignore further signals."""
        self.number = number
        for signal_number in _ENDS:
            signal.signal(signal_number, signal.SIG_IGN)
        if not self.is_over:
            raise _Ended

    @contextmanager
    def not_dropped(self) -> Iterator[None]:
        """Raise again what Python drops: no exception leaves a finalizer or a weak reference's
        callback.
        """
        if _AGAIN is None:
            yield
            return
        hook, before = sys.unraisablehook, signal.signal(_AGAIN, self._again)

        def dropped(args: sys.UnraisableHookArgs) -> None:
            if not isinstance(args.exc_value, _Ended):
                hook(args)
                return
            self._drops = True
            self._later()
            self._drops = False

        sys.unraisablehook = dropped
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            sys.unraisablehook = hook
            signal.signal(_AGAIN, before or signal.SIG_DFL)

    def _again(self, _number: int, _frame: object) -> None:
        if not self._drops:
            raise _Ended
        self._later()

    @staticmethod
    def _later() -> None:
        signal.setitimer(signal.ITIMER_REAL, _SOON)
