"""Where the package's shipped folders are: `templates/` and `schemas/`.

They lie at the top of a checkout and are carried into the wheel as `gpuspec/_data/`.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

_PACKAGE = os.path.dirname(__file__)


def shipped_folder(name: str) -> str:
    """Return a shipped top-level folder (`templates` or `schemas`).

    The wheel's copy is looked up first, then the checkout (an editable install).
    """
    installed = os.path.join(_PACKAGE, "_data", name)
    if os.path.isdir(installed):
        return installed
    return os.path.join(os.path.dirname(_PACKAGE), name)


def shipped(name: str) -> "Path":
    """Return the same as a path. Importing `pathlib` takes longer than reading what lies there."""
    from pathlib import Path

    return Path(shipped_folder(name))
