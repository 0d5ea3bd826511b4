"""The folder of a try: what is laid out in it, and what it holds afterwards."""

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.fuzz.tries import Try


def lay_out(one: Try) -> None:
    """Write the files of a try to the folder at hand."""
    for name, data in one.files.items():
        path = Path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError:  # another of its files is in the way
            continue
    if one.target.git:
        _commit()
    for name, kind in one.odd.items():
        path = Path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _ODD[kind](path)
        except OSError:
            continue


def _commit() -> None:
    settings = (
        "-c",
        "user.name=x",
        "-c",
        "user.email=x",
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "gc.auto=0",
    )
    for words in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        ("commit", "-qm", "x", "--allow-empty"),
    ):
        subprocess.run(["git", *settings, *words], check=True, capture_output=True)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _deep(path: Path) -> None:
    """Folders in folders."""
    inner = path / "/".join(["d"] * 150)
    inner.mkdir(parents=True)
    (inner / "x.yaml").write_text("a: 1\n")


_ODD: dict[str, Callable[[Path], None]] = {
    "fifo": os.mkfifo,
    "folder": Path.mkdir,
    "loop": lambda path: path.symlink_to(path.name),
    "dangling": lambda path: path.symlink_to("nowhere"),
    "socket": _socket,
    "zero": lambda path: path.symlink_to("/dev/zero"),
    "null": lambda path: path.symlink_to("/dev/null"),
    "up": lambda path: path.symlink_to(".."),
    "deep": _deep,
}


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder; links and the like by what they are, git's own left out."""
    found: dict[str, bytes] = {}
    skipped = len(f"{folder}/")
    waiting = [os.fspath(folder)]
    while waiting:
        for entry in os.scandir(waiting.pop()):
            key = entry.path[skipped:]
            if entry.is_symlink():
                found[key] = b"-> " + os.fsencode(Path(entry.path).readlink())
            elif entry.is_file():
                found[key] = Path(entry.path).read_bytes()
            elif not entry.is_dir():
                found[key] = b"special"
            elif entry.name != ".git":
                waiting.append(entry.path)
    return found
