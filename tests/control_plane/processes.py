"""Programs that run beside the tests: started, waited for, stopped."""

import ctypes
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

PAUSE = 0.05
# How long a program may take to be ready, and to end: generous, for a machine with other work.
START_SECONDS, STOP_SECONDS = 120, 20

_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


class NotReady(Exception):
    """A program that ended, or did not become ready; the text has the end of what it said."""


class Process:
    """One program, in a session of its own so that only we end it, with what it says in a file."""

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        folder: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
                preexec_fn=_end_with_parent,
            )

    def wait(self, ready: Callable[[], bool], seconds: float = START_SECONDS) -> None:
        """Wait until it is ready. Raises `NotReady`."""
        until = time.monotonic() + seconds
        while not ready():
            if self._process.poll() is not None:
                raise NotReady(f"{self.name} ended with {self._process.returncode}\n{self._end()}")
            if time.monotonic() > until:
                raise NotReady(f"{self.name} is not ready after {seconds:.0f} s\n{self._end()}")
            time.sleep(PAUSE)

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Ask it to end, and end it if it does not."""
        self._process.terminate()
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _end(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")[-3000:]


def _end_with_parent() -> None:
    """Ask the kernel to end the program when ours is gone, however it went."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nothing listens on."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def listens(port: int) -> bool:
    """Whether something accepts connections there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
