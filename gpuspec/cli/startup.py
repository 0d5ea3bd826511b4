"""Libraries imported without what they prepare for others: a third of their time.

Only for the process that is the command line, where all that uses them is ours; a program that
imports gpuspec gets them as they are.
"""

import re
import sys
from typing import Any

_compile = re.compile


def import_libraries() -> None:
    """Import msgspec and PyYAML, lightly. They work as they always do."""
    _import_what_compiles()
    _import_msgspec()


def _import_msgspec() -> None:
    """msgspec takes `typing_extensions` where it is there, and needs it for no type of ours.

    It brings the whole of `inspect`. Whoever asks for it later gets it.
    """
    name = "typing_extensions"
    if name in sys.modules:
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules[name]


def _import_what_compiles() -> None:
    """What compiles expressions when it is imported, of which few are ever asked.

    PyYAML's are for its readers in Python, and we read by libyaml. The others belong to modules of
    Python that msgspec imports.
    """
    re.compile = _Later  # type: ignore[assignment]
    try:
        import json  # noqa: F401
        import platform  # noqa: F401
        import textwrap  # noqa: F401

        import yaml  # noqa: F401
    finally:
        re.compile = _compile


class _Later:
    """A regular expression that is compiled when something is first asked of it."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._made = pattern, flags

    def __getattr__(self, name: str) -> Any:
        return getattr(_compile(*self._made), name)
