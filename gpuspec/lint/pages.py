"""The pages of the rules: Markdown, each beside the module of its rule."""

import re
from pathlib import Path

from gpuspec.lint.rows import ROWS

ADDRESS: str | None = None
"""The address under which pages are published, each by its code; None until they are. Reports link
to no other address."""
_MISSING = re.compile(r"^( *)([\w./-]+): null$", re.MULTILINE)
"""A field that examples omit."""
_RULES = Path(__file__).parent / "rules"


def page(code: str) -> str:
    """Return a rule's page. Raises `KeyError` for an unknown code."""
    for row in ROWS:
        if row.code == code:
            path = _RULES.joinpath(*row.module.split(".")).with_suffix(".md")
            return _MISSING.sub(r"\1# no `\2`", path.read_text(encoding="utf-8"))
    raise KeyError(code)


def address(code: str) -> str | None:
    """Return the address of a rule's page; None if it is not published."""
    return None if ADDRESS is None else f"{ADDRESS.rstrip('/')}/{code}"
