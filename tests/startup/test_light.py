"""msgspec and PyYAML, which the command line imports lightly, work as they always do."""

import subprocess
import sys

LIGHT = "from gpuspec.startup.light import import_libraries\nimport_libraries()\n"
COMPILED = """
import re
before = re._compiler.compile
def compile(*given):
    print('compiled')
    return before(*given)
re._compiler.compile = compile
"""
LOADED = """
import yaml
print(yaml.safe_load('[2026-01-02, 1_000, 0x1F, .inf, ~, yes, a b, 1:30]'))
try:
    yaml.safe_load('a: \\x01')
except yaml.reader.ReaderError as error:
    print(error)
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


def test_it_answers_as_it_does_otherwise() -> None:
    for program in (STRUCTS, LOADED):
        assert printed(LIGHT + program) == printed(program)


def test_no_pattern_of_a_reader_in_python_is_compiled() -> None:
    msgspec = "from gpuspec.startup.light import import_msgspec\nimport_msgspec()\n"
    without, heavy, light = (
        printed(COMPILED + program).count("compiled")
        for program in (msgspec, msgspec + "import yaml\n", LIGHT + "import yaml\n")
    )
    assert without == light < heavy


def test_what_is_there_already_is_left_alone() -> None:
    for name in ("typing_extensions", "yaml"):
        program = f"import {name} as t\n{LIGHT}import sys\nprint(sys.modules[t.__name__] is t)"
        assert printed(program) == "True\n"
