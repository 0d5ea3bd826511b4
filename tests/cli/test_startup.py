"""Libraries that the command line imports lightly work as they always do."""

import subprocess
import sys

import pytest

LIGHT = "from gpuspec.cli.startup import import_libraries\nimport_libraries()\n"
YAML = """
import yaml
text = 'a: [yes, 0x10, 1.5e+3, 2001-12-14, 12:30, ~]'
print(yaml.safe_load(text), yaml.safe_dump({'a': ['on', '1', None]}))
try:
    yaml.safe_load('a: \\x01')
except yaml.reader.ReaderError as error:
    print(error.reason)
"""
OTHERS = """
import json, platform, textwrap
print(json.loads('{"a": [1.5, "b"]}'), json.dumps('é"'), platform.python_implementation())
print(textwrap.wrap('a long-ish text to wrap', 9), textwrap.dedent('  a\\n  b'))
"""
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


@pytest.mark.parametrize("program", [YAML, OTHERS, STRUCTS], ids=["yaml", "others", "structs"])
def test_a_library_answers_as_it_does_otherwise(program: str) -> None:
    assert printed(LIGHT + program) == printed(program)


def test_the_way_to_compile_is_as_before() -> None:
    assert printed(f"import re\nusual = re.compile\n{LIGHT}print(re.compile is usual)") == "True\n"


def test_what_is_there_already_is_left_alone() -> None:
    program = (
        f"import typing_extensions as t\n{LIGHT}import sys\nprint(sys.modules[t.__name__] is t)"
    )
    assert printed(program) == "True\n"
