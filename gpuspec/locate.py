"""Where the package's shipped folders are: `templates/` and `schemas/`.

They lie at the top of a checkout and are carried into the wheel as `gpuspec/_data/`.
"""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def shipped(folder: str) -> Path:
    """The path of a shipped top-level folder (`templates` or `schemas`).

    The wheel's copy is looked up first, then the checkout (an editable install).
    """
    installed = _PACKAGE / "_data" / folder
    return installed if installed.is_dir() else _PACKAGE.parent / folder
