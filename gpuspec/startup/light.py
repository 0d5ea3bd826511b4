"""msgspec and PyYAML without their slow imports.

This is only for the command line; a program that imports gpuspec gets them unchanged.
"""

import re
import sys
from typing import Any


def import_libraries() -> None:
    """Import the libraries with which every command reads its input."""
    import_msgspec()
    import_yaml()


def import_msgspec() -> None:
    """Import msgspec without `typing_extensions`, which imports `inspect`.

    msgspec imports it if it is installed, but needs it for none of our types. Later imports of it
    work. A release of msgspec that requires it is imported as usual.
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
    """Import PyYAML without compiling the patterns of its pure Python reader and resolver.

    gpuspec reads with libyaml, which does not use them. Each is compiled on first use.
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
    """A pattern that is compiled on first use."""

    def __init__(self, *given: Any) -> None:
        self._given = given

    def __getattr__(self, name: str) -> Any:
        return getattr(re.compile(*self._given), name)
