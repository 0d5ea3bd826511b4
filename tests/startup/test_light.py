"""msgspec, which the command line imports lightly, works as it always does."""

import subprocess
import sys

LIGHT = "from gpuspec.startup.light import import_msgspec\nimport_msgspec()\n"
STRUCTS = """
from typing import Annotated
import msgspec
class One(msgspec.Struct):
    a: Annotated[str, msgspec.Meta(pattern='^x')]
    b: int | None = None
print(msgspec.convert({'a': 'xy'}, One), msgspec.json.schema(One))
import typing_extensions
print(typing_extensions.Literal)
"""


def printed(program: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_it_answers_as_it_does_otherwise() -> None:
    assert printed(LIGHT + STRUCTS) == printed(STRUCTS)


def test_what_is_there_already_is_left_alone() -> None:
    program = (
        f"import typing_extensions as t\n{LIGHT}import sys\nprint(sys.modules[t.__name__] is t)"
    )
    assert printed(program) == "True\n"
