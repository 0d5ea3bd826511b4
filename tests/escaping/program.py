"""The program in this process: hundreds of runs would take minutes in processes of their own."""

import io
import os
import sys
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from gpuspec.startup.process import main


@dataclass(frozen=True)
class Case:
    """What a run is given."""

    arguments: tuple[str, ...]
    stdin: str = ""
    env: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Done:
    """What it leaves behind."""

    code: int
    out: str
    err: str


class Terminal(io.TextIOWrapper):
    """A stream that somebody looks at."""

    def isatty(self) -> bool:
        """So it says."""
        return True


def run(
    folder: Path,
    case: Case,
    program: Callable[[], Any] = main,
    stream: type[io.TextIOWrapper] = io.TextIOWrapper,
) -> Done:
    """Run the program in a folder; what it writes must be UTF-8."""
    printed, told = io.BytesIO(), io.BytesIO()
    out, err = (stream(to, encoding="utf-8", newline="") for to in (printed, told))
    given = io.TextIOWrapper(io.BytesIO(case.stdin.encode(errors="surrogatepass")))
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    with (
        chdir(folder),
        patch.dict(os.environ, {**kept, **dict(case.env)}, clear=True),
        patch.object(sys, "argv", ["gpuspec", *case.arguments]),
        patch.object(sys, "stdin", given),
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", err),
    ):
        code = program()
        out.flush()
        err.flush()
        said = told.getvalue().decode()
        if sys.stderr is not err:
            # A command may say what it says in a file.
            sys.stderr.close()
            said += Path(sys.stderr.name).read_text(encoding="utf-8")
    return Done(code, printed.getvalue().decode(), said)
