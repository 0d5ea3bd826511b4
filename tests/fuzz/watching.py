"""What a try does to the world outside of its folder: files, programs, connections."""

import os
import sys
from pathlib import Path

_DELETES = (
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.truncate",
    "os.symlink",
    "os.link",
    "os.chmod",
)
_REACHES = ("socket.connect", "socket.getaddrinfo", "os.system", "os.exec")


class Watcher:
    """Notes what goes on while it is on; it stays in the process for good."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.on = False
        self.seen: list[str] = []
        # What Python keeps beside a module that is imported late is no doing of a try.
        sys.dont_write_bytecode = True
        sys.addaudithook(self._saw)

    def _saw(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.on:
            return
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                self._outside(event, path)
        elif event in _DELETES:
            for path in arguments:
                self._outside(event, path)
        elif event in _REACHES or (event == "subprocess.Popen" and arguments[0] != "git"):
            self.seen.append(f"{event} {arguments[:2]!r}")

    def _outside(self, event: str, path: object) -> None:
        if isinstance(path, (str, bytes)):
            real = os.path.realpath(os.fsdecode(path))
            if not real.startswith(f"{self.folder}/") and real != os.devnull:
                self.seen.append(f"{event} {real}")
