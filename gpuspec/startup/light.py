"""msgspec and PyYAML without what they take along.

Only for the process that is the command line; a program that imports gpuspec gets them as they are.
"""

import re
import sys
from typing import Any


def import_libraries() -> None:
    """Import what every command reads its input with."""
    import_msgspec()
    import_yaml()


def import_msgspec() -> None:
    """Import msgspec without `typing_extensions`, which brings the whole of `inspect`.

    msgspec takes it where it is there, and needs it for no type of ours. Whoever asks for it later
    gets it; a msgspec that insists on it is imported as usual then.
    """
    name = "typing_extensions"
    if name in sys.modules:
        return
    sys.modules[name] = None  # type: ignore[assignment]  # how Python is told that there is none
    try:
        import msgspec  # noqa: F401  # for those who import it next
    except ImportError:
        pass
    finally:
        del sys.modules[name]


def import_yaml() -> None:
    """Import PyYAML without compiling the patterns of its reader and resolver in Python.

    We read with libyaml, which asks for none of them. Whoever does gets them: each is compiled then.
    """
    if "yaml" in sys.modules:
        return
    compiled = re.compile
    re.compile = _Pattern  # type: ignore[assignment]
    try:
        import yaml  # noqa: F401  # for those who import it next
    except ImportError:
        pass
    finally:
        re.compile = compiled


class _Pattern:
    """A pattern that is compiled when somebody uses it."""

    def __init__(self, *given: Any) -> None:
        self._given = given

    def __getattr__(self, name: str) -> Any:
        return getattr(re.compile(*self._given), name)
