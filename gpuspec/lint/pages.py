"""The pages of the rules: Markdown, each beside the module of its rule."""

import re
from pathlib import Path

from gpuspec.lint.rows import ROWS

ADDRESS: str | None = None
"""Where the pages are published, each by its code; None until they are. No report names another place."""
_MISSING = re.compile(r"^( *)([\w./-]+): null$", re.MULTILINE)
"""A field that an example is shown without."""
_RULES = Path(__file__).parent / "rules"


def page(code: str) -> str:
    """Return a rule's page. Raises `KeyError` for a code that no rule has."""
    for row in ROWS:
        if row.code == code:
            path = _RULES.joinpath(*row.module.split(".")).with_suffix(".md")
            return _MISSING.sub(r"\1# no `\2`", path.read_text(encoding="utf-8"))
    raise KeyError(code)


def address(code: str) -> str | None:
    """Return where a rule's page is published; None for nowhere."""
    return None if ADDRESS is None else f"{ADDRESS.rstrip('/')}/{code}"
