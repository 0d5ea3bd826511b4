"""SVG and HTML elements that are well formed and escaped by construction.

The output is XML too, so any XML parser can read a page.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpuspec.escaping.formats import html

_EMPTY = ("meta", "path", "rect")
"""Elements without contents. Other elements cannot be self-closing in HTML."""


class Markup(str):
    """Text that is markup already; any other text is escaped when it becomes part of it."""

    __slots__ = ()


def element(name: str, attributes: Mapping[str, object] | None = None, *inner: str) -> Markup:
    """Return an element without the attributes that are None. `inner` is escaped unless it is
    `Markup`."""
    attributes_text = "".join(
        f' {key}="{html(_shown(value))}"'
        for key, value in (attributes or {}).items()
        if value is not None
    )
    if name in _EMPTY:
        return Markup(f"<{name}{attributes_text}/>")
    return Markup(f"<{name}{attributes_text}>{joined(*inner)}</{name}>")


def joined(*inner: str, by: str = "") -> Markup:
    """Return the joined parts; those that are no markup are escaped."""
    return Markup(by.join(part if isinstance(part, Markup) else html(part) for part in inner))


def _shown(value: object) -> str:
    """Return a number with as many digits as a picture needs."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
